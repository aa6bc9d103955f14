package option

import (
	"slices"
	"testing"
)

// TestNowhere: a name is nowhere only where no plugin, other build or abbreviation can explain it.
func TestNowhere(t *testing.T) {
	for _, c := range []struct {
		product, name string
		want          bool
	}{
		{MySQL, "foobar", true}, {MariaDB, "foobar", true}, {"", "foobar", true}, {MySQL, "skip_foobar", true},
		{MariaDB, "innodb_version", true}, {MySQL, "time_zone", true},
		{MariaDB, "key_buffer", false}, {MySQL, "key_buffer", true}, {"", "key_buffer", false}, // an abbreviation
		{MySQL, "skip_name_resolve", false}, {MySQL, "name_resolve", false}, {MySQL, "disable_log_bin", false}, {MySQL, "maximum_sort_buffer_size", false},
		{MariaDB, "server_audit_logging", false}, {MySQL, "rocksdb_x", false}, {MySQL, "validate_password_policy", false}, {MySQL, "rpl_semi_sync_source_enabled", false},
		{MySQL, "plugin_load", false}, {MySQL, "validate_password.policy", false}, {MySQL, "userstat", false}, {MySQL, "wsrep_x", false}, {MySQL, "${option}", false},
		{MariaDB, "innodb_defragment", false}, {MariaDB, "thread_pool_size", false},
	} {
		if got := Nowhere(c.product, c.name); got != c.want {
			t.Errorf("%s of %q: %t", c.name, c.product, got)
		}
	}
	for name, want := range map[string]string{"time_zone": "default_time_zone", "key_buffer": "key_buffer_size", "tx_isolation": "transaction_isolation", "foobar": "", "innodb": ""} {
		if got := Meant(MySQL, name); got != want {
			t.Errorf("%s means %q, want %q", name, got, want)
		}
	}
}

// TestNowhereOfServersHere: the servers of this machine refuse what is said to be nowhere, and have none of their
// options among it.
func TestNowhereOfServersHere(t *testing.T) {
	asked := []string{"foobar", "innodb_version", "time_zone", "tx_isolation", "default_character_set", "table_cache", "log_slow_queries", "log_slow_queries_to", "innodb_additional_mem_pool_size",
		"max_long_data_size", "skip_locking", "storage_engine", "set_variable", "myisam_recover", "innodb_use_sys_malloc", "engine_condition_pushdown"}
	for _, s := range serversHere() {
		t.Run(s.name, func(t *testing.T) {
			release, listed := helpOf(t, s.product, s.root)
			variables := slices.Clone(asked)
			for name := range listed { // MariaDB lists variables that are no options, such as version_comment
				variables = append(variables, name)
			}
			if !Measured(s.product, release) {
				t.Errorf("%s %v is not a release of the tables", s.product, release)
			}
			names := slices.DeleteFunc(variables, func(name string) bool { return !Nowhere(s.product, name) })
			warned := askNames(t, s.product, s.root, names)
			for _, name := range names {
				if !warned[name] {
					t.Errorf("%s %v knows %s", s.product, release, name)
				}
			}
			if len(names) < 8 {
				t.Errorf("only %v were asked", names)
			}
		})
	}
}
