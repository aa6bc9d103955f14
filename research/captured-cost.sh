#!/bin/sh
# captured-cost.sh TARE DATABASE OUT [RATE] [RUNS] [ROUNDS] [MEASURE]: what a quota of half a
# CPU costs, measured with the built-in oltp_read_write and with a captured workload.
#
# sysbench oltp_read_write at RATE transactions/s is production, and `tare capture` watches
# it. Then the same two arms, a container without and with the quota, are measured with the
# built-in workload and with the captured file: RUNS runs of each that alternate, ROUNDS
# rounds by slices in each, as fast as 8 connections can, on copies of production's data.
# Both costs are printed with 95 % intervals. Exit code 1 if they do not overlap, or contain 0.
# Finished runs in OUT are kept, so that it can be started again. Needs root.
set -eu
tare=$1 database=$2 out=$3 rate=${4:-300} runs=${5:-4} rounds=${6:-2} measure=${7:-5s}
here=$(cd "$(dirname "$0")/captured" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
(cd "$here/../.." && go build -o "$out/judge" ./research/judge)
export TARE_STATE="$out/state"
production=
trap '[ -z "$production" ] || { kill -INT "$production" 2>/dev/null || true; wait "$production" || true; }' EXIT
trap 'exit 130' INT TERM

# write NAME TEMPLATE LOAD SEED [TABLES]: the experiment NAME.yaml.
write() {
  sed "s#SERVER#image: $database#; s#LOAD#$3#; s#DIRECTORY#$out/production.data#; s/ROUNDS/$rounds/; s/MEASURE/$measure/; s/SEED/$4/; s/TABLES/${5:-}/" "$here/$2.yaml" >"$out/$1.yaml"
}

# capture loads a server as production does and writes captured.yaml and production.data, a
# data directory as production has it before the load. The load is that of a `tare run`,
# interrupted afterwards.
capture() {
  rm -rf "$out/production.run" "$out/production.data" "$TARE_STATE/data"
  write production production "rate: $rate/s" 1
  "$tare" run "$out/production.yaml" --json --out "$out/production.run" >/dev/null 2>"$out/production.log" &
  production=$!
  until grep -q '"event":"second"' "$out/production.log"; do
    kill -0 "$production" 2>/dev/null || { tail -3 "$out/production.log" >&2; exit 3; }
    sleep 1
  done
  for name in $(ls "$TARE_STATE/instances"); do
    [ ! -S "/run/tare/$name/mysqld.sock" ] || socket=/run/tare/$name/mysqld.sock
  done
  "$tare" capture --socket "$socket" --for 20s --force --out "$out/captured.part"
  kill -INT "$production"
  wait "$production" || true
  production=
  cp -a "$TARE_STATE"/data/*/data "$out/production.data"
  # A pause of production between two transactions is not part of what they cost.
  sed '/^    think: /d' "$out/captured.part" >"$out/captured.yaml"
}

# measure NAME LOAD SEED [TABLES]: runs it unless it has been run, and writes NAME.json.
measure() {
  write "$1" quota "$2" "$3" "${4:-}"
  [ -e "$out/$1/verdict.json" ] || "$tare" run "$out/$1.yaml" --out "$out/$1" >"$out/$1.txt" 2>"$out/$1.log" || { tail -3 "$out/$1.log" >&2; exit 3; }
  "$tare" report "$out/$1" --format json >"$out/$1.json"
}

[ -e "$out/captured.yaml" ] || capture
grep -E '^# (Load|Coverage)' "$out/captured.yaml"
n=1
while [ "$n" -le "$runs" ]; do
  measure "builtin-$n" 'workload: oltp_read_write, options: {rand-type: uniform}' "$n" ', tables: 4, rows: 20000'
  measure "captured-$n" 'workload: ./captured.yaml' "$n"
  n=$((n + 1))
done
"$out/judge" captured "$out"
