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

// TestIncludesByWhiteSpace: any white space is around the word, as my_print_defaults of MySQL and MariaDB reads it; a
// word in capitals, or one without white space behind it, is a comment.
func TestIncludesByWhiteSpace(t *testing.T) {
	for line, follows := range map[string]bool{
		"!include\textra.cnf": true, "!include \t extra.cnf\t": true, "! include extra.cnf": true, "!\tinclude\fextra.cnf": true,
		"!includedir\t/etc/mysql/": true, "! includedir\v/etc/mysql/": true,
		"!INCLUDE extra.cnf": false, "!includeextra.cnf": false, "!includes extra.cnf": false,
	} {
		set, problems := Read([]Source{
			{Name: "etc/mysql/my.cnf", Text: []byte("[mysqld]\nback_log=7\n" + line + "\n")},
			{Name: "etc/mysql/extra.cnf", Text: []byte("[mysqld]\nback_log=9\n")},
		}, nil)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if n := len(set.Databases()); n != map[bool]int{true: 1, false: 2}[follows] {
			t.Errorf("%q: %d servers, follows the other file: %v", line, n, follows)
			continue
		}
		if o, _ := set.Databases()[0].Option("back_log"); follows && o.Value != "9" {
			t.Errorf("%q: back_log is %s", line, o.Value)
		}
	}
}

// TestIncludesBeside: the directory of the including file can be a copy of the server's under another name.
func TestIncludesBeside(t *testing.T) {
	set, problems := Read([]Source{
		{Name: "copy/my.cnf", Text: []byte("[client-server]\nsocket=/run/s\n!includedir /etc/mysql/mysql.conf.d/\n")},
		{Name: "copy/mysql.conf.d/mysqld.cnf", Text: []byte("[mysqld]\nmax_connections=20\n")},
	}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	all := set.Databases()
	if len(all) != 1 || len(all[0].Config.Missing) > 0 {
		t.Fatalf("%d servers, missing %v", len(all), all[0].Config.Missing)
	}
	if o, ok := all[0].Option("max_connections"); !ok || o.Value != "20" || o.Spot.String() != "copy/mysql.conf.d/mysqld.cnf:2:17" {
		t.Errorf("%+v", o)
	}
	for i, want := range []string{"client-server at copy/my.cnf:1:1", "mysqld at copy/mysql.conf.d/mysqld.cnf:1:1"} {
		if h := all[0].Config.Headers[i]; h.Group+" at "+h.Spot.String() != want {
			t.Errorf("%+v, want %s", h, want)
		}
	}
}

// TestByteOrderMark: a server ends with a file that begins with one, and its options are read all the same.
func TestByteOrderMark(t *testing.T) {
	set, problems := Read([]Source{{Name: "my.ini", Text: []byte("\ufeff[mysqld]\r\nmax_connections=20\r\n")}}, nil)
	if len(problems) > 0 || len(set.Databases()) != 1 {
		t.Fatal(problems, set.Databases())
	}
	c := set.Databases()[0].Config
	if len(c.Broken) != 1 || c.Broken[0].Spot.String() != "my.ini:1:1" || !strings.Contains(c.Broken[0].Says.String(), "byte order mark") || !strings.Contains(c.Broken[0].Fix.String(), "without the byte order mark") {
		t.Errorf("broken: %+v", c.Broken)
	}
	if len(c.Options) != 1 || c.Options[0].Group != "mysqld" || c.Options[0].Spot.String() != "my.ini:2:17" {
		t.Errorf("options: %+v", c.Options)
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
