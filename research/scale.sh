#!/bin/sh
# Writes the run of a whole day (20 arms, 16 rounds, 200 metrics each second), reports
# on it, and opens the page: seconds, memory and bytes, as docs/results/performance.md has them.
set -eu
tare=$(realpath "${1:-bin/tare}") dir=${2:-.cache/day}
if [ ! -e "$dir/plan.json" ]; then
	rm -rf "$dir"
	TARE_SCALE=$(realpath -m "$dir") go test ./internal/report -run '^TestLargeRun$' -count=1 -timeout 20m
fi
du -sh "$dir"
python3 - "$tare" "$dir" <<'PY'
import resource, subprocess, sys, time
tare, run = sys.argv[1:]
began = time.time()
with open(run + "/report.html", "wb") as page:
    subprocess.run([tare, "report", run, "--format", "html"], stdout=page, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"tare report: {time.time() - began:.1f} s ({used.ru_utime + used.ru_stime:.1f} s of CPU), {used.ru_maxrss / 1024:.0f} MiB")
PY
ls -l "$dir/report.html"
page=$(realpath "$dir/report.html")
cd web && TARE_SHOTS=pace TARE_PAGE=$page npx vitest run --config e2e/vitest.config.ts pace
