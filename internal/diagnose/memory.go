package diagnose

// This file is the memory of a case's server: the settings that package memory asks for, from what is
// written and from defaults, and its estimate in words.

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/memory"
	"github.com/tarebench/tare/internal/option"
)

// server is what package memory estimates from. Where a source of options was not read, settings that are not
// written count nothing: the estimate is a lower bound then, and partial says so.
func (c *Case) memoryOf() (s memory.Server, partial bool) {
	_, partial = c.DB.Hidden()
	return c.memoryWhere(partial), partial
}

// memoryWhere is the server where settings that are not written are unknown, or their defaults.
func (c *Case) memoryWhere(partial bool) memory.Server {
	from := sizedBy{
		mariadb: c.DB.Product == manifest.MariaDB, major: c.DB.Version.Major, minor: c.DB.Version.Minor, connections: connections(c),
		group: c.DB.Replication == "group", number: func(name string) int64 { return c.memorySetting(name, partial) },
	}
	if o, ok := c.DB.Option("query_cache_type"); ok {
		from.queryCache = !manifest.IsOff(o.Value) && !c.lacks("query_cache_type")
	}
	schema, why := c.setting("performance_schema")
	from.schema = why.empty() && manifest.IsOn(schema.Value)
	s := from.server()
	s.BufferPool, _, _ = c.DB.BufferPool()
	s.HugePages = c.poolInHugePages()
	if partial && !c.written("max_connections") {
		s.Connections = 0
	}
	return s
}

// sizedBy is what the memory of a server beside its buffer pool depends on, of files as of a server that runs.
type sizedBy struct {
	mariadb                   bool
	major, minor              int
	connections               int64
	schema, queryCache, group bool // performance_schema and the query cache are on, and it is a member of a group
	number                    func(name string) int64
}

func (f sizedBy) server() memory.Server {
	s := memory.Server{MariaDB: f.mariadb, Major: f.major, Minor: f.minor, Connections: f.connections, PerformanceSchema: f.schema}
	s.LogBuffer, s.KeyBuffer, s.TempTable = f.number("innodb_log_buffer_size"), f.number("key_buffer_size"), f.number("temptable_max_ram")
	s.Sort, s.Join, s.Read, s.ReadRandom = f.number("sort_buffer_size"), f.number("join_buffer_size"), f.number("read_buffer_size"), f.number("read_rnd_buffer_size")
	s.BinlogCache = f.number("binlog_cache_size")
	if f.queryCache {
		s.QueryCache = f.number("query_cache_size")
	}
	if f.group {
		s.MessageCache = f.number("group_replication_message_cache_size")
	}
	if s.PerformanceSchema {
		s.DigestRows, s.HistoryRows = f.number("performance_schema_digests_size"), f.number("performance_schema_events_statements_history_long_size")
		s.DigestLength, s.TextLength = f.number("performance_schema_max_digest_length"), f.number("performance_schema_max_sql_text_length")
		s = s.Sized(s.Connections, f.number("table_open_cache"), f.number("table_definition_cache"))
	}
	return s
}

// memorySetting is a setting in bytes: written, a default, or 0 where it may be anything.
func (c *Case) memorySetting(name string, partial bool) int64 {
	if s, why := c.setting(name); why.empty() {
		if n, ok := c.DB.Size(manifest.Option{Value: s.Value}); ok && n >= 0 && n < 1<<50 {
			return n
		}
	}
	if partial {
		return 0
	}
	return memory.Default(name, c.DB.Product == manifest.MariaDB)
}

func (c *Case) written(name string) bool {
	_, ok := c.DB.Option(name)
	return ok
}

// poolInHugePages is whether the container has huge pages for the whole buffer pool. They are charged to the
// hugetlb controller and not to memory.max, unless cgroup2 is mounted with
// memory_hugetlb_accounting (Documentation/admin-guide/cgroup-v2.rst), which no distribution does.
func (c *Case) poolInHugePages() bool {
	size, _, known := c.DB.BufferPool()
	return known && c.usesLargePages() && c.hugePages() >= size
}

func (c *Case) usesLargePages() bool {
	o, ok := c.DB.Option("large_pages")
	return ok && manifest.IsOn(o.Value) && c.DB.Server != nil
}

