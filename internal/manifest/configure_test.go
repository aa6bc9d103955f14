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
	if got := all[0].Config.Missing; len(got) != 2 || got[0].String() != "Secret s is not in the files" || got[1].String() != "ConfigMap three is not in the files" {
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
		"[mysqld]\nwsrep_load_data_splitting=ON\n": "",
	} {
		set, problems := Read([]Source{{Name: "my.cnf", Text: []byte(text)}}, nil)
		if all := set.Databases(); len(problems) > 0 || len(all) != 1 || all[0].Replication != want {
			t.Errorf("%q: %+v %v, want %q", text, all, problems, want)
		}
	}
}

// TestFileOfClients: an option file of clients alone, such as Debian's /etc/mysql/debian.cnf, is no server's.
func TestFileOfClients(t *testing.T) {
	for text, want := range map[string]int{
		"[client]\nuser=root\n[mysql_upgrade]\nuser=root\n": 0, "[client-server]\nsocket=/run/mysqld/mysqld.sock\n": 1, "[mysqldump]\nquick\n[mysqld]\nport=3306\n": 1, "[mysqld]\n": 1,
		"port=3306\n[client]\nport=3306\n": 1, // which no server reads
	} {
		set, problems := Read([]Source{{Name: "my.cnf", Text: []byte(text)}}, nil)
		if all := set.Databases(); len(problems) > 0 || len(all) != want {
			t.Errorf("%q: %d databases, %v, want %d", text, len(all), problems, want)
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

// TestMountedKeys: of a ConfigMap the server has the keys that it mounts, and not those that
// items leaves out or that another path of the volume is.
func TestMountedKeys(t *testing.T) {
	const configMap = `{kind: ConfigMap, metadata: {name: conf}, data: {small.cnf: "[mysqld]\nsync_binlog=1", large.cnf: "[mysqld]\nsync_binlog=2"}}`
	for _, c := range []struct{ name, volume, mounts, before, want string }{
		{"all", "configMap: {name: conf}", "[{name: c, mountPath: /etc/my.cnf.d}]", "[]", "12"},
		{"subPath", "configMap: {name: conf}", "[{name: c, mountPath: /etc/my.cnf, subPath: small.cnf}]", "[]", "1"},
		{"two subPaths", "configMap: {name: conf}", "[{name: c, mountPath: /a/my.cnf, subPath: small.cnf}, {name: c, mountPath: /b/my.cnf, subPath: large.cnf}]", "[]", "12"},
		{"items", "configMap: {name: conf, items: [{key: large.cnf, path: my.cnf}]}", "[{name: c, mountPath: /etc/my.cnf.d}]", "[]", "2"},
		{"no items", "configMap: {name: conf, items: []}", "[{name: c, mountPath: /etc/my.cnf.d}]", "[]", "12"},
		{"subPath of an item", "configMap: {name: conf, items: [{key: large.cnf, path: a/my.cnf}, {key: small.cnf, path: b/my.cnf}]}", "[{name: c, mountPath: /etc/my.cnf, subPath: b/my.cnf}]", "[]", "1"},
		{"directory of an item", "configMap: {name: conf, items: [{key: large.cnf, path: a/my.cnf}, {key: small.cnf, path: b/my.cnf}]}", "[{name: c, mountPath: /etc/my.cnf.d, subPath: ./a}]", "[]", "2"},
		{"subPath of nothing", "configMap: {name: conf}", "[{name: c, mountPath: /etc/my.cnf, subPath: my.cnf}]", "[]", ""},
		{"projected", "projected: {sources: [{configMap: {name: conf, items: [{key: small.cnf, path: my.cnf}]}}]}", "[{name: c, mountPath: /etc/my.cnf.d}]", "[]", "1"},
		{"init container copies", "configMap: {name: conf}", "[]", "[{name: c, mountPath: /mnt/conf}]", "12"},
		{"server decides", "configMap: {name: conf}", "[{name: c, mountPath: /etc/my.cnf, subPath: small.cnf}]", "[{name: c, mountPath: /mnt/conf}]", "1"},
	} {
		pod := "{kind: Pod, metadata: {name: db}, spec: {volumes: [{name: c, " + c.volume + "}], initContainers: [{name: i, image: busybox, volumeMounts: " + c.before +
			"}], containers: [{name: m, image: 'mysql:8.4', volumeMounts: " + c.mounts + "}]}}"
		set, problems := Read([]Source{{Name: "p.yaml", Text: []byte(configMap + "\n---\n" + pod)}}, nil)
		all := set.Databases()
		if len(problems) > 0 || len(all) != 1 {
			t.Fatalf("%s: %d databases, %v", c.name, len(all), problems)
		}
		got := ""
		for _, o := range all[0].Config.Options {
			got += o.Value
		}
		if got != c.want {
			t.Errorf("%s: sync_binlog %q, want %q", c.name, got, c.want)
		}
	}
}

// TestNamespaceOfReference: a name means the object of the same namespace, in a pod, in a
// claim and in an operator's resource; one without a namespace can be of any.
func TestNamespaceOfReference(t *testing.T) {
	objects := func(namespace, value, size string) string {
		return "{kind: ConfigMap, metadata: {name: conf, namespace: " + namespace + "}, data: {my.cnf: \"[mysqld]\\nsync_binlog=" + value + "\"}}\n---\n" +
			"{kind: PersistentVolumeClaim, metadata: {name: data, namespace: " + namespace + "}, spec: {resources: {requests: {storage: " + size + "}}}}\n---\n"
	}
	pod := `{kind: Pod, metadata: {name: db, namespace: shop}, spec: {volumes: [{name: c, configMap: {name: conf}}, {name: d, persistentVolumeClaim: {claimName: data}}],
 containers: [{name: m, image: 'mysql:8.4', volumeMounts: [{name: c, mountPath: /etc/my.cnf.d}, {name: d, mountPath: /var/lib/mysql}]}]}}`
	resource := "{apiVersion: k8s.mariadb.com/v1alpha1, kind: MariaDB, metadata: {name: db, namespace: shop}, spec: {myCnfConfigMapKeyRef: {name: conf, key: my.cnf}}}"
	for _, c := range []struct {
		name, objects, value string
		size                 int64
	}{
		{"another's first", objects("test", "2", "2") + objects("shop", "1", "1"), "1", 1},
		{"none of its own", objects("test", "2", "2"), "", 0},
		{"without a namespace", objects("test", "2", "2") + objects("''", "3", "3"), "3", 3},
		{"its own after one without", objects("''", "3", "3") + objects("shop", "1", "1"), "1", 1},
	} {
		for kind, text := range map[string]string{"Pod": pod, "MariaDB": resource} {
			set, problems := Read([]Source{{Name: "p.yaml", Text: []byte(c.objects + text)}}, nil)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			d := set.Databases()[0]
			o, _ := d.Option("sync_binlog")
			if d.Object.Kind != kind || o.Value != c.value {
				t.Errorf("%s, %s: sync_binlog %q, want %q", c.name, kind, o.Value, c.value)
			}
			if claim, _ := d.DataClaim(); kind == "Pod" && claim.Size.Value != c.size {
				t.Errorf("%s: a claim of %d, want %d", c.name, claim.Size.Value, c.size)
			}
		}
	}
}
