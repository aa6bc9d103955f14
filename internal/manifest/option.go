package manifest

// This file says what options mean: switches, which groups a server reads.

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/option"
)

// IsOn is whether a switch is on.
func IsOn(s string) bool {
	switch strings.ToUpper(s) {
	case "1", "ON", "TRUE", "YES":
		return true
	}
	return false
}

// IsOff is what mysqld reads as off.
func IsOff(s string) bool {
	switch strings.ToUpper(s) {
	case "0", "OFF", "FALSE", "NO":
		return true
	}
	return false
}

var serverGroups = regexp.MustCompile(`^(mysqld|server|mariadb|mariadbd|galera|client-server)(-(\d+\.\d+))?$`)

// OfServer is whether a server of a version reads the group of an option file: the groups
// without a version, and those of its own release series, such as mysqld-8.4. A server of
// an unknown version is taken to read each of them.
func OfServer(group string, version Version) bool {
	m := serverGroups.FindStringSubmatch(group)
	if m == nil {
		return false
	}
	return m[3] == "" || !version.Known() || m[3] == version.Series()
}

// OfMySQL is whether a MySQL server of a version reads the group: MySQL has no groups of MariaDB's,
// and adds its version to mysqld alone (sql/mysqld.cc, load_default_groups).
func OfMySQL(group string, version Version) bool {
	return OfServer(group, version) && (group == "server" || strings.HasPrefix(group, "mysqld"))
}

// reads is whether this server reads the group; one of an unknown product is taken to read all.
func (d *Database) reads(group string) bool {
	if d.Product == MySQL {
		return OfMySQL(group, d.Version)
	}
	return OfServer(group, d.Version)
}

// synonyms are names that set the same variable.
func synonyms(name string) []string {
	switch name {
	case "wsrep_slave_threads":
		return []string{"wsrep_slave_threads", "wsrep_applier_threads"}
	case "replica_parallel_workers":
		return []string{"replica_parallel_workers", "slave_parallel_workers", "slave_parallel_threads"}
	}
	return []string{name}
}

// aliases of mysqld: an option file may use either.
func canonical(name string) string {
	if name == "skip_bin_log" || name == "bin_log" {
		return "log_bin"
	}
	return name
}

// Option is the last setting of a name: the one that holds.
func (d *Database) Option(name string) (Option, bool) {
	names := synonyms(name)
	for _, o := range slices.Backward(d.Config.Options) {
		if slices.Contains(names, canonical(o.Name)) && d.reads(o.Group) {
			return o, true
		}
	}
	return Option{}, false
}

var memoryTemplate = regexp.MustCompile(`^\{\{\s*containerMemoryLimit\s*(?:\*\s*(\d{1,6})\s*)?(?:/\s*(\d{1,6})\s*)?\}\}$`)

// Size is an option's value in bytes. Percona's operators fill in
// `{{containerMemoryLimit * 3/4}}` from the limit.
func (d *Database) Size(o Option) (int64, bool) {
	m := memoryTemplate.FindStringSubmatch(strings.TrimSpace(o.Value))
	if m == nil {
		return option.Bytes(o.Value)
	}
	limit, ok := d.MemoryLimit()
	if !ok {
		return 0, false
	}
	factor, divisor := 1.0, 1.0
	if m[1] != "" {
		factor, _ = strconv.ParseFloat(m[1], 64)
	}
	if m[2] != "" {
		divisor, _ = strconv.ParseFloat(m[2], 64)
	}
	if divisor == 0 {
		return 0, false
	}
	return int64(float64(limit) * factor / divisor), true
}
