package option

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestNamesOfServersHere asks the servers of this machine about every option that a rule judges: one that the tables
// say they refuse is unknown to them, and one that they accept is not. With loose_ an unknown option is a warning, so
// that one start tells of all.
func TestNamesOfServersHere(t *testing.T) {
	for _, s := range serversHere() {
		t.Run(s.name, func(t *testing.T) {
			release, listed := helpOf(t, s.product, s.root)
			var refused, ignored []string
			for name := range readKnown() {
				standing, _ := Stand(s.product, release, name)
				_, has := listed[name]
				switch {
				case strings.HasPrefix(name, "skip_"): // both servers take skip_ off a switch
				case name == "aria": // refused as the beginning of several
				case standing == Refused && has:
					t.Errorf("%s is refused by the table, and %s %v lists it", name, s.product, release)
				case standing == Refused:
					refused = append(refused, name)
				case Ignored(s.product, release, name):
					ignored = append(ignored, name)
				}
			}
			warned := askNames(t, s.product, s.root, slices.Concat(refused, ignored))
			for _, name := range refused {
				if !warned[name] {
					t.Errorf("%s is refused by the table, and %s %v knows it", name, s.product, release)
				}
			}
			for _, name := range ignored {
				if warned[name] {
					t.Errorf("%s is ignored by the table, and %s %v does not know it", name, s.product, release)
				}
			}
			if len(refused) < 200 || s.product == MariaDB && len(ignored) < 50 {
				t.Errorf("only %d refused and %d ignored options were compared", len(refused), len(ignored))
			}
		})
	}
}

// askNames are those of the options that a server says it does not know.
func askNames(t *testing.T, product, root string, names []string) map[string]bool {
	t.Helper()
	args := []string{"--no-defaults", "--user=root", "--log-error-verbosity=3", "--secure-file-priv=", "--validate-config"}
	path := "/usr/sbin/mysqld"
	if product == MariaDB {
		args, path = []string{"--no-defaults", "--user=root", "--verbose", "--help"}, "/usr/sbin/mariadbd"
	}
	for _, name := range names {
		args = append(args, "--loose-"+strings.ReplaceAll(name, "_", "-")+"=1")
	}
	c := exec.Command(path, args...)
	if root != "/" {
		c = exec.Command("chroot", append([]string{root, path}, args...)...)
	}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", path, err, out)
	}
	warned := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if _, rest, ok := strings.Cut(line, "unknown variable 'loose-"); ok {
			name, _, _ := strings.Cut(rest, "=")
			warned[strings.ReplaceAll(name, "-", "_")] = true
		}
	}
	return warned
}

// TestIgnored: MariaDB ignores what it has removed and what MySQL has; nothing is said of a release that was not asked.
func TestIgnored(t *testing.T) {
	for _, c := range []struct {
		in   Release
		name string
		want Standing
	}{
		{Release{10, 11, 8}, "innodb_file_format", Accepted},
		{Release{11, 8, 9}, "innodb_file_format", Accepted},
		{Release{10, 6, 5}, "innodb_log_files_in_group", Accepted},
		{Release{12, 0, 2}, "innodb_file_format", Undetermined},
		{Release{11, 8, 2}, "innodb_change_buffering", Accepted},
		{Release{11, 4, 2}, "innodb_change_buffering", Undetermined}, // 10.11 has it, 11.8 ignores it
		{Release{11, 8, 2}, "innodb_change_buffer_max_size", Refused},
		{Release{11, 4, 2}, "innodb_change_buffer_max_size", Undetermined},
		{Release{10, 11, 8}, "binlog_order_commits", Accepted}, // MySQL's
		{Release{10, 11, 8}, "innodb_redo_log_capacity", Refused},
		{Release{10, 11, 8}, "mhnsw_max_cache_size", Refused}, // 11.8 alone has it
		{Release{11, 8, 2}, "innodb_checksums", Refused},      // 10.11 refuses it
	} {
		if got, _ := Stand(MariaDB, c.in, c.name); got != c.want {
			t.Errorf("%s of MariaDB %v: %s, want %s", c.name, c.in, got, c.want)
		}
	}
	if got, _ := Stand(MySQL, Release{9, 7, 4}, "innodb_file_format"); got != Refused {
		t.Errorf("innodb_file_format of MySQL 9.7: %s", got)
	}
}
