package memory

// defaults are those of settings of which package option has no table, or whose default the server computes;
// MySQL's and MariaDB's (both manuals, Server System Variables and Performance Schema System Variables). 0 is computed.
var defaults = map[string][2]int64{
	"performance_schema_digests_size": {}, "performance_schema_events_statements_history_long_size": {},
	"performance_schema_max_digest_length": {}, "performance_schema_max_sql_text_length": {},
	"table_open_cache": {4000, 2000}, "table_definition_cache": {2000, 400},
	"innodb_log_buffer_size": {64 << 20, 16 << 20}, "key_buffer_size": {8 << 20, 128 << 20}, "query_cache_size": {0, 0},
	"sort_buffer_size": {256 << 10, 2 << 20}, "join_buffer_size": {256 << 10, 256 << 10}, "read_buffer_size": {128 << 10, 128 << 10},
	"read_rnd_buffer_size": {256 << 10, 256 << 10}, "binlog_cache_size": {32 << 10, 32 << 10},
	"group_replication_message_cache_size": {1 << 30, 0}, "temptable_max_ram": {0, 0},
}

// Default is a setting in bytes where nothing sets it, in the newest releases; 0 where the server computes it.
func Default(name string, mariadb bool) int64 {
	if mariadb {
		return defaults[name][1]
	}
	return defaults[name][0]
}
