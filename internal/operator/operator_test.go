package operator

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

func find(t *testing.T, name string) Descriptor {
	t.Helper()
	d, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestNames: the names that an arm may write.
func TestNames(t *testing.T) {
	want := []string{"innodbcluster", "kubeblocks", "mariadb", "perconaservermysql", "perconaxtradbcluster"}
	if diff := cmp.Diff(want, Names()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestResource: an arm's settings are where the operator reads them.
func TestResource(t *testing.T) {
	d := find(t, "perconaxtradbcluster")
	got, err := d.Resource("tare-1", Settings{Via: "proxy", Members: 1, CPU: "4", Memory: "16Gi", StorageClass: "gp3", VolumeSize: "200Gi", Config: map[string]string{"sync_binlog": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]any{
		"kind": "PerconaXtraDBCluster", "apiVersion": "pxc.percona.com/v1", "metadata.name": "tare-1",
		"spec.secretsName": "tare-1-secrets", "spec.pxc.size": int64(1), "spec.unsafeFlags.pxcSize": true,
		"spec.haproxy.enabled": true, "spec.pxc.configuration": "[mysqld]\nsync_binlog=1\n",
		"spec.pxc.resources.limits.memory": "16Gi", "spec.pxc.resources.requests.cpu": "4",
		"spec.pxc.volumeSpec.persistentVolumeClaim.storageClassName":           "gp3",
		"spec.pxc.volumeSpec.persistentVolumeClaim.resources.requests.storage": "200Gi",
	} {
		if diff := cmp.Diff(want, look(got, path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	k, err := find(t, "kubeblocks").Resource("tare-1", Settings{Variant: "apecloud-mysql", Members: 3, Memory: "4Gi"})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]any{
		"spec.componentSpecs[name=mysql].componentDef":            "apecloud-mysql",
		"spec.componentSpecs[name=mysql].replicas":                int64(3),
		"spec.componentSpecs[name=mysql].resources.limits.memory": "4Gi",
	} {
		if diff := cmp.Diff(want, look(k, path)); diff != "" {
			t.Errorf("kubeblocks %s (-want +got):\n%s", path, diff)
		}
	}
}

// TestPrimary: the label of the server that takes writes is that of the variant.
func TestPrimary(t *testing.T) {
	d := find(t, "kubeblocks")
	for variant, want := range map[string]string{"": "primary", "mysql": "primary", "group-replication": "primary", "apecloud-mysql": "leader"} {
		if got := d.Primary(Settings{Variant: variant})["kubeblocks.io/role"]; got != want {
			t.Errorf("variant %q: role %q, want %q", variant, got, want)
		}
	}
	if got := find(t, "perconaxtradbcluster").Primary(Settings{}); len(got) > 0 {
		t.Errorf("any member of a Galera cluster takes writes, not only one with %v", got)
	}
}

// TestSetsOf: a variant's own options replace the descriptor's, and the rest of them stay.
func TestSetsOf(t *testing.T) {
	d := find(t, "kubeblocks")
	for variant, want := range map[string]string{"": "ON", "mysql": "ON", "group-replication": "ON", "apecloud-mysql": "OFF"} {
		got := map[string][]string{}
		for _, s := range d.SetsOf(variant) {
			got[s.Option] = append(got[s.Option], s.Value)
		}
		if diff := cmp.Diff([]string{want}, got["general_log"]); diff != "" || len(got) != len(d.Sets) {
			t.Errorf("variant %q: %v %s", variant, got, diff)
		}
	}
}

// TestFormOf: options of one form of the resource are not claimed for another, whether tare makes the resource or a
// user has.
func TestFormOf(t *testing.T) {
	own := func(spec string) map[string]any {
		var r map[string]any
		if err := yaml.Unmarshal([]byte("spec: "+spec), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, c := range []struct {
		name string
		s    Settings
		want string
	}{
		{"mariadb", Settings{}, "binlog_format innodb_autoinc_lock_mode"},
		{"mariadb", Settings{Members: 1}, ""},
		{"mariadb", Settings{Variant: "replication"}, "log_bin sync_binlog"},
		{"mariadb", Settings{Resource: own("{galera: {enabled: true}}")}, "binlog_format innodb_autoinc_lock_mode"},
		{"mariadb", Settings{Resource: own("{replication: {enabled: true}}")}, "log_bin sync_binlog"},
		{"mariadb", Settings{Resource: own("{galera: {enabled: false}}")}, ""},
		{"perconaservermysql", Settings{Resource: own("{mysql: {clusterType: async}}")}, "gtid_mode enforce_gtid_consistency"},
	} {
		d := find(t, c.name)
		r, err := d.Resource("tare-1", c.s)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range d.SetsIn(r, c.s) {
			got = append(got, s.Option)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %+v sets %v, want %s", c.name, c.s, got, c.want)
		}
	}
	for spec, want := range map[string]string{"{mysql: {clusterType: async}}": "async", "{mysql: {}}": "group-replication"} {
		r := own(spec)
		if got := find(t, "perconaservermysql").FormOf(func(path string) string { return fmt.Sprint(look(r, path)) }); got.Name != want {
			t.Errorf("%s is of the form %s, want %s", spec, got.Name, want)
		}
	}
}

// TestOwnResource: the user's own resource keeps what the arm does not set.
func TestOwnResource(t *testing.T) {
	own := map[string]any{"metadata": map[string]any{"name": "mine"}, "spec": map[string]any{"secretName": "mine", "instances": 5.0, "router": map[string]any{"instances": 2.0}}}
	got, err := find(t, "innodbcluster").Resource("tare-1", Settings{Resource: own, Memory: "8Gi"})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]any{
		"spec.secretName": "tare-1-login", "spec.instances": int64(5), "spec.router.instances": int64(2), "metadata.name": "tare-1",
		"spec.podSpec.containers[name=mysql].resources.limits.memory": "8Gi", "spec.datadirVolumeClaimTemplate": nil,
	} {
		if diff := cmp.Diff(want, look(got, path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	if own["spec"].(map[string]any)["podSpec"] != nil || own["metadata"].(map[string]any)["name"] != "mine" {
		t.Error("the caller's resource has been changed")
	}
}

// TestOwnResourceAlone: a resource of the user's own has the Secrets of tare's database, and nothing that leads to the buckets
// and servers of the one that it was read from. What it has of those is named, or taken out.
func TestOwnResourceAlone(t *testing.T) {
	for _, c := range []struct{ name, spec, out, path, secret string }{
		{"innodbcluster", "{secretName: shop-root, backupSchedules: [{name: nightly}], backupProfiles: [{name: s3}]}", "spec.backupSchedules, spec.backupProfiles", "spec.secretName", "tare-1-login"},
		{"mariadb", "{rootPasswordSecretKeyRef: {name: shop, key: root}, bootstrapFrom: {s3: {bucket: prod}}}", "spec.bootstrapFrom", "spec.rootPasswordSecretKeyRef.name", "tare-1-login"},
		{"perconaxtradbcluster", "{secretsName: shop, pxc: {size: 3, replicationChannels: [{name: prod}]}, backup: {pitr: {enabled: true}, schedule: [{name: daily}]}}", "spec.backup.schedule, spec.backup.pitr, spec.pxc.replicationChannels", "spec.secretsName", "tare-1-secrets"},
		{"perconaservermysql", "{secretsName: shop, mysql: {size: 3}, backup: {schedule: [{name: daily}], pitr: {enabled: false}}}", "spec.backup.schedule", "spec.secretsName", "tare-1-secrets"},
		{"kubeblocks", "{componentSpecs: [{name: mysql, replicas: 1}], backup: {enabled: true, repoName: prod}}", "spec.backup", "", ""},
	} {
		d, own := find(t, c.name), map[string]any{}
		if err := yaml.Unmarshal([]byte("spec: "+c.spec), &own); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Resource("tare-1", Settings{Resource: own}); err == nil || !strings.Contains(err.Error(), "resource: "+c.out+" would lead out of the database that tare makes") {
			t.Errorf("%s: %v", c.name, err)
		}
		if out := strings.Join(d.LeaveOut(own), ", "); out != c.out {
			t.Errorf("%s: left out: %s, want %s", c.name, out, c.out)
		}
		got, err := d.Resource("tare-1", Settings{Resource: own})
		if err != nil {
			t.Fatal(err)
		}
		if c.path != "" && look(got, c.path) != c.secret {
			t.Errorf("%s: %s is %v, want %s", c.name, c.path, look(got, c.path), c.secret)
		}
	}
	d := find(t, "mariadb")
	d.Own = nil
	if _, err := d.Resource("tare-1", Settings{Resource: map[string]any{"spec": map[string]any{}}}); err == nil || !strings.Contains(err.Error(), "resource: tare makes Secret {name}-login with the login, and the resource names another one or none") {
		t.Errorf("a login that tare cannot have: %v", err)
	}
}

// TestRefused: what an operator has no field for, or does not know, is said.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		s    Settings
		says string
	}{
		{"kubeblocks", Settings{Config: map[string]string{"a": "1"}}, "config: a Cluster of KubeBlocks has no field for it"},
		{"kubeblocks", Settings{Image: "x"}, "image: a Cluster of KubeBlocks has no field for it"},
		{"mariadb", Settings{Via: "proxy"}, `via: mariadb-operator has no "proxy"; write server`},
		{"mariadb", Settings{Variant: "group"}, `variant: mariadb-operator has no "group"; write galera or replication or single`},
		{"mariadb", Settings{Variant: "galera", Members: 1}, "variant: galera needs at least 2 members"},
		{"innodbcluster", Settings{Variant: "x"}, "variant: MySQL Operator has one form only"},
	} {
		if _, err := find(t, c.name).Resource("tare-1", c.s); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %+v: %v; want %q", c.name, c.s, err, c.says)
		}
	}
}

// TestSingle: one MariaDB server has no primary Service.
func TestSingle(t *testing.T) {
	d := find(t, "mariadb")
	r, err := d.Resource("tare-1", Settings{Members: 1})
	if err != nil || look(r, "spec.galera") != nil {
		t.Errorf("one member: %v, %v", r, err)
	}
	for members, want := range map[int]string{1: "tare-1", 3: "tare-1-primary"} {
		if got, port, err := d.Service("tare-1", "", members); got != want || port != 3306 || err != nil {
			t.Errorf("%d members: Service %s port %d, %v; want %s", members, got, port, err, want)
		}
	}
}

// TestState: recorded statuses of the operators (the operators' own documentation and
// tests), and one that is older than the resource's last change.
func TestState(t *testing.T) {
	for _, c := range []struct {
		name, status string
		want         State
	}{
		{"innodbcluster", "{cluster: {status: INITIALIZING}}", State{Words: "status.cluster.status is INITIALIZING"}},
		{"innodbcluster", "{cluster: {status: ONLINE, onlineInstances: 3}}", State{Ready: true, Words: "status.cluster.status is ONLINE"}},
		{"innodbcluster", "{cluster: {status: ONLINE, onlineInstances: 1}}", State{Words: "status.cluster.status is ONLINE; status.cluster.onlineInstances is 1; spec.instances is 3"}},
		{"innodbcluster", "{cluster: {status: ONLINE}}", State{Words: "status.cluster.status is ONLINE; spec.instances is 3"}},
		{"perconaxtradbcluster", "{state: error, message: [wrong image]}", State{Failed: true, Words: "status.state is error; wrong image"}},
		{"perconaservermysql", "{state: ready}", State{Ready: true, Words: "status.state is ready"}},
		{"kubeblocks", "{phase: Running, observedGeneration: 1}", State{Words: "status.phase is Running"}},
		{"kubeblocks", "{phase: Running, observedGeneration: 2}", State{Ready: true, Words: "status.phase is Running"}},
		{"mariadb", "{conditions: [{type: Ready, status: \"False\", message: Not ready}]}", State{Words: "Ready: Not ready"}},
		{"mariadb", "{conditions: [{type: Ready, status: \"True\", message: Running}]}", State{Ready: true, Words: "its status is empty"}},
		{"perconaservermysql", "{state: error, conditions: [{type: Error, status: \"True\", message: no volume}, {type: ReconcileFailed, status: \"False\", message: none}]}", State{Failed: true, Words: "status.state is error; Error: no volume"}},
		{"mariadb", "{conditions: [{type: Degraded, status: \"True\", message: one member is away}]}", State{Words: "Degraded: one member is away"}},
		{"mariadb", "{}", State{Words: "its status is empty"}},
	} {
		var r map[string]any
		if err := yaml.Unmarshal([]byte("{metadata: {generation: 2}, spec: {instances: 3}, status: "+c.status+"}"), &r); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, find(t, c.name).State(r)); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.name, c.status, diff)
		}
	}
}

const moco = `
name: moco
title: MOCO
group: moco.cybozu.com
version: v1beta2
kind: MySQLCluster
product: mysql
fields: {members: spec.replicas}
base: {spec: {replicas: 3}}
via: [{name: server, service: "moco-{name}-primary", port: 3306}]
login: {secret: "moco-{name}", user: moco-writable, passwordKey: WRITABLE_PASSWORD}
ready: {condition: Healthy}
pods: {selector: {app.kubernetes.io/instance: "{name}"}, container: mysqld}
leaves: [{resource: persistentvolumeclaims, selector: {app.kubernetes.io/instance: "{name}"}}]
`

// TestOwnDescriptor: a descriptor in a file is as good as a shipped one, and what is
// wrong with it is said.
func TestOwnDescriptor(t *testing.T) {
	file := filepath.Join(t.TempDir(), "moco.yaml")
	if err := os.WriteFile(file, []byte(moco), 0o600); err != nil {
		t.Fatal(err)
	}
	d := find(t, file)
	want := []Leaving{{Version: "v1", Resource: "persistentvolumeclaims", Selector: map[string]string{"app.kubernetes.io/instance": "tare-1"}}}
	if diff := cmp.Diff(want, d.Left("tare-1")); diff != "" || d.Account("tare-1").Secret != "moco-tare-1" {
		t.Errorf("(-want +got):\n%s%+v", diff, d.Account("tare-1"))
	}
	for _, c := range []struct{ from, to, says string }{
		{"kind: MySQLCluster\n", "", "kind is missing"},
		{"product: mysql", "product: postgres", "product is mysql or mariadb"},
		{"{name}\"}}]\n", "x\"}}]\n", "objects of other databases would be deleted"},
		{"spec.replicas}", "spec..replicas}", "a key is empty"},
		{"Healthy}", "Healthy, equal: [spec.replicas]}", "ready.equal: two paths are compared, not 1"},
		{"title:", "titel:", "unknown field \"titel\""},
	} {
		if _, err := Parse([]byte(strings.Replace(moco, c.from, c.to, 1))); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q for %q: %v; want %q", c.to, c.from, err, c.says)
		}
	}
	if _, err := Find("moco"); err == nil || !strings.Contains(err.Error(), "the shipped ones are innodbcluster, ") {
		t.Errorf("an unknown name: %v", err)
	}
}

// FuzzParse: no text makes a descriptor that panics when it is used.
func FuzzParse(f *testing.F) {
	f.Add([]byte(moco))
	for _, name := range Names() {
		text, err := shipped.ReadFile("descriptors/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<13 {
			t.Skip("longer than any descriptor")
		}
		d, err := Parse(text)
		if err != nil {
			return
		}
		r, err := d.Resource("tare-0", everything(d))
		if err == nil {
			d.State(r)
		}
		d.Left("tare-0")
	})
}
