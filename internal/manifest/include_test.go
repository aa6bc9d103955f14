package manifest

import (
	"strings"
	"testing"
)

// TestIncludes: files that were given are followed, in the order of their names, and are no servers of their own;
// others are said to be missing.
func TestIncludes(t *testing.T) {
	set, problems := Read([]Source{
		{Name: "etc/mysql/my.cnf", Text: []byte("[mysqld]\nmax_connections=10\n!includedir /etc/mysql/conf.d/\n!include extra.cnf\n!include /opt/other.cnf\n")},
		{Name: "etc/mysql/conf.d/b.cnf", Text: []byte("[mysqld]\nmax_connections=30\n")},
		{Name: "etc/mysql/conf.d/a.cnf", Text: []byte("[mysqld]\nmax_connections=20\nback_log=7\n")},
		{Name: "etc/mysql/extra.cnf", Text: []byte("[mysqld]\nback_log=9\n")},
	}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	all := set.Databases()
	if len(all) != 1 {
		t.Fatalf("%d servers", len(all))
	}
	for name, want := range map[string]string{"max_connections": "30", "back_log": "9"} {
		if o, ok := all[0].Option(name); !ok || o.Value != want {
			t.Errorf("%s is %+v, want %s", name, o, want)
		}
	}
	if m := all[0].Config.Missing; len(m) != 1 || !strings.Contains(m[0].String(), "/opt/other.cnf") {
		t.Errorf("missing: %v", m)
	}
}

// TestIncludesOfAPod: a directory where a ConfigMap is mounted is read with it, and the image's own is not in the
// files.
func TestIncludesOfAPod(t *testing.T) {
	pod := func(dir string) string {
		return "kind: ConfigMap\nmetadata: {name: a}\ndata:\n  my.cnf: |\n    [mysqld]\n    back_log=7\n    !includedir " + dir + "\n---\n" +
			"kind: ConfigMap\nmetadata: {name: b}\ndata:\n  more.cnf: |\n    [mysqld]\n    back_log=9\n---\n" +
			"kind: Pod\nmetadata: {name: db}\nspec:\n  volumes: [{name: a, configMap: {name: a}}, {name: b, configMap: {name: b}}]\n  containers:\n" +
			"  - {name: m, image: 'mysql:8.4.6', volumeMounts: [{name: a, mountPath: /etc/my.cnf, subPath: my.cnf}, {name: b, mountPath: /etc/mysql/conf.d}]}\n"
	}
	for dir, missing := range map[string]int{"/etc/mysql/conf.d/": 0, "/etc/other.d": 1} {
		set, problems := Read([]Source{{Name: "p.yaml", Text: []byte(pod(dir))}}, nil)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		all := set.Databases()
		if len(all) != 1 || len(all[0].Config.Missing) != missing {
			t.Errorf("%s: %d servers, missing %v", dir, len(all), all[0].Config.Missing)
		}
	}
}

// TestAbbreviations: MariaDB takes a beginning that is one option's alone, MySQL takes none.
func TestAbbreviations(t *testing.T) {
	for image, want := range map[string]bool{"mariadb:10.11.18": true, "mysql:8.4.6": false} {
		set, _ := Read([]Source{{Name: "p.yaml", Text: []byte("{kind: Pod, metadata: {name: db}, spec: {containers: [{name: m, image: '" + image + "', args: [--max-connection=70, --innodb-buffer=1G]}]}}")}}, nil)
		db := set.Databases()[0]
		if o, ok := db.Option("max_connections"); ok != want || want && o.Value != "70" {
			t.Errorf("%s: %+v, %t", image, o, ok)
		}
		if o, ok := db.Option("innodb_buffer_pool_size"); ok {
			t.Errorf("%s takes --innodb-buffer, which is several options', for %+v", image, o)
		}
	}
}

// TestBrokenLines: what ends every server is kept with its place.
func TestBrokenLines(t *testing.T) {
	set, _ := Read([]Source{{Name: "my.cnf", Text: []byte("# first\nback_log=7\n[mysqld\nmax_connections=5\n[mysqld]\nsync_binlog=1\n{{ range .x }}\n")}}, nil)
	var lines []int
	for _, b := range set.Objects[0].options.Broken {
		lines = append(lines, b.Spot.Line)
	}
	if len(lines) != 2 || lines[0] != 2 || lines[1] != 3 {
		t.Errorf("broken lines %v, want 2 and 3", lines)
	}
}
