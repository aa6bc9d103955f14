#!/bin/sh
# Runs an operator from a checkout of its source in the lab that is up, until Ctrl-C:
#   lab-operator.sh LAB DIR [MAIN [ARGUMENTS...]]
# MAIN is the operator's main package, found if it is left out; the variable PROGRAM names a program that is
# built already, in its place. Its resource definitions are applied first and removed at the end, with all
# resources of those kinds. The operator starts when the API server serves them, and has the caller's
# environment: WATCH_NAMESPACE is tare unless it is set.
set -eu
lab=$1 dir=$2
shift 2
kubeconfig=$lab/run/pki/admin.kubeconfig
kubectl() { "$lab/bin/kubectl" --kubeconfig "$kubeconfig" "$@"; }
fail() {
	echo "lab-operator: $*" >&2
	exit 2
}

[ -d "$dir" ] || fail "there is no directory $dir; fetch the operator's source first"
dir=$(cd "$dir" && pwd) # the definitions are removed from another directory
[ -f "$kubeconfig" ] || fail "no lab is up; make lab-up starts one"

definitions=
for at in config/crd/bases deploy/crds deploy/crd.yaml config/crd/bases.yaml; do
	[ -e "$dir/$at" ] && definitions=$dir/$at && break
done
[ -n "$definitions" ] || fail "no resource definitions in $dir: neither config/crd/bases nor deploy/crd.yaml"

main=${1:-}
[ $# -eq 0 ] || shift
program=${PROGRAM:-}
if [ -z "$main" ] && [ -z "$program" ]; then
	for at in ./cmd/controller ./cmd/manager ./cmd/operator ./cmd . ; do
		grep -qs '^package main' "$dir/$at"/*.go && main=$at && break
	done
fi
[ -n "$main$program" ] || fail "no main package in $dir; name it: make lab-operator DIR=$dir MAIN=./cmd/NAME"

if [ -z "$program" ]; then
	program=$lab/bin/operator-under-test
	(cd "$dir" && go build -o "$program" "$main")
fi
[ -x "$program" ] || fail "$program is not a program"
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
kubectl apply --server-side --force-conflicts -f "$definitions"
kubectl wait --for=condition=Established --timeout=60s -f "$definitions"
[ ! -f "$dir/rbac.yaml" ] || kubectl apply -f "$dir/rbac.yaml"
trap 'kubectl delete --ignore-not-found --wait=false -f "$definitions"' EXIT
trap 'exit 130' INT TERM
echo "lab-operator: $program runs; press Ctrl-C to end it" >&2
cd "$dir"
KUBECONFIG=$kubeconfig WATCH_NAMESPACE=${WATCH_NAMESPACE:-tare} "$program" "$@"
