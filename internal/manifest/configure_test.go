package manifest

import "testing"

// TestProjectedVolume: every ConfigMap of a projected volume configures the
// server, and one that is not in the files is missed.
func TestProjectedVolume(t *testing.T) {
	text := `
kind: ConfigMap
metadata: {name: one}
data: {a.cnf: "[mysqld]\nmax_connections=10"}
---
kind: ConfigMap
metadata: {name: two}
data: {b.cnf: "[mysqld]\nsync_binlog=0"}
---
kind: Pod
metadata: {name: db}
spec:
  volumes:
  - name: conf
    projected: {sources: [{configMap: {name: one}}, {secret: {name: s}}, {configMap: {name: three}}, {configMap: {name: two}}]}
  containers: [{name: m, image: "mysql:8.4", volumeMounts: [{name: conf, mountPath: /etc/mysql/conf.d}]}]
`
	set, problems := Read([]Source{{Name: "p.yaml", Text: []byte(text)}}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	all := set.Databases()
	if len(all) != 1 {
		t.Fatalf("%d databases: a ConfigMap that a pod mounts is not one by itself", len(all))
	}
	for _, name := range []string{"max_connections", "sync_binlog"} {
		if _, ok := all[0].Option(name); !ok {
			t.Errorf("%s was not read", name)
		}
	}
	if got := all[0].Config.Missing; len(got) != 1 || got[0].String() != "ConfigMap three is not in the files" {
		t.Errorf("missing: %q", got)
	}
}

// TestPatchIsNoDatabase: a patch of an operator's resource (kustomize, or a test
// that takes a finalizer off) says nothing of the server.
func TestPatchIsNoDatabase(t *testing.T) {
	text := "apiVersion: ps.percona.com/v1\nkind: PerconaServerMySQL\nmetadata: {name: db, finalizers: []}\n"
	for want, spec := range []string{"", "spec: {mysql: {size: 3}}\n"} {
		set, _ := Read([]Source{{Name: "p.yaml", Text: []byte(text + spec)}}, nil)
		if got := len(set.Databases()); got != want {
			t.Errorf("%q: %d databases", spec, got)
		}
	}
}

// TestGaleraByItsOptions: a member of a cluster that no operator runs is one by what
// it is told; one whose wsrep_on is off is not.
func TestGaleraByItsOptions(t *testing.T) {
	for text, want := range map[string]string{
		"[galera]\nwsrep_on=ON\nwsrep_provider=/x.so\n": "galera", "[mysqld]\nwsrep_on=OFF\nwsrep_slave_threads=2\n": "", "[mysqld]\nsync_binlog=0\n": "",
	} {
		set, problems := Read([]Source{{Name: "my.cnf", Text: []byte(text)}}, nil)
		if all := set.Databases(); len(problems) > 0 || len(all) != 1 || all[0].Replication != want {
			t.Errorf("%q: %+v %v, want %q", text, all, problems, want)
		}
	}
}

// TestChartTestIsNoDatabase: a pod that Helm runs to test a release is a client.
func TestChartTestIsNoDatabase(t *testing.T) {
	pod := func(hook string) string {
		return "{kind: Pod, metadata: {name: p, annotations: {helm.sh/hook: " + hook + "}}, spec: {containers: [{name: m, image: 'mysql:8.4'}]}}"
	}
	for hook, want := range map[string]int{"test-success": 0, "'post-install, test'": 0, "post-install": 1} {
		set, problems := Read([]Source{{Name: "p.yaml", Text: []byte(pod(hook))}}, nil)
		if all := set.Databases(); len(problems) > 0 || len(all) != want {
			t.Errorf("%s: %d databases, %v", hook, len(all), problems)
		}
	}
}
