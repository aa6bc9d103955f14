package manifest

import (
	"strings"
	"testing"
)

func TestOptionFile(t *testing.T) {
	text := strings.Join([]string{
		"# of the team",
		"[client]",
		"port=1",
		"[mysqld]",
		"innodb-buffer-pool-size = 4G   # most of it",
		"sql_mode=\"A,B # C\"",
		"skip-log-bin",
		"skip-name-resolve",
		"loose-audit_log_policy=ALL",
		"[mysqld-8.0]",
		"max_connections=100",
		"[mysqld-9.7]",
		"max_connections=900",
	}, "\n")
	set, _ := Read([]Source{{Name: "my.cnf", Text: []byte(text)}}, nil)
	d := &Database{Version: Version{Major: 8}, Config: set.Objects[0].options}
	for name, want := range map[string]string{
		"innodb_buffer_pool_size": "4G", "sql_mode": "A,B # C", "log_bin": "OFF", "skip_name_resolve": "ON", "audit_log_policy": "ALL", "max_connections": "100",
	} {
		if o, ok := d.Option(name); !ok || o.Value != want {
			t.Errorf("%s is %q (%t), not %q", name, o.Value, ok, want)
		}
	}
	if _, ok := d.Option("port"); ok {
		t.Error("a client's option is taken for the server's")
	}
	o, _ := d.Option("innodb_buffer_pool_size")
	if o.Spot.String() != "my.cnf:5:27" {
		t.Errorf("the value stands at %s", o.Spot)
	}
	out, _, err := set.Files[0].Apply([]Edit{{At: o.Spot, Text: "512M"}})
	if err != nil || !strings.Contains(string(out), "innodb-buffer-pool-size = 512M   # most of it\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPlacesInYAML: whatever the style, an edit changes the value and no other
// byte, or is refused.
func TestPlacesInYAML(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{kind: Pod, v: 55500m}", "{kind: Pod, v: Z}"},
		{"kind: Pod\nv: \"55500m\" # \u00e9\n", "kind: Pod\nv: \"Z\" # \u00e9\n"},
		{"kind: Pod\r\nv: '55500m'\r\n", "kind: Pod\r\nv: 'Z'\r\n"},
		{"kind: Pod\n\u00e9\u00e9: {\u00fc: 1, v: 2}\nv: 55500m", "kind: Pod\n\u00e9\u00e9: {\u00fc: 1, v: 2}\nv: Z"},
		{"---\nkind: A\n---\nkind: Pod\nv:   55500m\n", "---\nkind: A\n---\nkind: Pod\nv:   Z\n"},
		{"kind: Pod\nv: !!str 55500m\n", ""},
		{"kind: Pod\nx: &a 55500m\nv: *a\n", ""},
		{"kind: Pod\nv: >-\n  55500m\n", ""},
		{"kind: Pod\n<<: {v: 55500m}\n", ""},
	} {
		set, problems := Read([]Source{{Name: "p.yaml", Text: []byte(c.text)}}, nil)
		v := set.Find("Pod", "").Value.Get("v")
		if len(problems) > 0 || v.Text() != "55500m" {
			t.Fatalf("%q: %q, %v", c.text, v.Text(), problems)
		}
		if !v.Spot().CanEdit() {
			if c.want != "" {
				t.Errorf("%q cannot be edited", c.text)
			}
			continue
		}
		out, _, err := set.Files[0].Apply([]Edit{{At: v.Spot(), Text: "Z"}})
		if err != nil || string(out) != c.want {
			t.Errorf("%q became %q (%v), not %q", c.text, out, err, c.want)
		}
	}
}

// TestNameOfBinaryLog: log_bin takes the name of its files, so that OFF is one (measured with MySQL 9.7 and
// MariaDB 10.11: OFF.000001).
func TestNameOfBinaryLog(t *testing.T) {
	for line, want := range map[string]string{
		"log_bin=OFF": "ON", "log-bin = 0": "ON", "log_bin": "ON", "log_bin=binlog": "binlog", "skip_log_bin": "OFF", "disable-log-bin": "OFF", "skip-log-bin=1": "OFF",
	} {
		set, _ := Read([]Source{{Name: "my.cnf", Text: []byte("[mysqld]\n" + line + "\n")}}, nil)
		d := &Database{Config: set.Objects[0].options}
		if o, ok := d.Option("log_bin"); !ok || o.Value != want {
			t.Errorf("%s: log_bin is %q, want %q", line, o.Value, want)
		}
	}
}

// TestGroupsOfMariaDB are read by MariaDB, and by a server of an unknown product, and not by MySQL.
func TestGroupsOfMariaDB(t *testing.T) {
	set, _ := Read([]Source{{Name: "my.cnf", Text: []byte("[mysqld]\nmax_connections=100\n[mariadb]\nmax_connections=900\n")}}, nil)
	for product, want := range map[Product]string{MySQL: "100", MariaDB: "900", "": "900"} {
		d := &Database{Product: product, Config: set.Objects[0].options}
		if o, _ := d.Option("max_connections"); o.Value != want {
			t.Errorf("%q: %q, not %q", product, o.Value, want)
		}
	}
}
