package main

import (
	"fmt"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// start is the script of a server's container. Of several members the first is the source, and
// the others are its semisynchronous replicas: each begins with no data of its own, and
// statements of the accounts are in no binary log. A replica tries for as long as the source takes to
// start; since MySQL 8.4 it gives up after 10 attempts unless told otherwise.
const start = `set -eu
cd /var/lib/mysql
ordinal=${HOSTNAME##*-}
printf "SET SESSION sql_log_bin=0;\nALTER USER root@localhost IDENTIFIED BY '%s';\nCREATE USER IF NOT EXISTS root@'%%' IDENTIFIED BY '%s';\nGRANT ALL ON *.* TO root@'%%' WITH GRANT OPTION;\n" "$PASSWORD" "$PASSWORD" >/tmp/init.sql
set -- --server-id=$((ordinal + 1))
if [ "$MEMBERS" -gt 1 ]; then
	set -- "$@" --gtid-mode=ON --enforce-gtid-consistency=ON --skip-replica-start --report-host="$HOSTNAME.$DOMAIN"
	if [ "$ordinal" = 0 ]; then
		set -- "$@" --plugin-load-add=semisync_source.so --loose-rpl-semi-sync-source-enabled=1 --loose-rpl-semi-sync-source-timeout=600000
	else
		set -- "$@" --plugin-load-add=semisync_replica.so --loose-rpl-semi-sync-replica-enabled=1 --read-only=1
		printf "CHANGE REPLICATION SOURCE TO SOURCE_HOST='%s-0.%s', SOURCE_USER='root', SOURCE_PASSWORD='%s', SOURCE_AUTO_POSITION=1, GET_SOURCE_PUBLIC_KEY=1, SOURCE_CONNECT_RETRY=1, SOURCE_RETRY_COUNT=86400;\nSTART REPLICA;\n" "${HOSTNAME%-*}" "$DOMAIN" "$PASSWORD" >>/tmp/init.sql
	fi
fi
[ -d data/mysql ] || mysqld --no-defaults --datadir=/var/lib/mysql/data --initialize-insecure
exec mysqld --defaults-file=/etc/standin/my.cnf --datadir=/var/lib/mysql/data --socket=/tmp/mysqld.sock --mysqlx=0 --secure-file-priv=NULL --init-file=/tmp/init.sql "$@"
`

// options is the server's option file: the operator's defaults, then what the resource
// asks for, then what the operator does not let anybody change, of which the last counts.
func (d descriptor) options(u *unstructured.Unstructured, reverted []string) string {
	var b strings.Builder
	b.WriteString("[mysqld]\ninnodb_buffer_pool_size=64M\n")
	for _, s := range d.Sets {
		fmt.Fprintf(&b, "%s=%s\n", s.Option, s.Value)
	}
	fmt.Fprintln(&b, textOf(u, d.Fields.Config, ""))
	b.WriteString("[mysqld]\n")
	for _, option := range reverted {
		fmt.Fprintln(&b, option)
	}
	return b.String()
}

// objects are what the database consists of, but for the Secret, which comes late.
func (d descriptor) objects(u *unstructured.Unstructured, reverted []string) []*unstructured.Unstructured {
	name := u.GetName()
	labels := namedAll(d.Pods.Selector, name)
	primary := maps.Clone(labels)
	maps.Copy(primary, namedAll(d.Pods.Primary, name))
	via := d.Via[0]
	meta := func(object string) map[string]any {
		return map[string]any{"name": object, "namespace": u.GetNamespace(), "labels": labels}
	}
	return []*unstructured.Unstructured{
		{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta(name + "-config"),
			"data": map[string]any{"my.cnf": d.options(u, reverted), "start.sh": start}}},
		{Object: map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": meta(named(via.Service, name)),
			"spec": map[string]any{"type": textOf(u, via.Exposure, "ClusterIP"), "selector": primary,
				"ports": []any{map[string]any{"name": "mysql", "port": via.Port}}}}},
		// The members' own names, also of those that are not ready yet.
		{Object: map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": meta(domain(name)),
			"spec": map[string]any{"clusterIP": "None", "publishNotReadyAddresses": true, "selector": labels,
				"ports": []any{map[string]any{"name": "mysql", "port": int64(3306)}}}}},
		{Object: map[string]any{"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": meta(name),
			"spec": map[string]any{
				"serviceName": domain(name), "replicas": d.members(u), "podManagementPolicy": "Parallel", "selector": map[string]any{"matchLabels": labels},
				"template":             map[string]any{"metadata": map[string]any{"labels": labels}, "spec": d.pod(u, labels)},
				"volumeClaimTemplates": []any{d.claim(u, labels)},
			}}},
	}
}

