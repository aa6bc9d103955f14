#!/bin/sh
# Measures the same arms by slices and by windows, in runs that alternate: whether the
# two protocols agree, what the lead-in is for (a run with a lead-in of 0, whose quota must
# come out wrong by more than ten points), and the machine time that each needs for an
# interval of ±1 %. Nothing else may run meanwhile. Finished runs in OUT are kept, so that
# it can be started again.
#
#   research/protocols.sh TARE ROOTFS OUT [RUNS] [ROUNDS] [MEASURE]
set -eu
tare=$1 rootfs=$2 out=$3 runs=${4:-2} rounds=${5:-8} measure=${6:-4s}
here=$(cd "$(dirname "$0")/protocols" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
(cd "$here/../.." && go build -o "$out/judge" ./research/judge)

# measure NAME TEMPLATE PROTOCOL ROUNDS SEED: runs it unless it has been run, and writes
# NAME.json.
measure() {
  sed "s#SERVER#rootfs: $rootfs#; s/PROTOCOL/$3/; s/ROUNDS/$4/; s/MEASURE/$measure/; s/SEED/$5/" "$here/$2.yaml" >"$out/$1.yaml"
  [ -e "$out/$1/verdict.json" ] || "$tare" run "$out/$1.yaml" --out "$out/$1" >"$out/$1.txt" 2>"$out/$1.log"
  "$tare" report "$out/$1" --format json >"$out/$1.json"
}

n=1
while [ "$n" -le "$runs" ]; do
  for template in cpu; do
    measure "$template-slices-$n" "$template" 'kind: slices' "$rounds" "$n"
    measure "$template-windows-$n" "$template" 'kind: windows' "$rounds" "$n"
  done
  n=$((n + 1))
done
measure cpu-no-lead-in cpu 'kind: slices, leadIn: 0s' "$rounds" 1
"$out/judge" protocols "$out"
