#!/bin/sh
# Measures the whole chain on this machine: campaigns whose arms are the same, with a
# real MySQL. More than 4 of 20 that tell them apart happen once in a hundred when
# the 95 % intervals keep their promise (binomial): then it fails. All intervals are
# printed. 20 campaigns of five minutes take an hour and three quarters; nothing else may run.
#
#   research/campaigns.sh TARE ROOTFS OUT [CAMPAIGNS] [ROUNDS] [WARMUP] [MEASURE]
set -eu
tare=$1 rootfs=$2 out=$3 campaigns=${4:-20} rounds=${5:-16} warmup=${6:-1s} measure=${7:-5s}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
(cd "$here/.." && go build -o "$out/judge" ./research/judge)
alarms=0
n=1
while [ "$n" -le "$campaigns" ]; do
  dir=$out/aa-$n
  sed "s#SERVER#rootfs: $rootfs#; s/ROUNDS/$rounds/; s/WARMUP/$warmup/; s/MEASURE/$measure/; s/SEED/$n/" "$here/aa.yaml" >"$out/aa-$n.yaml"
  [ -e "$dir/verdict.json" ] || "$tare" run "$out/aa-$n.yaml" --out "$dir" >"$out/aa-$n.txt" 2>"$out/aa-$n.log"
  "$tare" report "$dir" --format json >"$out/aa-$n.json"
  line=$("$out/judge" alarm "$out/aa-$n.json") || alarms=$((alarms + 1))
  echo "campaign $n: $line"
  n=$((n + 1))
done
echo "$alarms of $campaigns campaigns tell equal arms apart"
[ "$alarms" -le $((campaigns / 5)) ]
