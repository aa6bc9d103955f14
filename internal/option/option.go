// Package option says what server options mean: which releases of MySQL have them, and which texts are one value.
package option

import (
	"slices"
	"strings"
)

// Release is a release of MySQL: major, minor and patch.
type Release [3]int

// VariableName is an option as the server's variable is called: dashes and
// underscores are the same to it, and so is an option that may be unknown (loose-).
func VariableName(name string) string {
	return strings.TrimPrefix(strings.ReplaceAll(strings.ToLower(name), "-", "_"), "loose_")
}

// Life says which releases of MySQL have an option.
type Life struct {
	Name string
	// Since is the first release that has the option; zero where all that tare knows do.
	Since Release
	// Until is the first release that refuses to start with it; zero where none does.
	Until Release
	// Instead is the option that does the same in the releases that lack this one.
	Instead string
}

// lives are measured with mysqld --validate-config of MySQL 8.0.46, 8.4.13 and 9.7.4; a
// Since within a series is from MySQL's release notes.
var lives = slices.Concat(
	removed(Release{5, 7, 0}, "innodb_additional_mem_pool_size", "thread_concurrency"), // release notes of 5.7.4 and 5.7.2
	removed(Release{8, 0, 0}, "query_cache_size", "query_cache_type", "query_cache_limit", "innodb_support_xa", "innodb_file_format", "innodb_large_prefix", "sync_frm", "log_warnings", "secure_auth"),
	removed(Release{8, 4, 0}, "binlog_transaction_dependency_tracking", "transaction_write_set_extraction", "master_info_repository", "relay_log_info_repository", "default_authentication_plugin", "skip_host_cache"),
	removed(Release{9, 0, 0}, "mysql_native_password", "mysql_native_password_proxy_users"), // release notes of 9.0.0: the plugin is gone
	removed(Release{9, 7, 0}, "innodb_undo_tablespaces", "temptable_use_mmap", "replica_parallel_type"),
	[]Life{
		{Name: "log_slow_queries", Until: Release{5, 6, 0}, Instead: "slow_query_log_file"}, // these two: no release that was asked has them
		{Name: "table_cache", Until: Release{5, 6, 0}, Instead: "table_open_cache"},
		{Name: "myisam_recover", Until: Release{5, 7, 0}, Instead: "myisam_recover_options"}, // renamed in 5.5.3; 5.7 takes no beginnings of names
		{Name: "expire_logs_days", Until: Release{8, 4, 0}, Instead: "binlog_expire_logs_seconds"},
		{Name: "innodb_log_file_size", Until: Release{9, 7, 0}, Instead: "innodb_redo_log_capacity"},
		{Name: "innodb_log_files_in_group", Until: Release{9, 7, 0}, Instead: "innodb_redo_log_capacity"},
		{Name: "tx_isolation", Until: Release{8, 0, 0}, Instead: "transaction_isolation"}, // a variable of 5.7 and no option
		{Name: "tx_read_only", Until: Release{8, 0, 0}, Instead: "transaction_read_only"},
		{Name: "innodb_redo_log_capacity", Since: Release{8, 0, 30}, Instead: "innodb_log_file_size"},
		{Name: "container_aware", Since: Release{9, 6, 0}},
		{Name: "server_memory", Since: Release{9, 4, 0}},
	},
)

func removed(until Release, names ...string) (all []Life) {
	for _, name := range names {
		all = append(all, Life{Name: name, Until: until})
	}
	return all
}

// Of is when MySQL had an option; ok is false for one that no release added or removed.
func Of(name string) (l Life, ok bool) {
	i := slices.IndexFunc(lives, func(l Life) bool { return l.Name == name })
	if i < 0 {
		return Life{}, false
	}
	return lives[i], true
}

// Added is whether a release is not too old for the option.
func (l Life) Added(in Release) bool { return slices.Compare(in[:], l.Since[:]) >= 0 }

// Removed is whether a release is too new for it.
func (l Life) Removed(in Release) bool {
	return l.Until != Release{} && slices.Compare(in[:], l.Until[:]) >= 0
}
