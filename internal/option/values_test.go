package option

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestValues: a word is judged by the release, a list by its parts, a number by its bounds, a switch by its words.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		product     string
		in          Release
		name, value string
		want        string
	}{
		{MySQL, Release{5, 7, 44}, "sql_mode", "STRICT_TRANS_TABLES,NO_AUTO_CREATE_USER", ""},
		{MySQL, Release{8, 0, 46}, "sql_mode", "STRICT_TRANS_TABLES, NO_AUTO_CREATE_USER", "NO_AUTO_CREATE_USER"},
		{MySQL, Release{8, 0, 11}, "sql_mode", "NO_AUTO_CREATE_USER", "NO_AUTO_CREATE_USER"}, // between 5.7 and the release of 8.0 that was asked
		{MySQL, Release{8, 0, 36}, "sql_mode", "STRICT_TRANS_TABLES,NO_AUTO_CREATE_USER", "NO_AUTO_CREATE_USER"},
		{MySQL, Release{8, 0, 3}, "sql_mode", "NO_AUTO_CREATE_USER", ""},
		{MySQL, Release{8, 0, 36}, "sql_mode", "FOO", "FOO"},
		{MySQL, Release{8, 0, 36}, "sql_mode", "TIME_TRUNCATE_FRACTIONAL", ""},
		{MySQL, Release{8, 4, 6}, "sql_mode", "", ""},
		{MySQL, Release{8, 4, 6}, "binlog_format", "row", ""},
		{MySQL, Release{8, 4, 6}, "binlog_format", "2", ""},
		{MySQL, Release{8, 4, 6}, "binlog_format", "ROWS", "ROWS"},
		{MySQL, Release{8, 4, 6}, "binlog_format", "MIX", ""},
		{MySQL, Release{8, 4, 6}, "innodb_flush_method", "O_DIR", "O_DIR"}, // begins two
		{MySQL, Release{8, 4, 6}, "innodb_flush_method", "O_DIRECT_NOSYNC", "O_DIRECT_NOSYNC"},
		{MariaDB, Release{10, 2, 5}, "innodb_flush_method", "anything", ""},
		{MariaDB, Release{11, 4, 5}, "binlog_row_image", "FULL_NODUP", ""},
		{MariaDB, Release{10, 11, 19}, "binlog_row_image", "FULL_NODUP", "FULL_NODUP"},
		{MariaDB, Release{11, 2, 2}, "binlog_row_image", "FULL_NODUP", ""},   // between two that differ
		{MariaDB, Release{11, 2, 2}, "binlog_row_image", "FULLER", "FULLER"}, // which neither has
		{MariaDB, Release{12, 1, 1}, "binlog_format", "anything", ""},
		{MySQL, Release{8, 4, 6}, "no_such_option", "anything", ""},
	} {
		v, _ := ValuesIn(c.product, c.in, c.name)
		if got := v.Strange(c.value); got != c.want {
			t.Errorf("%s %v %s=%s: %q, want %q", c.product, c.in, c.name, c.value, got, c.want)
		}
	}
	for _, c := range []struct {
		product string
		in      Release
		name    string
		n       int64
		taken   int64
		ok      bool
	}{
		{MySQL, Release{8, 4, 6}, "max_connections", 100000, 0, false},
		{MySQL, Release{8, 4, 6}, "max_connections", 100001, 100000, true},
		{MySQL, Release{8, 4, 6}, "max_connections", 0, 1, true},
		{MariaDB, Release{10, 6, 21}, "max_connections", 5, 10, true},
		{MySQL, Release{9, 7, 4}, "innodb_log_buffer_size", 1 << 40, 4294966272, true},
		{MySQL, Release{8, 4, 6}, "innodb_io_capacity", 1 << 40, 0, false}, // 8.0 had no bound, 9.7 has
		{MySQL, Release{9, 7, 4}, "innodb_io_capacity", 1 << 40, 1<<32 - 1, true},
		{MySQL, Release{8, 4, 6}, "no_such_option", 99999, 0, false},
	} {
		v, _ := ValuesIn(c.product, c.in, c.name)
		if taken, ok := v.Adjusted(c.n); taken != c.taken || ok != c.ok {
			t.Errorf("%s %v %s=%d: %d, %t", c.product, c.in, c.name, c.n, taken, ok)
		}
	}
	v, _ := ValuesIn(MySQL, Release{8, 0, 46}, "slow_query_log")
	if !v.Misread("yes") || !v.Misread("2") || v.Misread("on") || v.Misread("1") {
		t.Errorf("slow_query_log of 8.0: %+v", v)
	}
	for _, text := range []string{"a\tb", "a\tnumber\tx\t-\t-\t-\t9.7.4\t-", "a\tlist\t-\t-\t-\t-\t9.7.4\t-", "a\tnumber\t1\t-\t-\t-\t9.9.9\t-"} {
		if _, err := parseValues(text); err == nil {
			t.Errorf("no error for %s", text)
		}
	}
}

