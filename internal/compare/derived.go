package compare

// This file is which variables a server computes from which options, so that an arm which declares an
// option also declares what follows from it: max_connections sets host_cache_size. The table is from
// the MySQL Reference Manual (Server System Variables, InnoDB Startup Options: "autosized", "derived"),
// MariaDB's, and from servers that were asked (testdata/derived.txt).

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/experiment"
)

// derivation is the variables that a server computes from an option where they are not set
// themselves. One that ends in * stands for all that begin so.
type derivation struct {
	option    string
	variables []string
}

func derivations() []derivation {
	const schema = "performance_schema_*"
	characters := []string{"character_set_*", "collation_*"}
	return []derivation{
		{"max_connections", []string{"back_log", "host_cache_size", "thread_cache_size", "open_files_limit", "table_open_cache", "table_definition_cache", "table_open_cache_instances", "innodb_open_files", schema}},
		{"table_open_cache", []string{"table_definition_cache", "table_open_cache_instances", "open_files_limit", "innodb_open_files", "max_connections", schema}},
		{"table_definition_cache", []string{"innodb_open_files", "open_files_limit", schema}},
		{"open_files_limit", []string{"max_connections", "table_open_cache", "table_definition_cache", "table_open_cache_instances", "innodb_open_files", schema}},
		{"innodb_file_per_table", []string{"innodb_open_files"}},
		{"innodb_dedicated_server", []string{"innodb_buffer_pool_size", "innodb_buffer_pool_instances", "innodb_buffer_pool_chunk_size", "innodb_page_cleaners", "innodb_redo_log_capacity", "innodb_log_file_size", "innodb_log_files_in_group", "innodb_log_buffer_size", "innodb_flush_method"}},
		{"innodb_buffer_pool_size", []string{"innodb_buffer_pool_instances", "innodb_buffer_pool_chunk_size", "innodb_page_cleaners", "innodb_adaptive_hash_index_cells", "innodb_adaptive_hash_index_parts"}},
		{"innodb_buffer_pool_instances", []string{"innodb_buffer_pool_size", "innodb_buffer_pool_chunk_size", "innodb_page_cleaners"}},
		{"innodb_buffer_pool_chunk_size", []string{"innodb_buffer_pool_size"}},
		{"innodb_log_file_size", []string{"innodb_redo_log_capacity"}},
		{"innodb_log_files_in_group", []string{"innodb_redo_log_capacity"}},
		{"innodb_redo_log_capacity", []string{"innodb_log_file_size", "innodb_log_files_in_group"}},
		{"innodb_io_capacity", []string{"innodb_io_capacity_max"}},
		{"innodb_io_capacity_max", []string{"innodb_io_capacity"}},
		{"innodb_read_only", []string{"innodb_doublewrite", "innodb_doublewrite_files", "innodb_doublewrite_pages", "innodb_log_file_mmap"}},
		{"innodb_doublewrite", []string{"innodb_doublewrite_files", "innodb_doublewrite_pages"}},
		{"innodb_read_io_threads", []string{"innodb_doublewrite_pages"}},
		{"innodb_write_io_threads", []string{"innodb_doublewrite_pages"}},
		// MariaDB since 10.8.4 writes the log through the page cache with 2 (storage/innobase/log/log0log.cc, log_t::attach).
		{"innodb_flush_log_at_trx_commit", []string{"innodb_log_file_buffering"}},
		{"innodb_page_cleaners", []string{"innodb_buffer_pool_instances"}},
		{"log_bin", []string{"log_replica_updates", "log_slave_updates", "log_bin_basename", "log_bin_index"}},
		{"gtid_mode", []string{"enforce_gtid_consistency"}},
		{"performance_schema", []string{schema}},
		{"slow_query_log", []string{"log_slow_query"}},
		{"tmp_table_size", []string{"tmp_memory_table_size"}},
		{"tmp_memory_table_size", []string{"tmp_table_size"}},
		{"transaction_isolation", []string{"tx_isolation"}},
		{"tx_isolation", []string{"transaction_isolation"}},
		{"transaction_read_only", []string{"tx_read_only"}},
		{"character_set_server", characters},
		{"collation_server", characters},
	}
}

// spellings are other options that set one.
func spellings(option string) []string {
	if option == "log_bin" {
		return []string{"log_bin", "skip_log_bin", "disable_log_bin"}
	}
	return []string{option, "skip_" + option}
}

// derivedFrom is the option that one of two arms declares and the other does not, or with another
// value, and from which their servers compute a variable; "" if there is none.
func derivedFrom(variable string, base, arm experiment.Arm) string {
	for _, d := range derivations() {
		if d.has(variable) && slices.ContainsFunc(spellings(d.option), func(option string) bool {
			was, before := asked(base.Config, option)
			is, after := asked(arm.Config, option)
			return before != after || was != is
		}) {
			return d.option
		}
	}
	return ""
}

func (d derivation) has(variable string) bool {
	return slices.ContainsFunc(d.variables, func(name string) bool {
		prefix, many := strings.CutSuffix(name, "*")
		return name == variable || many && strings.HasPrefix(variable, prefix)
	})
}
