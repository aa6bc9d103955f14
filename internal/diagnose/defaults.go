package diagnose

// This file is what servers do where nothing is set: read from running servers
// (8.0.46, 8.4.13, 9.7.4; MariaDB 10.11.19, 11.8.9) with SHOW GLOBAL VARIABLES.
// Only options that do not depend on the machine stand here.

import "github.com/tarebench/tare/internal/manifest"

// defaults of one option: MySQL 8.0, 8.4, 9.x and MariaDB from 10.6.
type defaults struct{ v80, v84, v9, mariadb string }

func defaultTable() map[string]defaults {
	return map[string]defaults{
		"innodb_flush_log_at_trx_commit": {"1", "1", "1", "1"},
		"sync_binlog":                    {"1", "1", "1", "0"},
		"log_bin":                        {"ON", "ON", "ON", "OFF"},
		"innodb_redo_log_capacity":       {"100M", "100M", "100M", ""},
		"innodb_log_file_size":           {"48M", "48M", "", "96M"},
		"innodb_buffer_pool_size":        {"128M", "128M", "128M", "128M"},
		"innodb_io_capacity":             {"200", "10000", "10000", "200"},
		"innodb_flush_method":            {"fsync", "O_DIRECT", "O_DIRECT", "O_DIRECT"},
		"innodb_use_fdatasync":           {"OFF", "ON", "ON", ""},
		"innodb_doublewrite":             {"ON", "ON", "ON", "ON"},
		"innodb_numa_interleave":         {"OFF", "ON", "ON", "OFF"},
		"innodb_flush_neighbors":         {"0", "0", "0", "1"},
		"innodb_dedicated_server":        {"OFF", "OFF", "OFF", ""},
		"container_aware":                {"", "", "OFF", ""},
		"innodb_log_writer_threads":      {"ON", "ON", "", ""},
		"performance_schema":             {"ON", "ON", "ON", "OFF"},
		"max_connections":                {"151", "151", "151", "151"},
		"general_log":                    {"OFF", "OFF", "OFF", "OFF"},
		"slow_query_log":                 {"OFF", "OFF", "OFF", "OFF"},
		"skip_name_resolve":              {"OFF", "OFF", "OFF", "OFF"},
		"large_pages":                    {"OFF", "OFF", "OFF", "OFF"},
		"binlog_row_image":               {"FULL", "FULL", "FULL", "FULL"},
		"wsrep_slave_threads":            {"1", "1", "1", "1"},
		"wsrep_provider_options":         {"", "", "", ""},
		"innodb_read_io_threads":         {"4", "", "", "4"},
		"innodb_write_io_threads":        {"4", "4", "4", "4"},
	}
}

// defaultOf is an option's value where nothing sets it. Where the version is not
// known, the answer is certain only if all versions agree.
func defaultOf(p manifest.Product, v manifest.Version, name string) (string, bool) {
	d, ok := defaultTable()[name]
	if !ok {
		return "", false
	}
	switch {
	case p == manifest.MariaDB:
		return d.mariadb, true
	case !v.Known():
		return d.v80, d.v80 == d.v84 && d.v84 == d.v9 && p == manifest.MySQL
	case v.Major >= 9:
		return d.v9, true
	case v.AtLeast(8, 4, 0): // 8.1 to 8.3 still have 8.0's (mysqlDefaults)
		return d.v84, true
	case v.AtLeast(8, 0, 0):
		return d.v80, true
	}
	return "", false // 5.7 was not measured
}
