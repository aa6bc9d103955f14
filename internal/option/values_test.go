package option

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestValues: a word is judged by the release, a list by its parts, and a number by its bounds.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		product     string
		in          Release
		name, value string
		want        string
	}{
		{MySQL, Release{5, 7, 44}, "sql_mode", "STRICT_TRANS_TABLES,NO_AUTO_CREATE_USER", ""},
		{MySQL, Release{8, 0, 46}, "sql_mode", "STRICT_TRANS_TABLES, NO_AUTO_CREATE_USER", "NO_AUTO_CREATE_USER"},
		{MySQL, Release{8, 4, 6}, "sql_mode", "", ""},
		{MySQL, Release{8, 4, 6}, "binlog_format", "row", ""},
		{MySQL, Release{8, 4, 6}, "binlog_format", "2", ""},
		{MySQL, Release{8, 4, 6}, "binlog_format", "ROWS", "ROWS"},
		{MySQL, Release{8, 4, 6}, "innodb_flush_method", "O_DIRECT_NOSYNC", "O_DIRECT_NOSYNC"},
		{MariaDB, Release{10, 2, 5}, "innodb_flush_method", "anything", ""},
		{MariaDB, Release{11, 4, 5}, "innodb_flush_method", "anything", ""},
		{MySQL, Release{8, 4, 6}, "no_such_option", "anything", ""},
	} {
		if got := Strange(c.product, c.in, c.name, c.value); got != c.want {
			t.Errorf("%s %v %s=%s: %q, want %q", c.product, c.in, c.name, c.value, got, c.want)
		}
	}
	for _, c := range []struct {
		name  string
		n     int64
		taken int64
		ok    bool
	}{{"max_connections", 100000, 0, false}, {"max_connections", 100001, 100000, true}, {"max_connections", 0, 1, true}, {"innodb_io_capacity", 1 << 30, 0, false}, {"port", 99999, 0, false}} {
		if taken, ok := Adjusted(MySQL, c.name, c.n); taken != c.taken || ok != c.ok {
			t.Errorf("%s=%d: %d, %t", c.name, c.n, taken, ok)
		}
	}
	for _, text := range []string{"{", "sources: [a]\nwords: {x: {mysql: {a: [b]}}}", "sources: [a]\nnumbers: {x: {mysql: [\"1\"]}}", "words: {}"} {
		if _, err := parseValues([]byte(text)); err == nil {
			t.Errorf("no error for %s", text)
		}
	}
}

// TestValuesOfServersHere: the servers of this machine take every word of the table, refuse another, and adjust the
// numbers beyond the bounds to them.
func TestValuesOfServersHere(t *testing.T) {
	for _, s := range []struct{ product, root string }{{MySQL, os.Getenv("TARE_TEST_ROOTFS")}, {MariaDB, "/"}} {
		t.Run(s.product, func(t *testing.T) {
			release, _ := helpOf(t, s.product, s.root)
			asked := 0
			for name := range readValues().words {
				words, ok := Words(s.product, release, name)
				if !ok {
					continue
				}
				asked++
				if out := startWith(s.product, s.root, name, "NO_SUCH_WORD"); !strings.Contains(out, "Error while setting value") {
					t.Errorf("%s %v takes %s=NO_SUCH_WORD:\n%s", s.product, release, name, out)
				}
				for _, word := range words {
					if out := startWith(s.product, s.root, name, word); strings.Contains(out, "Error while setting value") {
						t.Errorf("%s %v refuses %s=%s:\n%s", s.product, release, name, word, out)
					}
				}
			}
			for name, products := range readValues().numbers {
				b, known := products[s.product]
				for _, n := range []struct{ beyond, bound int64 }{{b.least - 1, b.least}, {b.most + 1, b.most}} {
					if !known || n.bound == 0 || n.beyond == 0 && n.bound == 1 && s.product == MariaDB {
						continue
					}
					asked++
					adjusted := regexp.MustCompile(`option '` + strings.ReplaceAll(name, "_", "[-_]") + `'.* adjusted to (\d+)`).FindStringSubmatch(startWith(s.product, s.root, name, fmt.Sprint(n.beyond)))
					if adjusted == nil || adjusted[1] != strconv.FormatInt(n.bound, 10) {
						t.Errorf("%s %v: %s=%d is adjusted to %v, not to %d", s.product, release, name, n.beyond, adjusted, n.bound)
					}
				}
			}
			if asked < 15 {
				t.Errorf("only %d values were asked", asked)
			}
		})
	}
}

// startWith is what a server prints that is given an option and then ends.
func startWith(product, root, name, value string) string {
	args := []string{"/usr/sbin/mysqld", "--no-defaults", "--user=root", "--secure-file-priv=", "--log-error-verbosity=3", "--validate-config"}
	if product == MariaDB {
		args = []string{"/usr/sbin/mariadbd", "--no-defaults", "--user=root", "--verbose", "--help"}
	}
	args = append(args, "--"+strings.ReplaceAll(name, "_", "-")+"="+value)
	if root != "/" {
		args = append([]string{"chroot", root}, args...)
	}
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		return string(out) + err.Error()
	}
	return string(out)
}
