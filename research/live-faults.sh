#!/bin/sh
# live-faults.sh TARE DATABASE OUT [SPAN] [HEALTHY] [FAULT...]: put each fault into a server
# that another process loads, watch that server with `tare explain --live` for SPAN, and
# print as a table in Markdown which faults are named. Then watch servers without a fault,
# HEALTHY times: none may have a cause that is present. About SPAN and 30 s for each fault; needs
# root. Results that are in OUT are not measured again. Exit code 1 if a fault
# is not named, or a cause is named falsely.
#
# The load is that of a `tare run` which is interrupted afterwards: sysbench sends it, and
# for the faults of connections tare's own engine, because sysbench keeps its connections.
set -eu
tare=$1 database=$2 out=$3 span=${4:-20s} healthy=${5:-20}
shift "$(($# > 5 ? 5 : $#))"
chosen=" $* "
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
(cd "$here/.." && go build -o "$out/judge" ./research/judge)
export TARE_STATE="$out/state"
thp=/sys/kernel/mm/transparent_hugepage/enabled
own=$(sed 's/.*\[\(.*\)\].*/\1/' $thp 2>/dev/null || true)
run=
finish() {
  [ -z "$run" ] || kill -INT "$run" 2>/dev/null || true
  [ -z "$own" ] || echo "$own" >$thp
}
trap finish EXIT
trap 'exit 130' INT TERM

writes='threads: 8, engine: sysbench, workload: oltp_read_write'
few='threads: 1, engine: sysbench, workload: oltp_read_write'
selects='threads: 8, engine: tare, workload: oltp_point_select, options: {db-ps-mode: disable}'

# start NAME LOAD ARM: a server with the settings of ARM, loaded until `stop`; both arms have
# them, so that the first server is one, whatever the order. Returns when the load has been
# seen for a second, and sets socket.
start() {
  cat >"$out/$1.yaml" <<-YAML
	apiVersion: tarebench.io/v1alpha1
	kind: Experiment
	metadata: {name: live}
	database:
	  image: $database
	  config: {innodb_buffer_pool_size: 128M, innodb_redo_log_capacity: 512M, innodb_flush_method: O_DIRECT, innodb_flush_log_at_trx_commit: 2, sync_binlog: 0}
	data: {tables: 4, rows: 20000}
	load: {$2}
	protocol: {kind: windows, rounds: 1, warmup: 1s, measure: 30m, ready: 300s, seed: 1, aa: false, voids: 0}
	baseline: server
	defaults: {target: container, qos: Burstable, cpuRequest: "1", memoryRequest: 256Mi, client: other-node, network: {plugin: bridge}}
	arms:
	  server: {$3}
	  same: {$3}
	YAML
  rm -rf "$out/$1.run"
  "$tare" run "$out/$1.yaml" --json --out "$out/$1.run" >/dev/null 2>"$out/$1.events" &
  run=$!
  until grep -q '"event":"second"' "$out/$1.events"; do
    kill -0 "$run" 2>/dev/null || { tail -3 "$out/$1.events" >&2; run=; return 1; }
    sleep 1
  done
  socket=
  for name in $(ls "$TARE_STATE/instances"); do
    [ ! -S "/run/tare/$name/mysqld.sock" ] || socket=/run/tare/$name/mysqld.sock
  done
}

stop() {
  kill -INT "$run" 2>/dev/null || true
  wait "$run" || true
  run=
}

# watch NAME: exit code 1 of explain says that a cause is present.
watch() {
  "$tare" explain --live "$socket" --user root --for "$span" --format json >"$out/$1.part" 2>"$out/$1.log" || [ $? -eq 1 ] || return 1
  mv "$out/$1.part" "$out/$1.json"
}

# fault NAME RULE LOAD ARM: RULE names the cause.
fault() {
  case $chosen in "  " | *" $1 "*) ;; *) return 0 ;; esac
  echo "$1 $2" >"$out/$1.want"
  [ ! -e "$out/$1.json" ] || return 0
  start "$1" "$3" "$4" || return 0 # the judge says that it was not measured
  watch "$1" || echo "$1: $(cat "$out/$1.log")" >&2
  stop
}

fault quota C-CPU-01 "$writes" 'cpu: "1", quota: 300m'
fault starved C-CPU-03 "$writes" 'qos: BestEffort, cpuRequest: null, memoryRequest: null, neighbour: {cpu: 2, request: "1"}'
# The server needs 490 MiB: above them its page cache has 20 MiB, which the kernel reclaims.
fault memory K-MEM-10 "$writes" 'memory: 512Mi, config: {innodb_flush_method: fsync, innodb_buffer_pool_size: 16M}'
fault redo C-IO-04 "$writes" 'config: {innodb_redo_log_capacity: 8M}'
fault sync C-IO-02 "$few" 'config: {innodb_flush_log_at_trx_commit: 1, sync_binlog: 1}'
fault iops C-IO-01 "$writes" 'io: {writeIOPS: 30}'
fault pool C-BP-01 "$writes" 'config: {innodb_buffer_pool_size: 5M}'
fault overlay K-STO-01 "$writes" 'filesystem: overlay'
fault loss C-NET-04 "$writes" 'network: {loss: 2%}'
fault fragments K-NET-06 "$writes" 'network: {between: udp, mtu: 1500, linkMTU: 1500}'
fault blackhole K-NET-06 "$writes" 'network: {mtu: 1500, linkMTU: 1400, icmp: false}'
fault threads M-CPU-01 "$writes" 'cpu: 1950m, config: {innodb_read_io_threads: 32}'
fault churn C-NET-05 "$selects" 'reconnect: 1'
fault dns C-NET-05 "$selects" 'reconnect: 1, network: {dns: 5ms}, config: {skip_name_resolve: OFF, host_cache_size: 0}'
fault client P-CLIENT-01 "$selects" 'clientCPU: 200m'
if [ -n "$own" ] && echo always 2>/dev/null >$thp; then
  fault hugepages K-MEM-09 "$writes" ''
  echo "$own" >$thp
fi

# Five spans of each server without a fault.
n=0
while [ "$n" -lt "$healthy" ]; do
  [ -n "$run" ] || [ -e "$out/well-$((n + 1)).json" ] || start "well-$((n + 1))" "$writes" 'hugePages: never'
  n=$((n + 1))
  [ -e "$out/well-$n.json" ] || watch "well-$n"
  [ -z "$run" ] || [ $((n % 5)) -ne 0 ] && [ "$n" -lt "$healthy" ] || [ -z "$run" ] || stop
done
"$out/judge" live "$out"
