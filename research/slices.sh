#!/bin/sh
# Measures on this machine, with a real MySQL, that the choices of slices do not decide the
# result. Finished runs in OUT are kept, so that it can be started again.
#
#   research/slices.sh lengths|freezing TARE ROOTFS OUT [ROUNDS] [MEASURE]
#
#   lengths   a CPU quota and a delay with slices of .1, .2, .5 and 1 s: all must agree
#   freezing  read-write by slices, by slices of servers that are idle and not frozen, and by
#             windows: slices and windows must agree; what freezing changes is printed
set -eu
what=$1 tare=$2 rootfs=$3 out=$4 rounds=${5:-5} measure=${6:-3s}
here=$(cd "$(dirname "$0")/slices" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
(cd "$here/../.." && go build -o "$out/judge" ./research/judge)

# measure NAME PROTOCOL SEED: runs it unless it has been run, and writes NAME.json.
measure() {
  sed "s#SERVER#rootfs: $rootfs#; s/PROTOCOL/$2/; s/ROUNDS/$rounds/; s/MEASURE/$measure/; s/SEED/$3/" "$here/$what.yaml" >"$out/$1.yaml"
  [ -e "$out/$1/verdict.json" ] || "$tare" run "$out/$1.yaml" --out "$out/$1" >"$out/$1.txt" 2>"$out/$1.log"
  "$tare" report "$out/$1" --format json >"$out/$1.json"
}

case $what in
lengths)
  for length in 200ms 100ms 500ms 1s; do
    measure "lengths-$length" "kind: slices, slice: $length" 1
  done
  ;;
freezing)
  measure freezing-slices 'kind: slices' 1
  measure freezing-idle 'kind: slices, freeze: false' 1
  measure freezing-windows 'kind: windows' 1
  ;;
*)
  echo "unknown comparison $what: lengths or freezing" >&2
  exit 2
  ;;
esac
"$out/judge" "$what" "$out"
