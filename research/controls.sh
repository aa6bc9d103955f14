#!/bin/sh
# Measures tare on this machine with a real MySQL, against what is known beforehand.
# Nothing else may run meanwhile. Finished runs in OUT are kept, so that it can be
# started again; results stand in OUT.
#
#   research/controls.sh dose|factors|blind|capacity TARE ROOTFS OUT [ROUNDS] [WARMUP] [MEASURE] [TRIALS]
#
#   dose     waits of 0, 10, 20, 40 and 80 ms in each transaction of 60 ms and more: the slope
#            of the measured effect on the arithmetic's lies within 0.97 and 1.03
#   factors  a CPU quota and a layer that cannot matter: the loss is attributed to the
#            quota, the other's interval covers 0
#   blind    TRIALS times one of {nothing, a wait that makes a transaction 5 % longer, 95 % of
#            the CPU time used}, drawn by the machine and not printed before the result is
#            there: what the arm cost names it in 9 of 10
#   capacity a server whose connections sleep for a known time: the interval of the capacity
#            contains that of a queue with as many servers, simulated step by step
set -eu
what=$1 tare=$2 rootfs=$3 out=$4 rounds=${5:-8} warmup=${6:-2s} measure=${7:-8s} trials=${8:-10}
here=$(cd "$(dirname "$0")/controls" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
(cd "$here/../.." && go build -o "$out/judge" ./research/judge)

# The client has CPU 0 and the server CPU 1, and neither sleeps while it waits for the
# other: a CPU that sleeps longer wakes up later, and a guest's leaves the machine to do so,
# which arithmetic knows nothing of (Documentation/virt/guest-halt-polling.rst). On one CPU
# for both, what the server does in the background comes out of the client's wait.
poll=/sys/module/haltpoll/parameters/guest_halt_poll_ns
if [ -w $poll ]; then
  was=$(cat $poll)
  trap 'echo "$was" >$poll' EXIT
  trap 'exit 130' INT TERM
  echo 10000000 >$poll
fi

# measure NAME TEMPLATE SEED SECRET: runs it unless it has been run, and writes NAME.json.
measure() {
  cp "$here/waits.yaml" "$here/sleeps.yaml" "$out"
  sed "s#SERVER#rootfs: $rootfs#; s/ROUNDS/$rounds/; s/WARMUP/$warmup/; s/MEASURE/$measure/; s/SEED/$3/; s/SECRET/$4/" \
    "$here/$2.yaml" >"$out/$1.yaml"
  [ -e "$out/$1/verdict.json" ] || taskset -c 0 "$tare" run "$out/$1.yaml" --out "$out/$1" >"$out/$1.txt" 2>"$out/$1.log"
  "$tare" report "$out/$1" --format json >"$out/$1.json"
}

# draw writes one of the three into the file named.
draw() {
  [ -e "$1" ] || case $(($(od -An -N2 -tu2 /dev/urandom) % 3)) in
  0) echo nothing ;; 1) echo delay ;; 2) echo quota ;;
  esac >"$1"
}

blind() {
  measure blind-0 blind 0 'config: {lock_wait_timeout: 86400}'
  used=$("$out/judge" cpus "$out/blind-0.json")
  wait=$("$out/judge" wait "$out/blind-0.json")
  right=0 n=1
  while [ "$n" -le "$trials" ]; do
    draw "$out/blind-$n.secret"
    case $(cat "$out/blind-$n.secret") in
    nothing) secret='config: {lock_wait_timeout: 86400}' ;;
    delay) secret="config: {lock_wait_timeout: $((86400 + wait))}" ;;
    quota) secret="config: {lock_wait_timeout: 86400}, quota: ${used}m" ;;
    esac
    measure "blind-$n" blind "$n" "$secret"
    result=$("$out/judge" name "$out/blind-$n.json") named=${result##* }
    [ "$named" != "$(cat "$out/blind-$n.secret")" ] || right=$((right + 1))
    echo "trial $n: $result, was $(cat "$out/blind-$n.secret")"
    n=$((n + 1))
  done
  echo "$right of $trials named"
  [ $((right * 10)) -ge $((trials * 9)) ]
}

case $what in
dose | factors | capacity)
  measure "$what" "$what" 1 ''
  "$out/judge" "$what" "$out/$what.json"
  ;;
blind) blind ;;
*)
  echo "unknown control $what: dose, factors, blind or capacity" >&2
  exit 2
  ;;
esac
