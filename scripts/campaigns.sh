#!/bin/sh
# Measures the whole chain on this machine: campaigns whose arms are the same, with a
# real MySQL. More than 4 of 20 that tell them apart happen once in a hundred when
# the 95 % intervals keep their promise (binomial): then it fails. All intervals are
# printed. 20 campaigns of five minutes take an hour and three quarters; nothing else may run.
#
#   scripts/campaigns.sh TARE ROOTFS OUT [CAMPAIGNS] [ROUNDS] [WARMUP] [MEASURE]
set -eu
tare=$1 rootfs=$2 out=$3 campaigns=${4:-20} rounds=${5:-16} warmup=${6:-1s} measure=${7:-5s}
here=$(dirname "$0")
mkdir -p "$out"
alarms=0
n=1
while [ "$n" -le "$campaigns" ]; do
  dir=$out/aa-$n
  sed "s#SERVER#rootfs: $rootfs#; s/ROUNDS/$rounds/; s/WARMUP/$warmup/; s/MEASURE/$measure/; s/SEED/$n/" "$here/aa.yaml" >"$out/aa-$n.yaml"
  [ -e "$dir/verdict.json" ] || "$tare" run "$out/aa-$n.yaml" --out "$dir" >"$out/aa-$n.txt" 2>"$out/aa-$n.log"
  # The interval of the only contrast: two numbers, one a line.
  "$tare" report "$dir" --format json >"$out/aa-$n.json"
  line=$(node -e 'const c = JSON.parse(require("fs").readFileSync(process.argv[1])).contrasts[0];
    if (!c.interval) { console.log(`no interval: ${c.reason}`); process.exit(0) }
    const [lo, hi] = c.interval; console.log(`${c.effect_percent.toFixed(2)} [${lo.toFixed(2)}, ${hi.toFixed(2)}] % ${lo > 0 || hi < 0 ? "ALARM" : "holds zero"}`)' "$out/aa-$n.json")
  echo "campaign $n: $line"
  case $line in *ALARM*|no*) alarms=$((alarms + 1)) ;; esac
  n=$((n + 1))
done
echo "$alarms of $campaigns campaigns tell equal arms apart"
[ "$alarms" -le $((campaigns / 5)) ]
