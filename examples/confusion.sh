#!/bin/sh
# confusion.sh TARE DATABASE SEEDS: run faults.yaml once for each seed, with the server
# put in (rootfs:DIR, an image), and print what the rules confirmed of each fault as a
# table in Markdown. About 4 minutes a seed on 2 CPUs; needs root. Runs stay in
# faults-SEED; one that is there whole is not done again.
set -eu
tare=$1 database=$2 seeds=$3
here=$(dirname "$0")
for seed in $(seq "$seeds"); do
	spec=faults-$seed.yaml dir=faults-$seed
	sed -e "s#^database:#&\n  image: $database#" -e "s/seed: 1,/seed: $seed,/" "$here/faults.yaml" >"$spec"
	# The arm that is killed for memory fails its trial, and with it the run's exit code.
	[ -d "$dir" ] || "$tare" run "$spec" --out "$dir" >/dev/null || true
	"$tare" explain "$dir" >"$dir/explained.txt" || echo "seed $seed was not finished" >&2
done
cat faults-*/explained.txt | awk '
	BEGIN {
		split("quota C-CPU-01 starved C-CPU-03 memory K-MEM-10 redo C-IO-04 sync M-DUR-01 iops C-IO-01 pool C-BP-01 overlay K-STO-01 loss C-NET-04 threads M-CPU-01", w)
		for (i = 1; w[i] != ""; i += 2) want[w[i]] = w[i + 1]
	}
	/^[a-z]+, [0-9]+ threads/ { arm = substr($1, 1, length($1) - 1); runs[arm]++ }
	$1 == "confirmed:" { rule = $2; sub(":", "", rule); if (rule == want[arm]) right[arm]++; else { wrong[arm]++; names[arm] = names[arm] " " rule } }
	END {
		print "| fault | its rule | runs | confirmed | confirmed falsely |\n|---|---|---|---|---|"
		for (arm in runs) {
			printf "| %s | %s | %d | %d | %d%s |\n", arm, want[arm], runs[arm], right[arm], wrong[arm], names[arm] | "sort"
			all += runs[arm]; falsely += wrong[arm]; hits += right[arm]
		}
		close("sort")
		printf "| all | | %d | %d | %d |\n", all, hits, falsely
	}'
