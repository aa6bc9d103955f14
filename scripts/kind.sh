#!/bin/sh
# A cluster of kind (https://kind.sigs.k8s.io) for the tests that need a cluster:
#
#   scripts/kind.sh up TARE DIR    starts it, with TARE's image, and writes DIR/env
#   scripts/kind.sh down           deletes it
#
# Then: set -a; . DIR/env; make cluster-test. Needs docker, kind, kubectl and root for the
# routes to pods and Services, because the load comes from this machine.
set -eu
name=tare

if [ "$1" = down ]; then
	exec kind delete cluster --name $name
fi
tare=$2 dir=$3
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
admin=$dir/admin.kubeconfig

# Pods may run on all three nodes, as in the lab.
cat >"$dir/kind.yaml" <<YAML
kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
nodes:
  - role: control-plane
    kubeadmConfigPatches:
      - |
        kind: InitConfiguration
        nodeRegistration: {taints: []}
  - role: worker
  - role: worker
YAML
kind create cluster --name $name --config "$dir/kind.yaml" --kubeconfig "$admin" --wait 5m

# The images by the names that the tests use.
docker pull mysql:8.4
docker tag mysql:8.4 localhost/mysql:1
mkdir -p "$dir/image"
cp "$tare" "$dir/image/tare"
printf 'FROM scratch\nCOPY tare /tare\nENTRYPOINT ["/tare"]\n' >"$dir/image/Dockerfile"
docker build --tag localhost/tare:1 "$dir/image"
kind load docker-image --name $name localhost/mysql:1 localhost/tare:1

# tare's account with the permissions of docs/, and a kubeconfig of its own.
kubectl --kubeconfig "$admin" apply -f docs/kubernetes-rbac.yaml -l 'tarebench.io/capability notin (network)'
token=$(kubectl --kubeconfig "$admin" --namespace tare create token tare --duration 6h)
cp "$admin" "$dir/tare.kubeconfig"
kubectl --kubeconfig "$dir/tare.kubeconfig" config set-credentials tare --token "$token" >/dev/null
kubectl --kubeconfig "$dir/tare.kubeconfig" config set-context --current --user tare >/dev/null
kubectl --kubeconfig "$dir/tare.kubeconfig" config unset "users.kind-$name" >/dev/null

# Pods and Services are reached by way of their nodes.
kubectl --kubeconfig "$admin" get nodes -o jsonpath='{range .items[*]}{.spec.podCIDR}{" "}{.status.addresses[?(@.type=="InternalIP")].address}{"\n"}{end}' |
	while read -r pods node; do
		ip route replace "$pods" via "$node"
		ip route replace 10.96.0.0/16 via "$node"
	done

cat >"$dir/env" <<ENV
TARE_TEST_KUBECONFIG=$dir/tare.kubeconfig
TARE_TEST_ADMIN=$admin
TARE_TEST_NODES="$name-worker $name-worker2"
ENV