// domain is the name of the Service that gives each member a name.
func domain(name string) string { return name + "-members" }

// members is how many servers the resource asks for.
func (d descriptor) members(u *unstructured.Unstructured) int64 {
	if n, ok := field(u, d.Fields.Members).(int64); ok && n > 0 {
		return n
	}
	return 1
}

func (d descriptor) pod(u *unstructured.Unstructured, labels map[string]any) map[string]any {
	name := u.GetName()
	container := map[string]any{
		"name": d.Pods.Container, "image": textOf(u, d.Fields.Image, ""), "imagePullPolicy": "IfNotPresent", "command": []any{"sh", "/etc/standin/start.sh"},
		"env": []any{
			map[string]any{"name": "PASSWORD", "valueFrom": map[string]any{"secretKeyRef": map[string]any{"name": named(d.Login.Secret, name), "key": d.Login.PasswordKey}}},
			map[string]any{"name": "MEMBERS", "value": fmt.Sprint(d.members(u))}, map[string]any{"name": "DOMAIN", "value": domain(name)},
		},
		"ports":          []any{map[string]any{"name": "mysql", "containerPort": int64(3306)}},
		"readinessProbe": map[string]any{"tcpSocket": map[string]any{"port": "mysql"}, "periodSeconds": int64(1)},
		"volumeMounts": []any{
			map[string]any{"name": "data", "mountPath": "/var/lib/mysql"}, map[string]any{"name": "config", "mountPath": "/etc/standin"},
			map[string]any{"name": "tmp", "mountPath": "/tmp"},
		},
	}
	if resources, ok := field(u, d.Fields.Resources).(map[string]any); ok {
		container["resources"] = resources
	}
	return map[string]any{
		"terminationGracePeriodSeconds": int64(30),
		"securityContext":               map[string]any{"runAsUser": int64(999), "runAsGroup": int64(999), "fsGroup": int64(999)},
		"containers":                    []any{container},
		"topologySpreadConstraints": []any{map[string]any{"maxSkew": int64(1), "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule",
			"labelSelector": map[string]any{"matchLabels": labels}}},
		"volumes": []any{
			map[string]any{"name": "config", "configMap": map[string]any{"name": name + "-config"}},
			map[string]any{"name": "tmp", "emptyDir": map[string]any{}},
		},
	}
}

func (d descriptor) claim(u *unstructured.Unstructured, labels map[string]any) map[string]any {
	spec := map[string]any{"accessModes": []any{"ReadWriteOnce"},
		"resources": map[string]any{"requests": map[string]any{"storage": textOf(u, d.Fields.Size, "1Gi")}}}
	if class := textOf(u, d.Fields.StorageClass, ""); class != "" {
		spec["storageClassName"] = class
	}
	return map[string]any{"metadata": map[string]any{"name": "data", "labels": labels}, "spec": spec}
}

// secret is the login. Nothing owns it, so it stays when the resource is gone.
func (d descriptor) secret(u *unstructured.Unstructured, password string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret",
		"metadata":   map[string]any{"name": named(d.Login.Secret, u.GetName()), "namespace": u.GetNamespace()},
		"stringData": map[string]any{d.Login.PasswordKey: password}}}
}

// The stages before the descriptor's value for a database that is ready.
const (
	creating     = "Creating"
	initializing = "Initializing"
)

// phase is the next status of the resource: it passes through every stage, one at a time.
// ready is of all members.
func (d descriptor) phase(now string, pod, secret, ready bool) string {
	switch {
	case now == "", now == creating && !pod:
		return creating
	case now == creating || !secret || !ready:
		return initializing
	}
	return d.Ready.Values[0]
}
