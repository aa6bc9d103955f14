#!/bin/sh
# One experiment over three places, in the lab that is up: a pod, an operator's database and an external
# server with TLS, whose certificate and name are verified; all loaded, and filled, from the same two pods:
#   lab-places.sh LAB ROOTFS DIRECTORY GIGABYTES
# The external server is a mysqld of this machine on the lab's network.
set -eu
lab=$1 rootfs=$2 out=$3 size=$4
here=$(cd "$(dirname "$0")/.." && pwd)
admin=$lab/run/pki/admin.kubeconfig address=10.200.0.1 port=3307
[ -f "$admin" ] || { echo "lab-places: no lab is up; make lab-up starts one" >&2; exit 2; }
mkdir -p "$out"
out=$(cd "$out" && pwd)
rm -rf "$out/run"
data=$(mktemp -d "$rootfs/srv/tare-external.XXXXXX")
inside=${data#"$rootfs"}
server= operator=
# kill fails where they have ended already.
trap 'for p in $server $operator; do kill "$p" || true; wait "$p" || true; done; rm -rf "$data"' EXIT
trap 'exit 130' INT TERM

# An authority of our own, and a certificate for the server's address.
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=lab-places -keyout "$data/ca-key.pem" -out "$out/ca.pem" 2>"$out/openssl.log"
openssl req -newkey rsa:2048 -nodes -subj "/CN=$address" -keyout "$data/key.pem" -out "$data/request.pem" 2>>"$out/openssl.log"
printf 'subjectAltName=IP:%s\n' "$address" >"$data/names"
openssl x509 -req -in "$data/request.pem" -CA "$out/ca.pem" -CAkey "$data/ca-key.pem" -CAcreateserial -days 2 -extfile "$data/names" -out "$data/cert.pem" 2>>"$out/openssl.log"

DB_PASSWORD=$(openssl rand -hex 16)
export DB_PASSWORD
printf "CREATE USER bench IDENTIFIED BY '%s' REQUIRE SSL;\nGRANT ALL ON *.* TO bench;\n" "$DB_PASSWORD" >"$data/accounts.sql"
chroot "$rootfs" mysqld --no-defaults --user=root --datadir="$inside/data" --initialize-insecure 2>"$out/external.log"
chroot "$rootfs" mysqld --no-defaults --user=root --datadir="$inside/data" --socket="$inside/s" --mysqlx=0 --bind-address="$address" --port=$port \
  --ssl-cert="$inside/cert.pem" --ssl-key="$inside/key.pem" --init-file="$inside/accounts.sql" --innodb-buffer-pool-size=256M --secure-file-priv=NULL --disable-log-bin --local-infile=ON 2>>"$out/external.log" &
server=$!

"$lab/bin/kubectl" --kubeconfig "$admin" apply -l 'tarebench.io/capability notin (network, kubelet, probe)' -f "$here/docs/kubernetes-rbac.yaml" \
  -f "$here/lab/operator/config/crd/bases" -f "$here/lab/operator/rbac.yaml"
"$lab/bin/operator" -kubeconfig "$admin" -descriptor "$here/lab/operator/descriptor.yaml" 2>"$out/operator.log" &
operator=$!

# A row of sysbench's tables with its index takes about 250 bytes. A binary log would have all of them again.
cat >"$out/places.yaml" <<SPEC
apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: places}
database: {config: {innodb_buffer_pool_size: 256M, disable_log_bin: ON}}
data: {tables: 10, rows: $((400000 * size)), each: keep}
load: {engine: tare, workload: oltp_read_only, threads: 8, from: {namespace: tare, image: "localhost/tare:1", clients: 2}}
protocol: {rounds: 3, warmup: 3s, measure: 10s, ready: 60m, aa: false, voids: 0, seed: 2023}
baseline: pod
arms:
  pod: {target: kubernetes, namespace: tare, image: "localhost/mysql:1", address: service, volumeSize: $((2 * size + 2))Gi}
  operator: {target: kubernetes, namespace: tare, operator: $here/lab/operator/descriptor.yaml, members: 1, volumeSize: $((2 * size + 2))Gi}
  external: {target: external, host: $address, port: $port, user: bench, passwordEnv: DB_PASSWORD, ca: $out/ca.pem, tls: verify-identity}
SPEC
until [ -S "$data/s" ]; do
  kill -0 "$server" || { cat "$out/external.log" >&2; exit 1; }
  sleep 0.2
done
KUBECONFIG=$lab/run/pki/tare.kubeconfig "$lab/bin/tare" run "$out/places.yaml" --out "$out/run" >"$out/places.txt"
cat "$out/places.txt"
