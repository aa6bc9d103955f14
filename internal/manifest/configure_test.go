package manifest

import "testing"

// TestProjectedVolume: every ConfigMap of a projected volume configures the
// server, and one that is not among the files is missed.
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
	if got := all[0].Config.Missing; len(got) != 1 || got[0] != "ConfigMap three is not among the files" {
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
