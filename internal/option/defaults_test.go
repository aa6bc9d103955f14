package option

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestDefaultIn: a value holds from its release on, a span has one where all its releases have the
// same, and a release newer than the table takes the newest with a word about it.
func TestDefaultIn(t *testing.T) {
	for _, c := range []struct {
		span  Span
		name  string
		want  string // "-" for unknown
		newer string
	}{
		{Within(MySQL, 8, 0, 36), "innodb_io_capacity", "200", ""},
		{Within(MySQL, 8, 3, 0), "innodb_io_capacity", "200", ""},
		{Within(MySQL, 8, 4), "innodb_io_capacity", "10000", ""},
		{Within(MySQL, 8), "innodb_io_capacity", "-", ""},
		{Within(MySQL, 8), "max_connections", "151", ""},
		{Within(MySQL), "innodb_flush_log_at_trx_commit", "1", ""},
		{Within(MySQL), "log_bin", "-", ""},
		{Within(MySQL, 5, 6, 51), "max_connections", "-", ""}, // older than the table
		{Within(MySQL, 26, 7, 0), "binlog_expire_logs_seconds", "2592000", "9.7"},
		{Within(MySQL, 9, 8, 1), "log_bin", "ON", "9.7"},
		{Within(MySQL, 9, 7, 4), "log_bin", "ON", ""},
		{Within(MySQL, 8, 0, 46), "innodb_read_io_threads", "4", ""},
		{Within(MariaDB, 10, 3, 39), "innodb_flush_method", "fsync", ""},
		{Within(MariaDB, 10, 5, 29), "innodb_flush_method", "fsync", ""},
		{Within(MariaDB, 10, 6, 0), "innodb_flush_method", "O_DIRECT", ""},
		{Within(MariaDB, 10), "innodb_flush_method", "-", ""},
		{Within(MariaDB, 11), "innodb_flush_method", "O_DIRECT", ""},
		{Within(MariaDB, 10, 4, 34), "innodb_log_file_size", "48M", ""},
		{Within(MariaDB, 10, 5), "innodb_log_file_size", "96M", ""},
		{Within(MariaDB, 10, 1, 48), "max_connections", "-", ""},
		{Within("", 8), "max_connections", "-", ""},
		{Within(MySQL, 8), "no_such_option", "-", ""},
	} {
		d, ok := DefaultIn(c.span, c.name)
		got := d.Value
		if !ok {
			got = "-"
		}
		if got != c.want || d.Newer != c.newer {
			t.Errorf("%v %s: %+v, %t; want %q of %q", c.span, c.name, d, ok, c.want, c.newer)
		}
	}
	for name, want := range map[string]Default{"innodb_flush_log_at_trx_commit": {Value: "1"}, "sync_binlog": {}, "log_bin": {}} {
		if d, ok := DefaultOfAll(name); d != want || ok != (want.Value != "") {
			t.Errorf("%s of an unknown product: %+v, %t", name, d, ok)
		}
	}
	if d, ok := DefaultIn(Within(MySQL, 9, 7, 4), "innodb_log_file_size"); !ok || !d.Absent || d.Value != "" {
		t.Errorf("innodb_log_file_size of 9.7: %+v, %t", d, ok)
	}
	if d, ok := DefaultIn(Within(MySQL, 9, 7, 4), "innodb_read_io_threads"); !ok || !d.Computed || d.Value != "" {
		t.Errorf("innodb_read_io_threads of 9.7: %+v, %t", d, ok)
	}
}

// TestDefaultsAreWhole: every option is there for both products, beginning with the first release
// of the table, and a broken table is an error.
func TestDefaultsAreWhole(t *testing.T) {
	table := readDefaults()
	for name, products := range table.options {
		for _, product := range []string{MySQL, MariaDB} {
			if steps := products[product]; len(steps) == 0 || steps[0].since != table.first[product] {
				t.Errorf("%s of %s begins later than the table, or is missing", name, product)
			}
		}
	}
	for _, text := range []string{"{", "products: {mysql: {first: x, newest: '9.7', sources: [a]}}", "products: {mysql: {first: '5.7', newest: '9.7'}}", "options: {a: {mysql: {'5.7.1.1': x}}}"} {
		if _, err := parseDefaults([]byte(text)); err == nil {
			t.Errorf("no error for %s", text)
		}
	}
}

// atStart are values that --help prints before the server has adjusted them when it starts: its manual has
// the value in effect. log_bin and tmpdir are printed as the name of a file and an empty text.
var atStart = map[string]bool{"innodb_flush_method": true, "log_bin": true, "tmpdir": true, "wsrep_provider_options": true, "general_log": true}

// TestDefaultsOfServersHere asks the servers of this machine what the table says of their release.
func TestDefaultsOfServersHere(t *testing.T) {
	for _, s := range serversHere() {
		t.Run(s.name, func(t *testing.T) {
			release, values := helpOf(t, s.product, s.root)
			asked := 0
			for name := range readDefaults().options {
				d, ok := DefaultIn(Span{s.product, release, release}, name)
				printed, has := values[name]
				switch {
				case !ok:
					t.Errorf("%s of %v: the table does not know it", name, release)
				case atStart[name] || d.Computed || !has && strings.HasPrefix(name, "wsrep_") || !has && strings.HasPrefix(name, "group_replication_"):
				case has == d.Absent && !strings.HasPrefix(name, "expire_"):
					t.Errorf("%s of %v: printed %t (%q), the table has %+v", name, release, has, printed, d)
				case has && !Same(printed, d.Value):
					t.Errorf("%s of %v: printed %q, the table has %q", name, release, printed, d.Value)
				default:
					asked++
				}
			}
			if asked < 35 {
				t.Errorf("only %d options were compared", asked)
			}
		})
	}
}

type serverHere struct{ name, product, root string }

// serversHere are the servers that tests can ask: of the root file system with MySQL, of this machine, and of the root
// file system with a newer MariaDB where there is one (TARE_TEST_MARIADB).
func serversHere() []serverHere {
	all := []serverHere{{MySQL, MySQL, os.Getenv("TARE_TEST_ROOTFS")}, {MariaDB, MariaDB, "/"}}
	if root := os.Getenv("TARE_TEST_MARIADB"); root != "" {
		all = append(all, serverHere{"newer-" + MariaDB, MariaDB, root})
	}
	return all
}

var helpVersion = regexp.MustCompile(`Ver (\d+)\.(\d+)\.(\d+)`)

// helpOf is the release of a server and the values that its --help --verbose ends with.
func helpOf(t *testing.T, product, root string) (r Release, values map[string]string) {
	t.Helper()
	binary := map[string]string{MySQL: "mysqld", MariaDB: "mariadbd"}[product]
	path := "/usr/sbin/" + binary
	c := exec.Command(path, "--no-defaults", "--verbose", "--help")
	if root != "/" { // its libraries are those of the root file system
		c = exec.Command("chroot", append([]string{root}, c.Args...)...)
	}
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s --help: %v", path, err)
	}
	m := helpVersion.FindStringSubmatch(string(out))
	if m == nil {
		t.Fatalf("%s --help has no version", path)
	}
	for i := range r {
		if r[i], err = strconv.Atoi(m[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	_, list, _ := strings.Cut(string(out), "\n---------")
	values = map[string]string{}
	for line := range strings.Lines(list) {
		if line = strings.TrimRight(line, "\n"); line == "" {
			break
		}
		name, value, _ := strings.Cut(line, " ")
		value = strings.TrimSpace(value)
		if value == "(No default value)" {
			value = ""
		}
		values[strings.ReplaceAll(name, "-", "_")] = value
	}
	return r, values
}
