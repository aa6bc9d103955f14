package mysqld

import (
	"strings"

	"github.com/tarebench/tare/internal/memory"
)

// Memory is what package memory estimates a server from: its configuration, its product and version, "" where they are
// not known, and so many connections of a load.
func Memory(config map[string]string, flavour, version string, connections int64) memory.Server {
	opts, v := normalise(config), parseVersion(version)
	s := memory.Server{MariaDB: flavour == MariaDB, Major: v[0], Minor: v[1], BufferPool: BufferPool(config, flavour, version), Connections: connections}
	size := func(name string) int64 { return sizeOr(opts[name], memory.Default(name, s.MariaDB)) }
	s.LogBuffer = size("innodb_log_buffer_size")
	if !s.MariaDB && opts["innodb_log_buffer_size"] == "" && v.less(release{8, 4, 0}) {
		s.LogBuffer = 16 << 20 // its default then; of a version that is not known the smaller one
	}
	s.Sort, s.Join, s.Read, s.ReadRandom, s.BinlogCache = size("sort_buffer_size"), size("join_buffer_size"), size("read_buffer_size"), size("read_rnd_buffer_size"), size("binlog_cache_size")
	s.HugePages = isOn(opts["large_pages"])
	schema, set := opts["performance_schema"]
	s.PerformanceSchema = flavour == MySQL && !set || set && (schema == "" || isOn(schema))
	if s.PerformanceSchema {
		s.DigestRows, s.HistoryRows = size("performance_schema_digests_size"), size("performance_schema_events_statements_history_long_size")
		s.DigestLength, s.TextLength = size("performance_schema_max_digest_length"), size("performance_schema_max_sql_text_length")
		s = s.Sized(sizeOr(opts["max_connections"], 151), size("table_open_cache"), size("table_definition_cache"))
	}
	return s
}

// isOn is whether a server takes the value of a switch as on.
func isOn(value string) bool {
	switch strings.ToLower(value) {
	case "on", "1", "true", "yes":
		return true
	}
	return false
}