// TestReleasesAround: a release is judged by those next to it that were asked, and by the others of a neighbouring
// series.
func TestReleasesAround(t *testing.T) {
	for _, c := range []struct {
		product string
		in      Release
		want    []Release
	}{
		{MySQL, Release{9, 7, 4}, []Release{{9, 7, 4}}},
		{MySQL, Release{9, 7, 999}, []Release{{9, 7, 4}}},
		{MySQL, Release{9, 8, 0}, nil},
		{MySQL, Release{5, 7, 20}, []Release{{5, 7, 44}}},
		{MySQL, Release{5, 6, 51}, nil},
		{MySQL, Release{8, 0, 20}, []Release{{5, 7, 44}, {8, 0, 39}}},
		{MySQL, Release{8, 0, 999}, []Release{{8, 0, 39}, {9, 7, 4}}},
		{MariaDB, Release{10, 6, 1}, []Release{{10, 5, 23}, {10, 11, 5}, {10, 11, 19}}},
		{MariaDB, Release{10, 11, 8}, []Release{{10, 11, 5}, {10, 11, 19}}},
		{MariaDB, Release{11, 2, 2}, []Release{{10, 11, 5}, {10, 11, 19}, {11, 4, 5}}},
	} {
		if got := around(c.product, c.in); !slices.Equal(got, c.want) {
			t.Errorf("%s %v: %v, want %v", c.product, c.in, got, c.want)
		}
	}
}

// TestValuesOfServersHere: the servers of this machine take every word of the table, refuse another, replace the
// numbers beyond the bounds by them, and take OFF for what is no value of a switch.
func TestValuesOfServersHere(t *testing.T) {
	for _, s := range serversHere() {
		t.Run(s.name, func(t *testing.T) {
			release, listed := helpOf(t, s.product, s.root)
			var below, above, switches []string
			var words [][]string // of each option the first word, then the second, and so on
			want := map[string]int64{}
			for name := range readValues()[s.product] {
				v, ok := ValuesIn(s.product, release, name)
				_, has := listed[name]
				if !ok || !has {
					continue
				}
				switch v.Kind {
				case Number:
					if name == "log_error_verbosity" {
						continue // no warnings then
					}
					if v.Least > 0 { // one below 0 is not reported by every option
						below, want[fmt.Sprintf("%s=%d", name, v.Least-1)] = append(below, fmt.Sprintf("%s=%d", name, v.Least-1)), v.Least
					}
					if v.Most != noMost {
						above, want[fmt.Sprintf("%s=%d", name, v.Most+1)] = append(above, fmt.Sprintf("%s=%d", name, v.Most+1)), v.Most-v.Most%v.Block
					}
				case Switch:
					switches = append(switches, name+"=yes")
				default:
					for i, word := range v.Words {
						if i == len(words) {
							words = append(words, nil)
						}
						words[i] = append(words[i], name+"="+word)
					}
					if out := helpWith(s.product, s.root, name+"=NO_SUCH_WORD"); !strings.Contains(out, "Error while setting value") {
						t.Errorf("%s %v takes %s=NO_SUCH_WORD", s.product, release, name)
					}
				}
			}
			for _, some := range words {
				if out := helpWith(s.product, s.root, some...); strings.Contains(out, "Error while setting value") {
					t.Errorf("%s %v refuses one of %v:\n%s", s.product, release, some, out[:min(len(out), 2000)])
				}
			}
			adjusted := regexp.MustCompile(`option '([^']+)'.* adjusted to (\d+)`)
			for some := range slices.Chunk(slices.Concat(below, above), 6) { // a greater number of them are not all reported
				got := map[string]string{}
				for _, m := range adjusted.FindAllStringSubmatch(helpWith(s.product, s.root, some...), -1) {
					got[strings.ReplaceAll(m[1], "-", "_")] = m[2]
				}
				for _, one := range some {
					name, _, _ := strings.Cut(one, "=")
					if got[name] != strconv.FormatInt(want[one], 10) {
						t.Errorf("%s %v: %s is adjusted to %q, not to %d", s.product, release, one, got[name], want[one])
					}
				}
			}
			read := helpWith(s.product, s.root, switches...)
			for _, one := range switches {
				name, _, _ := strings.Cut(one, "=")
				if !regexp.MustCompile(`option '` + strings.ReplaceAll(name, "_", "[-_]") + `': boolean value 'yes' was(n't| not) recognized. Set to OFF`).MatchString(read) {
					t.Errorf("%s %v reads %s", s.product, release, one)
				}
			}
			if len(want) < 300 || len(words[0]) < 30 || len(switches) < 100 {
				t.Errorf("only %d numbers, %d options of words and %d switches were asked", len(want), len(words[0]), len(switches))
			}
		})
	}
}

// helpWith is what a server prints that is given options and asked for its help, which it prints instead of a start.
func helpWith(product, root string, assignments ...string) string {
	args := []string{"/usr/sbin/mysqld", "--no-defaults", "--user=root", "--log-error-verbosity=3"}
	if product == MariaDB {
		args = []string{"/usr/sbin/mariadbd", "--no-defaults", "--user=root", "--log-warnings=4"}
	}
	for _, one := range assignments {
		name, value, _ := strings.Cut(one, "=")
		args = append(args, "--"+strings.ReplaceAll(name, "_", "-")+"="+value)
	}
	args = append(args, "--verbose", "--help")
	if root != "/" {
		args = append([]string{"chroot", root}, args...)
	}
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		return string(out) + err.Error()
	}
	return string(out)
}
