#!/bin/sh
# What a real kubelet and runc write for a pod: cgroups.sh POD... prints the files
# of cgroup v1 or v2 of the node, the class, the pod and its first container, each as
# POD/LEVEL/FILE = VALUE, and the OOM score of its first process. The pods run in
# the lab (make lab-up). The fixtures of internal/node are made with it.
set -eu
bin=$(dirname "${TARE_TEST_LAB:-$(dirname "$0")/../.cache/lab/bin/lab}")
kubectl() { "$bin/kubectl" --kubeconfig "$bin/../run/pki/admin.kubeconfig" "$@"; }

root=/sys/fs/cgroup
processes=cpu # a hierarchy that holds them: . where there is one
files="cpu/cpu.shares cpu/cpu.cfs_quota_us cpu/cpu.cfs_period_us cpuset/cpuset.cpus cpuset/cpuset.mems
	memory/memory.limit_in_bytes memory/memory.memsw.limit_in_bytes memory/memory.soft_limit_in_bytes memory/memory.oom_control memory/memory.swappiness pids/pids.max"
if [ -e $root/cgroup.controllers ]; then
	processes=.
	files="./cpu.weight ./cpu.max ./cpuset.cpus ./cpuset.cpus.effective ./cpuset.mems
		./memory.min ./memory.low ./memory.high ./memory.max ./memory.swap.max ./memory.oom.group ./pids.max"
fi

show() { # LABEL DIRECTORY-BELOW-THE-CONTROLLER
	for file in $files; do
		f=$root/${file%%/*}/$2/${file#*/}
		[ -e "$f" ] && echo "$1/${file#*/} = $(head -n 1 "$f")"
	done
	return 0
}

for pod in "$@"; do
	set -- $(kubectl get pod "$pod" -o 'jsonpath={.spec.nodeName} {.metadata.uid} {.status.qosClass} {.status.containerStatuses[0].containerID}')
	node=tarelab/$1/kubepods class=$node/ id=${4#containerd://}
	[ "$3" = Guaranteed ] || class=$node/$(echo "$3" | tr '[:upper:]' '[:lower:]')/
	show "$pod/node" "$node"
	show "$pod/class" "$class"
	show "$pod/pod" "${class}pod$2"
	show "$pod/container" "${class}pod$2/$id"
	process=$(head -n 1 "$root/$processes/${class}pod$2/$id/cgroup.procs")
	echo "$pod/container/oom_score_adj = $(cat "/proc/$process/oom_score_adj")"
done
