#!/bin/sh
# remedies.sh TARE DATABASE [FAULT...]: measure the remedy of each fault of faults.yaml
# and its like, and a change that is none, against the server with the fault, in 7 rounds
# of short windows, and print what was kept and what was rejected as a table in Markdown.
# About 4 minutes a fault on 2 quiet CPUs; needs root. Runs stay in remedy-FAULT; one that
# is there whole is not done again.
#
# The margin is wide because the windows are short: rejected as idle is what can bring no
# 20 %.
set -eu
tare=$1 database=$2
shift 2
wanted=" $* "
rw='workload: oltp_read_write' point='workload: oltp_point_select, options: {db-ps-mode: disable}'
updates='workload: oltp_update_index, options: {rand-type: uniform}' ranges='workload: oltp_read_only, options: {range-size: 1000}'
pod() { echo "target: container, qos: Burstable, cpuRequest: \"1\", memoryRequest: $1, client: other-node"; }
well=$(pod 256Mi)
net='network: {plugin: bridge}'
sync='{config: {innodb_flush_log_at_trx_commit: 1, sync_binlog: 1}}'

# wants FAULT: all are measured where none is named.
wants() { case $wanted in "  " | *" $1 "*) ;; *) return 1 ;; esac; }

# measure FAULT RULE LOAD ARM REMEDY OTHER
measure() {
	wants "$1" || return 0
	dir=remedy-$1
	cat >"$dir.yaml" <<-YAML
		apiVersion: tarebench.io/v1alpha1
		kind: Experiment
		metadata: {name: remedy-$1}
		database:
		  image: $database
		  config: {innodb_buffer_pool_size: ${POOL:-128M}, innodb_redo_log_capacity: 512M, innodb_flush_method: O_DIRECT, innodb_flush_log_at_trx_commit: 2, sync_binlog: 0}
		data: {tables: 4, rows: ${ROWS:-20000}}
		load: {threads: 8, engine: tare, $3}
		protocol: {rounds: ${ROUNDS:-7}, warmup: 1s, measure: ${MEASURE:-4s}, ready: ${READY:-20s}, margin: 20%, seed: 1, aa: false, voids: 0}
		baseline: fault
		arms:
		  fault: {$4}
		remedies:
		  remedy: {rule: $2, change: $5}
		  other: {rule: $2, change: $6}
	YAML
	[ -d "$dir" ] || "$tare" run "$dir.yaml" --out "$dir" >/dev/null || true
	"$tare" report "$dir" --format json >"$dir.json" || echo "$dir was not finished" >&2
}

measure quota C-CPU-01 "$rw" "$well, $net, cpu: \"1\", quota: 300m" '{quota: false}' '{quota: 150m}'
measure starved C-CPU-03 "$rw" "target: container, qos: BestEffort, client: other-node, $net, neighbour: {cpu: 2, request: \"1\"}" \
	'{qos: Burstable, cpuRequest: "1", memoryRequest: 256Mi}' '{config: {innodb_buffer_pool_size: 256M}}'
measure memory K-MEM-10 "$rw" "$well, $net, memory: 480Mi" '{memory: 960Mi}' '{memory: 470Mi}'
# The log is full only where more is written than its size between two writes of a page.
(
	ROWS=150000 POOL=384M READY=${READY:-60s} MEASURE=${MEASURE:-8s}
	measure redo C-IO-04 "$updates" "$(pod 768Mi), $net, config: {innodb_redo_log_capacity: 8M}" '{config: {innodb_redo_log_capacity: 512M}}' "$sync"
)
measure sync M-DUR-01 "$rw" "$well, $net, config: {innodb_flush_log_at_trx_commit: 1, sync_binlog: 1}" \
	'{config: {innodb_flush_log_at_trx_commit: 2, sync_binlog: 0}}' '{config: {innodb_redo_log_capacity: 8M}}'
measure iops C-IO-01 "$rw" "$well, $net, io: {writeIOPS: 30}" '{io: null}' '{io: {writeIOPS: 15}}'
measure pool C-BP-01 "$rw" "$well, $net, config: {innodb_buffer_pool_size: 5M}" '{config: {innodb_buffer_pool_size: 128M}}' "$sync"
measure overlay K-STO-01 "$rw" "$well, $net, filesystem: overlay" '{filesystem: volume}' "$sync"
measure loss C-NET-04 "$rw" "$well, network: {plugin: bridge, loss: 2%}" '{network: {loss: null}}' '{network: {offload: false}}'
measure threads M-CPU-01 "$rw" "$well, $net, cpu: 1950m, config: {innodb_read_io_threads: 32}" '{config: {innodb_read_io_threads: 4}}' "$sync"
measure logwriter M-CPU-02 "$updates" "$well, $net, cpu: \"1\", config: {innodb_log_writer_threads: ON}" '{config: {innodb_log_writer_threads: OFF}}' '{config: {innodb_spin_wait_delay: 12}}'
measure fragments K-NET-06 "$ranges" "$well, network: {plugin: bridge, between: udp, mtu: 1500, linkMTU: 1500}" '{network: {mtu: 1400}}' '{network: {offload: false}}'
measure blackhole K-NET-06 "$rw, options: {db-ps-mode: disable}" "$well, network: {plugin: bridge, mtu: 1500, linkMTU: 1400, icmp: false}" '{network: {mtu: 1400}}' '{network: {mtu: 1450}}'
measure churn C-NET-05 "$point" "$well, $net, reconnect: 1" '{reconnect: null}' '{network: {delay: 1ms}}'
measure dns C-NET-05 "$point" "$well, network: {plugin: bridge, dns: 5ms}, reconnect: 1, config: {skip_name_resolve: OFF, host_cache_size: 0}" \
	'{config: {skip_name_resolve: ON}}' '{network: {dns: 20ms}}'
(
	ROUNDS=${ROUNDS:-21} # windows of new connections differ by a third
	measure services K-NET-10 "$point" "$well, $net, reconnect: 1, service: {proxy: iptables-legacy, others: 10000}" '{service: {others: 0}}' '{network: {delay: 1ms}}'
)
measure client P-CLIENT-01 "$rw" "$well, $net, clientCPU: 100m" '{clientCPU: null}' '{clientCPU: 50m}'

# Transparent huge pages are the machine's: on for all while this is measured, then as they were.
thp=/sys/kernel/mm/transparent_hugepage/enabled
own=$(sed 's/.*\[\(.*\)\].*/\1/' $thp 2>/dev/null || true)
restore() { if [ -n "$own" ]; then echo "$own" >$thp; fi; }
trap restore EXIT
trap 'exit 1' INT TERM
if wants hugepages && [ -n "$own" ] && echo always >$thp; then
	measure hugepages K-MEM-09 "$rw" "$well, $net" '{hugePages: never}' "$sync"
	restore
fi

echo "| fault | rule | change | decision | throughput, 95 % interval |"
echo "|---|---|---|---|---|"
for f in remedy-*.json; do
	fault=${f#remedy-}
	# One line for each sentence: Remedy NAME (RULE, CHANGE): DECISION; SIZE.
	sed -n 's/.*"sentence": *"Remedy \(remedy\|other\) (\([A-Z0-9-]*\), \(.*\)): \([a-z]*\); \(.*\)\.".*/| '"${fault%.json}"' | \2 | `\3` | \4 | \5 |/p' "$f"
done
