#!/bin/sh
# confusion.sh TARE DATABASE SEEDS: run faults.yaml, faults-connections.yaml and
# faults-hugepages.yaml once for each seed, with the server put in (rootfs:DIR, an
# image), and print which causes of each fault the rules name as a table in Markdown.
# About 9 minutes a seed on 2 quiet CPUs; needs root. Runs stay in NAME-SEED; one that
# is there whole is not done again. For the third, transparent huge pages are given to
# all while it runs, and the machine's own setting is put back.
set -eu
tare=$1 database=$2 seeds=$3
here=$(dirname "$0")
thp=/sys/kernel/mm/transparent_hugepage/enabled
own=$(sed 's/.*\[\(.*\)\].*/\1/' $thp 2>/dev/null || true)
restore() { if [ -n "$own" ]; then echo "$own" >$thp; fi; }
trap restore EXIT
trap 'exit 1' INT TERM

# one NAME SEED: a run of NAME.yaml, explained.
one() {
	spec=$1-$2.yaml dir=$1-$2
	sed -e "s#^database:#&\n  image: $database#" -e "s/seed: 1,/seed: $2,/" "$here/$1.yaml" >"$spec"
	# Arms that are killed, or lose every large answer, fail their trials, and with
	# them the run's exit code.
	[ -d "$dir" ] || "$tare" run "$spec" --out "$dir" >/dev/null || true
	"$tare" explain "$dir" >"$dir/explained.txt" || echo "$dir was not finished" >&2
}

for seed in $(seq "$seeds"); do
	one faults "$seed"
	one faults-connections "$seed"
	if [ -n "$own" ] && echo always >$thp; then
		one faults-hugepages "$seed"
		restore
	fi
done
# What is in an arm, and what of it is not a fault that was put in but there all the same:
# the machine's own (steal), which the kernel counts. want is each arm's rules, with a
# comma where an arm has two causes.
cat faults*/explained.txt | awk '
	BEGIN {
		split("quota C-CPU-01 starved C-CPU-03 memory K-MEM-10 redo C-IO-04 sync M-DUR-01 iops C-IO-01 pool C-BP-01 overlay K-STO-01 loss C-NET-04 threads M-CPU-01 " \
			"fragments K-NET-06 blackhole K-NET-06 churn C-NET-05 dns C-NET-05 services K-NET-10,C-NET-05 client P-CLIENT-01 hugepages K-MEM-09", w)
		for (i = 1; w[i] != ""; i += 2) want[w[i]] = w[i + 1]
		also["fragments C-NET-01"]
	}
	/^[a-z]+, [0-9]+ threads/ { arm = substr($1, 1, length($1) - 1); runs[arm]++; all++ }
	$1 ~ /^(present|explains|proved):$/ {
		rule = $2; sub(":", "", rule)
		own = want[arm]; sub(",.*", "", own)
		if (rule == own) { right[arm]++; hits++ }
		else if (index("," want[arm] ",", "," rule ",") || (arm " " rule) in also) next
		else if (rule == "C-CPU-06") machine[arm]++
		else { wrong[arm]++; names[arm] = names[arm] " " rule; falsely++ }
	}
	END {
		print "| fault | its rule | runs | named | named falsely | of the machine |\n|---|---|---|---|---|---|"
		for (arm in runs) {
			printf "| %s | %s | %d | %d | %d%s | %d |\n", arm, want[arm], runs[arm], right[arm], wrong[arm], names[arm], machine[arm] | "sort"
			stolen += machine[arm]
		}
		close("sort")
		printf "| all | | %d | %d | %d | %d |\n", all, hits, falsely, stolen
	}'
