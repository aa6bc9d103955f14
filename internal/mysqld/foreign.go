package mysqld

import (
	"fmt"
	"slices"

	"github.com/tarebench/tare/internal/option"
)

// other is an option that only one of MySQL and MariaDB has.
type other struct {
	name    string
	flavour string // whose it is
	instead string // what those have that do not have it
}

// others are the options on which MySQL and MariaDB differ and which people carry from one to the other. The server
// itself refuses what is missing here, only later and less clearly. Read off `mysqld --verbose --help` of MySQL 9.7 and
// MariaDB 10.11. Some of MySQL's names MariaDB takes and ignores, which is worse than an error: the arms would not be
// what the experiment says.
var others = []other{
	{name: "innodb_redo_log_capacity", flavour: MySQL, instead: "innodb_log_file_size"},
	{name: "query_cache_limit", flavour: MariaDB, instead: "no query cache"},
	{name: "innodb_buffer_pool_instances", flavour: MySQL, instead: "one instance only"},
	{name: "innodb_dedicated_server", flavour: MySQL},
	{name: "innodb_log_writer_threads", flavour: MySQL},
	{name: "innodb_doublewrite_files", flavour: MySQL},
	{name: "innodb_doublewrite_pages", flavour: MySQL},
	{name: "innodb_parallel_read_threads", flavour: MySQL},
	{name: "innodb_page_cleaners", flavour: MySQL},
	{name: "innodb_thread_concurrency", flavour: MySQL},
	{name: "innodb_use_fdatasync", flavour: MySQL},
	{name: "temptable_max_ram", flavour: MySQL, instead: "tmp_memory_table_size"},
	{name: "temptable_max_mmap", flavour: MySQL},
	{name: "internal_tmp_mem_storage_engine", flavour: MySQL},
	{name: "gtid_mode", flavour: MySQL, instead: "GTIDs that are always on"},
	{name: "enforce_gtid_consistency", flavour: MySQL},
	{name: "binlog_transaction_compression", flavour: MySQL, instead: "log_bin_compress"},
	{name: "binlog_group_commit_sync_delay", flavour: MySQL, instead: "binlog_commit_wait_usec"},
	{name: "replica_parallel_workers", flavour: MySQL, instead: "slave_parallel_threads"},
	{name: "replica_preserve_commit_order", flavour: MySQL},
	{name: "max_execution_time", flavour: MySQL, instead: "max_statement_time"},
	{name: "super_read_only", flavour: MySQL, instead: "read_only"},
	{name: "authentication_policy", flavour: MySQL},
	{name: "log_error_verbosity", flavour: MySQL, instead: "log_warnings"},
	{name: "container_aware", flavour: MySQL},
	{name: "server_memory", flavour: MySQL},
	{name: "query_cache_size", flavour: MariaDB, instead: "no query cache"},
	{name: "query_cache_type", flavour: MariaDB, instead: "no query cache"},
	{name: "tmp_memory_table_size", flavour: MariaDB, instead: "tmp_table_size"},
	{name: "max_statement_time", flavour: MariaDB, instead: "max_execution_time"},
	{name: "log_warnings", flavour: MariaDB, instead: "log_error_verbosity"},
	{name: "slave_parallel_threads", flavour: MariaDB, instead: "replica_parallel_workers"},
	{name: "log_bin_compress", flavour: MariaDB, instead: "binlog_transaction_compression"},
	{name: "innodb_log_file_buffering", flavour: MariaDB},
}

// foreign says which server an option belongs to when it is not this one. A server that is in an image is not known yet.
func foreign(d Distribution, base string) error {
	if d.Flavour == "" {
		return nil
	}
	i := slices.IndexFunc(others, func(o other) bool { return o.name == base })
	if i >= 0 && others[i].flavour != d.Flavour {
		return fmt.Errorf("set option %s: %s is %s's name%s", base, base, Product(others[i].flavour), instruct(Product(d.Flavour), others[i].instead))
	}
	v := parseVersion(d.Version)
	life, ok := option.Of(base)
	if d.Flavour != MySQL || !v.known() || !ok {
		return nil
	}
	switch at := option.Release(v); {
	case !life.Added(at):
		return fmt.Errorf("set option %s: added in MySQL %s, this server is %s%s", base, release(life.Since), v, instruct("this server", life.Instead))
	case life.Removed(at):
		return fmt.Errorf("set option %s: removed in MySQL %s%s", base, release(life.Until), instruct("this server", life.Instead))
	}
	return nil
}

func instruct(who, instead string) string {
	if instead == "" {
		return fmt.Sprintf("; %s has no equivalent, leave it out", who)
	}
	return fmt.Sprintf("; %s has %s", who, instead)
}

// Product is the name of a flavour as people write it.
func Product(flavour string) string {
	if flavour == MariaDB {
		return "MariaDB"
	}
	return "MySQL"
}
