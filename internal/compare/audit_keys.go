package compare

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/keys"
)

// replicationVariable says that a variable is one of replication's: a plugin's, which
// servers without it do not have, or one that a cluster sets by the number of its members.
func replicationVariable(name string) bool {
	if name == "auto_increment_increment" || name == "auto_increment_offset" {
		return true
	}
	for _, p := range []string{"group_replication_", "rpl_semi_sync_", "wsrep_"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// fatalKey says that two arms which differ in this key, undeclared, were not the
// same database: the comparison would be of two servers, not of two places.
func fatalKey(key string) bool {
	return strings.HasPrefix(key, keys.MySQLVariablePrefix) || hashKey(key)
}

// hashKey says that a fact is the hash of what a trial started from, which every trial
// of a run has in common: half of the arms' rounds on other data is not a comparison, even
// where it is half of every arm's.
func hashKey(key string) bool { return key == keys.ServerSHA256 || key == keys.DataSHA256 }

// serverKey says that a fact is of the server's files, or of the data that they made.
func serverKey(key string) bool {
	switch key {
	case keys.ServerFlavour, keys.ServerVersion, keys.ServerSHA256, keys.ServerSource, keys.DataSHA256:
		return true
	}
	return false
}

// placeKey says that a fact follows from where an arm runs: the server's process
// and what surrounds it, but not which server it is.
func placeKey(key string) bool {
	if key == keys.LoadFrom {
		return true
	}
	if serverKey(key) {
		return false
	}
	for _, p := range []string{"cgroup.", "pod.", "container.", "kubernetes.", "operator.", "external.", "neighbour.", "client.", "network.", keys.InterfacePrefix, "replication.", "server."} {
		if strings.HasPrefix(key, p) || strings.Contains(key, "."+p) {
			return true
		}
	}
	return false
}

// nodeKey says that a fact is of the node that Kubernetes has placed a server on, or of its kubelet.
func nodeKey(key string) bool {
	return strings.HasPrefix(key, keys.KubeletPrefix) || strings.HasPrefix(key, "node.")
}

// perStartKey says that a fact tells one start of a server from the next and
// nothing about how it is run.
func perStartKey(key string) bool {
	if name, ok := strings.CutPrefix(key, keys.MySQLVariablePrefix); ok {
		return slices.Contains(perStartVariables(), name)
	}
	if strings.HasPrefix(key, keys.OperatorOptionPrefix) || strings.HasPrefix(key, keys.ImageOptionPrefix) || strings.HasPrefix(key, keys.ManifestsOptionPrefix) {
		return true
	}
	if strings.HasPrefix(key, keys.SentinelPrefix) || strings.HasPrefix(key, "gate.") { // of the moment
		return true
	}
	switch key {
	case keys.PodAskedQoS, keys.PodAskedCPURequest, keys.PodAskedCPULimit, keys.PodAskedMemoryRequest, keys.PodAskedMemoryLimit: // what pods have is compared
		return true
	case keys.HostLoad: // of the moment
		return true
	case keys.DataBytes: // InnoDB's estimate
		return true
	case keys.ServerExe, keys.ServerCgroup: // paths; what they hold is read on its own
		return true
	}
	for _, suffix := range []string{".pid", ".path", ".dir", ".socket", ".port", ".id", ".name", ".hostname", ".uuid", ".started"} {
		if strings.HasSuffix(key, suffix) {
			return true
		}
	}
	return false
}

// perStartVariables are the server variables that differ between two starts of
// the same server with the same settings.
func perStartVariables() []string {
	return []string{
		// Where its files are; what they hold is compared by their checksums.
		"basedir", "datadir", "tmpdir", "slave_load_tmpdir", "replica_load_tmpdir", "innodb_tmpdir",
		"character_sets_dir", "plugin_dir", "lc_messages_dir", "secure_file_priv", "init_file",
		"innodb_data_home_dir", "innodb_log_group_home_dir", "innodb_undo_directory",
		"innodb_temp_tablespaces_dir", "innodb_directories", "innodb_doublewrite_dir", "aria_log_dir_path",
		"general_log_file", "slow_query_log_file", "log_slow_query_file", "log_error", "pid_file", "log_bin_basename",
		"log_bin_index", "relay_log", "relay_log_basename", "relay_log_index", "relay_log_info_file",
		"ssl_ca", "ssl_capath", "ssl_cert", "ssl_key", "admin_ssl_ca", "admin_ssl_cert", "admin_ssl_key",
		"caching_sha2_password_private_key_path", "caching_sha2_password_public_key_path",
		"sha256_password_private_key_path", "sha256_password_public_key_path", "wsrep_data_home_dir",
		"mysqlx_ssl_ca", "mysqlx_ssl_cert", "mysqlx_ssl_key", "performance_schema_show_processlist_path",
		// Where it answers.
		"socket", "mysqlx_socket", "port", "mysqlx_port", "admin_port", "admin_address", "bind_address",
		"mysqlx_bind_address", "hostname", "report_host", "report_port", "wsrep_node_name", "wsrep_node_address",
		"wsrep_node_incoming_address", "wsrep_provider_options",
		// Who and when it is.
		"server_uuid", "server_uid", "timestamp", "pseudo_thread_id", "rand_seed1", "rand_seed2",
		"last_insert_id", "identity", "insert_id", "statement_id", "error_count", "warning_count",
		"gtid_executed", "gtid_purged", "gtid_current_pos", "gtid_binlog_pos", "gtid_binlog_state",
		"gtid_slave_pos", "gtid_next", "last_gtid", "in_transaction", "external_user", "proxy_user",
		"original_commit_timestamp", "system_time_zone", "skip_networking",
	}
}

// derivedVariables are those that a server sets by itself from what it finds in
// its surroundings, and the code of what it chose them from. That an arm's surroundings make the server
// choose otherwise is part of what the arm costs.
func derivedVariables() map[string]string {
	const (
		cpus   = "from-cpus"
		memory = "from-memory"
		files  = "from-open-files"
		place  = "from-file-system"
	)
	return map[string]string{
		"innodb_buffer_pool_instances": cpus, "innodb_page_cleaners": cpus, "innodb_purge_threads": cpus,
		"innodb_read_io_threads": cpus, "innodb_parallel_read_threads": cpus, "innodb_log_writer_threads": cpus,
		"thread_pool_size": cpus, "innodb_ddl_threads": cpus, "innodb_numa_interleave": cpus,
		"replica_parallel_workers":      cpus,
		"innodb_buffer_pool_size":       memory,
		"innodb_redo_log_capacity":      memory,
		"temptable_max_ram":             memory,
		"innodb_log_buffer_size":        memory,
		"innodb_buffer_pool_chunk_size": memory,
		"open_files_limit":              files, "innodb_open_files": files, "max_connections": files,
		"table_open_cache": files, "table_definition_cache": files,
		"innodb_flush_method": place, "innodb_use_native_aio": place, "innodb_use_fdatasync": place,
		"lower_case_file_system": place, "large_page_size": place, "locked_in_memory": place,
	}
}
