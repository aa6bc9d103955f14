#!/bin/sh
# In the emulated machine of research/guest.sh, whose kernel has cgroup v2 alone: the lab, what its kubelet
# and runc write into the cgroups of pods, and a run of tare in pods.
# lab-guest.sh PROGRAMS-OF-THE-LAB ROOTFS LAB-TEST NODE-TEST. What was read goes to /out.
set -eu
programs=$1 rootfs=$2 lab_test=$3 node_test=$4
here=$(cd "$(dirname "$0")/.." && pwd)

(cd "$here/internal/node" && "$node_test" -test.v -test.run '^TestAsAKubelet$')

# In memory: the machine's disk is below an overlay, on which there can be no other.
mkdir -p /dev/shm/lab
cp -a "$programs" /dev/shm/lab/bin
lab=/dev/shm/lab/bin/lab
export KUBECONFIG=/dev/shm/lab/run/pki/admin.kubeconfig
"$lab" up -mysql "$rootfs"
"$lab" load localhost/tare:1 /dev/shm/lab/bin/tare /tare
"$lab" status

cd "$here/lab"
kubectl() { /dev/shm/lab/bin/kubectl "$@"; }
if ! TARE_TEST_LAB=$lab "$lab_test" -test.v -test.run '^TestCgroups$'; then
	kubectl apply -f cgroups.yaml
	for pod in besteffort burstable guaranteed exclusive; do
		kubectl wait "pod/$pod" --for=condition=Ready --timeout=900s
	done
	TARE_TEST_LAB=$lab sh cgroups.sh besteffort burstable guaranteed exclusive >/out/cgroups.txt # the new fixture
	exit 1
fi

kubectl apply -f "$here/docs/kubernetes-rbac.yaml" -l 'tarebench.io/capability notin (network)'
cat >/dev/shm/unified.yaml <<EOF
apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: unified-pods}
database: {config: {innodb_buffer_pool_size: 32M, innodb_redo_log_capacity: 8M}}
data: {tables: 1, rows: 200}
load: {workload: oltp_point_select, threads: 2}
protocol: {kind: windows, rounds: 1, warmup: 0s, measure: 10s, ready: 1200s, aa: false, voids: 0}
baseline: besteffort
defaults: {target: kubernetes, namespace: tare, image: localhost/mysql:1, node: n3, clientImage: localhost/tare:1, probeNamespace: tare-probe}
arms:
  besteffort: {qos: BestEffort}
  guaranteed: {qos: Guaranteed, cpu: 500m, memory: 1Gi} # its volume is in memory, too
EOF
export TARE_STATE=/dev/shm/state KUBECONFIG=/dev/shm/lab/run/pki/tare.kubeconfig
# The console is a terminal, and this is a log.
/dev/shm/lab/bin/tare run /dev/shm/unified.yaml --out /dev/shm/run 2>/dev/shm/progress || { cat /dev/shm/progress; exit 1; }
/dev/shm/lab/bin/tare report /dev/shm/run
/dev/shm/lab/bin/tare explain /dev/shm/run
cp -r /dev/shm/run/trials /out/trials
"$lab" down
test -z "$(find /sys/fs/cgroup -name 'tarelab*')"
