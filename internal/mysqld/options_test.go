package mysqld

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files again")

// instance is the options of an instance that could be.
func instance(config map[string]string) Options {
	return Options{
		DefaultsFile: "/run/tare/1/my.cnf", DataDir: "/run/tare/1/data", Socket: "/run/tare/1/s",
		PIDFile: "/run/tare/1/pid", TmpDir: "/run/tare/1/tmp", Config: config,
	}
}

func TestDefaults(t *testing.T) {
	withPort := instance(nil)
	withPort.Port, withPort.Bind = 3307, "10.0.0.2"
	for name, c := range map[string]struct {
		d Distribution
		o Options
	}{
		"mysql":   {Distribution{Flavour: MySQL, Version: "9.7.4-2", Server: "/usr/sbin/mysqld"}, instance(nil)},
		"mariadb": {Distribution{Flavour: MariaDB, Server: "/usr/sbin/mariadbd"}, instance(nil)},
		"port":    {Distribution{Flavour: MariaDB, Server: "/usr/sbin/mariadbd"}, withPort},
		"prefix": {Distribution{Flavour: MySQL, Server: "/opt/mysql/bin/mysqld",
			Paths: Paths{Base: "/opt/mysql", Messages: "/opt/mysql/share", Plugins: "/opt/mysql/lib/plugin"}}, instance(nil)},
		"user": {Distribution{Flavour: MySQL, Version: "8.4.3"}, instance(map[string]string{
			"innodb_redo_log_capacity": "2G",
			"innodb-buffer-pool-size":  "1G",
			"mysqlx":                   "ON",            // wins over ours
			"skip-name-resolve":        "OFF",           // so does this
			"secure-file-priv":         "/var/lib/x y",  // quoted
			"init_connect":             `SET @a="\b#"`,  // escaped
			"skip_log_bin":             "",              // a switch
			"tmpdir":                   "/mnt/fast/tmp", // may be moved
		})},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Defaults(c.d, c.o)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "testdata/defaults-"+name+".cnf", got)
			if again, _ := Defaults(c.d, c.o); again != got {
				t.Error("a second call writes something else")
			}
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func TestArguments(t *testing.T) {
	got := Arguments(Distribution{Server: "/usr/sbin/mysqld"}, instance(map[string]string{"init_connect": "secret"}))
	want := []string{"/usr/sbin/mysqld", "--defaults-file=/run/tare/1/my.cnf"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDefaultsRefusesPaths(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"data directory":             func(o *Options) { o.DataDir = "" },
		"socket":                     func(o *Options) { o.Socket = "s" },
		"longer than 107 bytes":      func(o *Options) { o.Socket = "/" + strings.Repeat("s", 107) },
		"pid file":                   func(o *Options) { o.PIDFile = "./pid" },
		"temporary directory":        func(o *Options) { o.TmpDir = "tmp" },
		"defaults file":              func(o *Options) { o.DefaultsFile = "" },
		"line break or another cont": func(o *Options) { o.DataDir = "/data\nuser=root" },
	} {
		t.Run(name, func(t *testing.T) {
			o := instance(nil)
			change(&o)
			if _, err := Defaults(Distribution{Flavour: MySQL}, o); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("error %v, want %q in it", err, name)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	mysql80 := Distribution{Flavour: MySQL, Version: "8.0.20"}
	mysql97 := Distribution{Flavour: MySQL, Version: "9.7.4-2 for Linux"}
	unknown := Distribution{Flavour: MySQL, Version: Unknown}
	mariadb := Distribution{Flavour: MariaDB, Version: "10.11.19-MariaDB"}
	for _, c := range []struct {
		d           Distribution
		name, value string
		want        string // in the error, "" for none
	}{
		{mariadb, "innodb_redo_log_capacity", "1G", "innodb_redo_log_capacity is MySQL's name; MariaDB has innodb_log_file_size"},
		{mariadb, "innodb-redo-log-capacity", "1G", "innodb_redo_log_capacity is MySQL's name; MariaDB has innodb_log_file_size"},
		{mariadb, "loose_innodb_redo_log_capacity", "1G", ""},
		{mariadb, "innodb_log_file_size", "1G", ""},
		{mariadb, "gtid_mode", "ON", "MySQL's name"},
		{mysql80, "innodb_redo_log_capacity", "1G", "added in MySQL 8.0.30, this server is 8.0.20; this server has innodb_log_file_size"},
		{mysql80, "innodb_log_file_size", "1G", ""},
		{mysql97, "innodb_redo_log_capacity", "1G", ""},
		{mysql97, "innodb_log_file_size", "1G", "removed in MySQL 9.7.0; this server has innodb_redo_log_capacity"},
		{mysql97, "query_cache_type", "1", "query_cache_type is MariaDB's name"},
		{mysql97, "thread_pool_oversubscribe", "3", ""}, // Percona Server's as well, which is of the flavour MySQL
		{unknown, "innodb_redo_log_capacity", "1G", ""},
		{mysql97, "validate_password.policy", "LOW", ""},
		{mysql97, "datadir", "/x", "every trial has a data directory of its own"},
		{mysql97, "data-dir", "/x", ""}, // no option: the server says so
		{mysql97, "loose-socket", "/x", "every trial has a socket of its own"},
		{mysql97, "sock", "/x", "every trial has a socket of its own"},
		{mysql97, "pid-file", "/x", "every trial has a pid file of its own"},
		{mysql97, "port", "3306", "the target chooses the port"},
		{mysql97, "port_open_timeout", "1", ""},
		{mysql97, "user", "root", "the target chooses the user"},
		{mysql97, "skip-networking", "0", "the target chooses whether"},
		{mysql97, "log_bin", "OFF", "write skip_log_bin"},
		{mysql97, "log_bin", "binlog", ""},
		{mysql97, "innodb_buffer_pool_size", "1Gi", "(here: 1G)"},
		{mysql97, "innodb_buffer_pool_size", "much", "such as 512M"},
		{mysql97, "innodb_redo_log_capacity", "2GiB", "(here: 2G)"},
		{mysql97, "max_connections", "151", ""},
		{mysql97, "Max_Connections", "151", "lower case"},
		{mysql97, "--max_connections", "151", "lower case"},
		{mysql97, "!include", "/etc/my.cnf", "not a name of a server option"},
		{mysql97, "a\nb", "1", "not a name of a server option"},
		{mysql97, "init_connect", "SET @a=1\nuser=root", "line break"},
		{mysql97, "init_connect", "SET\r", "line break"},
		{mysql97, "init_connect", "a\x00", "control character"},
		{mysql97, "init_connect", "SET\t@a=1", ""},
	} {
		err := Validate(c.d, map[string]string{c.name: c.value})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s=%q: %v", c.name, c.value, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s=%q: error %v, want %q in it", c.name, c.value, err, c.want)
		}
	}
}

// TestValidateAll: everything that is wrong is said at once, in the same order.
func TestValidateAll(t *testing.T) {
	err := Validate(Distribution{Flavour: MariaDB}, map[string]string{
		"socket": "/x", "gtid_mode": "ON", "sync_binlog": "1", "sync-binlog": "0",
	})
	want := strings.Join([]string{
		"set option gtid_mode: gtid_mode is MySQL's name; MariaDB has GTIDs that are always on",
		"set option socket: it cannot be set: every trial has a socket of its own",
		"set option sync_binlog: it is the same option as sync-binlog; keep one",
	}, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}

// FuzzDefaults: whatever a user's option is, it becomes one line of the file or
// an error, and never touches where the instance lives.
func FuzzDefaults(f *testing.F) {
	for _, s := range [][2]string{
		{"init_connect", awkwardSQL}, {"a", "b\nc"}, {"!includedir", "/x"}, {"[mysqld]", ""}, {"skip_log_bin", ""},
		{"disable-socket", "1"}, {"loose_loose_datadir", "/"}, {"a", "\u2028"}, {"a", `x\`},
	} {
		f.Add(s[0], s[1])
	}
	d := Distribution{Flavour: MySQL}
	f.Fuzz(func(t *testing.T, name, value string) {
		text, err := Defaults(d, instance(map[string]string{name: value}))
		if err != nil {
			return
		}
		head, theirs, found := strings.Cut(text, "# From the experiment:\n")
		if !found || strings.Count(theirs, "\n") != 1 || !strings.HasSuffix(theirs, "\n") || strings.ContainsAny(theirs, "\r\x00") {
			t.Fatalf("%q=%q became %q", name, value, theirs)
		}
		for _, ours := range []string{"datadir=/run/tare/1/data\n", "socket=/run/tare/1/s\n", "pid_file=/run/tare/1/pid\n"} {
			if !strings.Contains(head, ours) {
				t.Fatalf("%q=%q removed %q", name, value, ours)
			}
		}
		if c := theirs[0]; c < 'a' || c > 'z' {
			t.Fatalf("%q=%q became %q", name, value, theirs)
		}
	})
}

const awkwardSQL = `SET @a = "# \ 'x' \n "  `
