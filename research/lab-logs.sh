#!/bin/sh
# What the load pods' logs cost the cluster: CPUs of the API server, the kubelets, containerd and tare while
# the same load comes from more and more pods, in the lab that is up:
#   lab-logs.sh LAB DIRECTORY [SECONDS]
#   CLIENTS   how many pods, one run each (1 10 40); 0 is the lab without a load
# Each pod prints a line per second, which tare reads through the API server. What it prints at the end is not
# part of the figures.
set -eu
lab=$1 out=$2 seconds=${3:-60}
mkdir -p "$out"
out=$(cd "$out" && pwd)
export KUBECONFIG="$lab/run/pki/tare.kubeconfig"
agents="kube-apiserver kubelet containerd"
for a in $agents; do
  pgrep -x "$a" >/dev/null || { echo "lab-logs: $a does not run; make lab-up starts the lab" >&2; exit 2; }
done
tare=
trap '[ -z "$tare" ] || kill "$tare" || true' EXIT # it may have ended already
trap 'exit 130' INT TERM

# ticks prints the CPU time of all processes with a name, in clock ticks (proc_pid_stat(5)).
ticks() {
  for p in $(pgrep -x "$1"); do cat "/proc/$p/stat"; done | awk '{sub(/.*\) /, ""); n += $12 + $13} END {print n + 0}'
}
# now prints the time in ms and the ticks of each agent and of tare.
now() {
  printf '%s' "$(($(date +%s%N) / 1000000))"
  for a in $agents; do printf ' %s' "$(ticks "$a")"; done
  awk '{sub(/.*\) /, ""); print " " $12 + $13}' "/proc/$1/stat"
}
# row prints the CPUs between two lines of now.
row() {
  printf '%s\n%s\n' "$2" "$3" | awk -v pods="$1" -v hz="$(getconf CLK_TCK)" '
    NR == 1 {split($0, a)}
    NR == 2 {s = ($1 - a[1]) / 1000; printf "%5s %6.1f", pods, s; for (i = 2; i <= NF; i++) printf " %14.3f", ($i - a[i]) / hz / s; print ""}'
}
# until_line waits for a line of a file (a pattern) that tare writes while it runs.
until_line() {
  until grep -q "$1" $2 2>/dev/null; do
    kill -0 "$3" || exit 1
    sleep 0.1
  done
}

printf '%5s %6s %14s %14s %14s %14s\n' pods s kube-apiserver kubelet containerd tare
for pods in ${CLIENTS:-0 1 10 40}; do
  if [ "$pods" = 0 ]; then
    before=$(now $$)
    sleep "$seconds"
    row 0 "$before" "$(now $$)"
    continue
  fi
  run=$out/$pods
  rm -rf "$run"
  cat >"$run.yaml" <<SPEC
apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: logs-$pods}
database: {config: {innodb_buffer_pool_size: 256M}}
data: {tables: 1, rows: 1000}
load: {engine: tare, workload: oltp_point_select, threads: 40, rate: 200/s, from: {namespace: tare, image: "localhost/tare:1", clients: $pods, cpuRequest: 10m}}
protocol: {kind: windows, rounds: 1, warmup: 5s, measure: ${seconds}s, ready: 5m, aa: false, seed: 1}
baseline: pod
arms:
  pod: {target: kubernetes, namespace: tare, image: "localhost/mysql:1"}
  again: {target: kubernetes, namespace: tare, image: "localhost/mysql:1"} # two are required; the first trial is measured
SPEC
  "$lab/bin/tare" check "$run.yaml" >/dev/null
  "$lab/bin/tare" run "$run.yaml" --out "$run" >"$run.txt" 2>"$run.log" &
  tare=$!
  until_line '"interval".*"end_s":[1-9]' "$run/trials/001-*/stream.jsonl" $tare
  before=$(now $tare)
  sleep $((seconds - 10))
  after=$(now $tare)
  row "$pods" "$before" "$after"
  wait $tare
  tare=
done