// hugePages are the container's limit in bytes.
func (c *Case) hugePages() (bytes int64) {
	for _, name := range []string{"hugepages-2Mi", "hugepages-1Gi"} {
		if l := c.DB.Server.Limit(name); l.Positive() {
			bytes += l.Value
		}
	}
	return bytes
}

// perOperatorConnection is by what Percona's operators divide the memory limit for max_connections
// (pkg/pxc/app/config/autotune.go, pkg/mysql/config.go).
const perOperatorConnection = 12582880

const defaultConnections = 151 // max_connections of every version

func connections(c *Case) int64 {
	_, set := c.DB.Option("max_connections")
	if limit, limited := c.DB.MemoryLimit(); !set && limited && strings.HasPrefix(c.DB.Operator, "Percona ") {
		return max(1, limit/perOperatorConnection)
	}
	n, _, why := c.number("max_connections")
	if !why.empty() || n <= 0 {
		return defaultConnections
	}
	if product, in := c.release(); c.DB.Version.Known() {
		if v, ok := option.ValuesIn(product, in, "max_connections"); ok {
			if taken, adjusted := v.Adjusted(n); adjusted {
				return taken
			}
		}
	}
	return n
}

const chunk = 128 << 20 // innodb_buffer_pool_chunk_size

// pool is the buffer pool for a memory limit: at most 75 % of it, and what the server leaves with all connections at
// work; in steps of 128 MiB that the server does not round up. 0 where none fits.
func pool(s memory.Server, limit int64) int64 {
	product := option.MySQL
	if s.MariaDB {
		product = option.MariaDB
	}
	size := min(limit/4*3, memory.Largest(s, limit)) / chunk * chunk
	for size > 0 && option.PoolSize(product, option.Release{s.Major, s.Minor}, size, 0, 0) > size {
		size -= chunk
	}
	return size
}

// limitFor is the memory limit to advise, that the server stays within with all connections at work.
func limitFor(s memory.Server) int64 { return memory.Limit(memory.Of(s).Most()) }

// mebibytes writes a size that is an estimate, rounded up: what exceeds a limit is not written as the limit.
func mebibytes(bytes int64) string {
	if bytes >= 10<<30 {
		return strconv.FormatFloat(math.Ceil(float64(bytes)/(1<<30)*10)/10, 'f', 1, 64) + "Gi"
	}
	return strconv.FormatInt((bytes+1<<20-1)>>20, 10) + "Mi"
}

// inWords are the parts of an estimate that matter, the largest first.
func inWords(e memory.Estimate) Phrase {
	parts := slices.Clone(e.Parts)
	slices.SortStableFunc(parts, func(a, b memory.Part) int { return cmp.Compare(b.Bytes, a.Bytes) })
	all := Phrase{}
	for _, p := range parts {
		if p.Bytes < 8<<20 {
			continue
		}
		one := phrase("%s %s", partName(p.Name), mebibytes(p.Bytes))
		if all.empty() {
			all = one
		} else {
			all = phrase("%s, %s", all, one)
		}
	}
	return all
}

// partName is a part of an estimate as a term that is translated.
func partName(name string) Phrase {
	switch name {
	case "buffer pool":
		return term("buffer pool")
	case "control blocks of the buffer pool":
		return term("its control blocks")
	case "group replication message cache":
		return term("group replication message cache")
	case "log buffer":
		return term("log buffer")
	case "query cache":
		return term("query cache")
	case "server without these":
		return term("the rest of the server")
	}
	return verbatim(name)
}

// sessionBuffers are the options of what each connection may allocate, with MySQL's defaults.
var sessionBuffers = []struct {
	name string
	is   int64
}{{"sort_buffer_size", 256 << 10}, {"join_buffer_size", 256 << 10}, {"read_buffer_size", 128 << 10}, {"read_rnd_buffer_size", 256 << 10}}

// largeBuffers are those that are set above 2 MiB, MariaDB's largest default, as pairs of a name and the default.
func (c *Case) largeBuffers() (pairs []string) {
	for _, b := range sessionBuffers {
		if o, ok := c.DB.Option(b.name); ok {
			if n, ok := option.Bytes(o.Value); ok && n > 2<<20 {
				pairs = append(pairs, b.name, strconv.FormatInt(b.is>>10, 10)+"K")
			}
		}
	}
	return pairs
}
