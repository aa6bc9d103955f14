// Package memory estimates the memory that a MySQL or MariaDB server takes, from its settings.
//
// The formula and its sources are in docs/memory.md. Its constants were fitted to the resident set of servers of
// seven releases (testdata/measured.tsv); a test compares every estimate with what was measured.
package memory

// The units of the constants below.
const (
	kib = 1 << 10
	mib = 1 << 20
)

// Server is what the estimate depends on, in bytes and numbers. A field that is 0 takes nothing: it gives a lower bound
// where a setting is not known.
type Server struct {
	MariaDB bool
	// Major and Minor are the first numbers of the release, 0 where they are not known.
	Major, Minor int

	BufferPool, LogBuffer, KeyBuffer, QueryCache int64
	// HugePages is whether the buffer pool is in huge pages, which no memory limit counts.
	HugePages bool
	// MessageCache is group_replication_message_cache_size of a member of a group, which XCom fills.
	MessageCache int64
	// TempTable is temptable_max_ram: what internal temporary tables of all sessions may take together.
	TempTable int64

	PerformanceSchema bool
	// Large is whether performance_schema sizes itself for a large server: see [Server.Sized].
	Large bool
	// DigestRows, HistoryRows, DigestLength and TextLength are performance_schema_digests_size,
	// performance_schema_events_statements_history_long_size, performance_schema_max_digest_length and
	// performance_schema_max_sql_text_length; 0 is what the server computes.
	DigestRows, HistoryRows, DigestLength, TextLength int64

	Connections int64
	// Of each connection: what statements may allocate once each.
	Sort, Join, Read, ReadRandom, BinlogCache int64
}

// Part is one use of memory.
type Part struct {
	Name  string // as docs/memory.md calls it
	Bytes int64
}

// Estimate is what a server takes.
type Estimate struct {
	// Parts are there when the buffer pool is full and no client is connected. The first is the buffer pool.
	Parts []Part
	// Code is the server's program file, which counts as resident but which the kernel can drop.
	Code int64
	// Idle is what a connection takes that has run a small statement, Busy what one takes besides at most with one
	// buffer of each kind in use.
	Idle, Busy int64
	// Connections is how many there may be.
	Connections int64
	// Rare is what is only taken by servers that use it: MyISAM's key buffer, internal temporary tables.
	Rare int64
}

// Full is what the server takes when the buffer pool is full and no client is connected.
func (e Estimate) Full() (bytes int64) {
	for _, p := range e.Parts {
		bytes += p.Bytes
	}
	return bytes
}

// busyShare is the part of the connections that run a statement at the same moment in usual operation: one in ten.
// Most applications hold a pool of which few connections are in use.
const busyShare = 10

// Usual is what the server takes with all connections open, of which one in ten uses its buffers.
func (e Estimate) Usual() int64 {
	return e.Full() + e.Connections*e.Idle + (e.Connections+busyShare-1)/busyShare*e.Busy
}

// Most is what the server takes if all connections use one buffer of each kind at the same moment.
func (e Estimate) Most() int64 { return e.Full() + e.Connections*(e.Idle+e.Busy) }

// Error is how far an estimate may be from the truth, in % (docs/memory.md).
const Error = 15

// Exceeds is whether an estimate exceeds a limit for certain: by more than its error.
func Exceeds(estimate, limit int64) bool { return estimate > limit/100*(100+Error) }

// series are the constants of the releases of a product, measured.
type series struct {
	base     int64 // threads, dictionary and caches with few tables, InnoDB without its pool
	code     int64 // the program file
	overhead int64 // of the buffer pool, in thousandths of it, with the pool: control blocks, hash tables
	idle     int64 // of a connection: stack, THD, net buffer
	idleOf   int64 // of a connection in performance_schema
	busy     int64 // of a statement, besides its buffers
	// grown is how much a buffer takes of its size, in tenths: allocators keep the smaller ones that it has grown from.
	grown int64
	// lazyLog is whether the pages of the log buffer are taken only as they are written to.
	lazyLog bool
}

// seriesOf are the constants of a server's release. A release that is not known has those of MySQL 8.0, the
// smaller ones: an estimate that is too large would find faults that are none.
func seriesOf(s Server) series {
	switch {
	case s.MariaDB && s.Major >= 11:
		return series{base: 72 * mib, code: 28 * mib, overhead: 1020, idle: 190 * kib, idleOf: 110 * kib, grown: 11, lazyLog: true}
	case s.oldMariaDB():
		return series{base: 96 * mib, code: 19 * mib, overhead: 1065, idle: 85 * kib, grown: 11, lazyLog: true}
	case s.MariaDB:
		return series{base: 53 * mib, code: 23 * mib, overhead: 1020, idle: 110 * kib, idleOf: 110 * kib, grown: 11, lazyLog: true}
	case s.Major == 5:
		return series{base: 11 * mib, code: 20 * mib, overhead: 1090, idle: 195 * kib, idleOf: 100 * kib, busy: mib, grown: 11, lazyLog: true}
	case s.Major > 8 || s.Major == 8 && s.Minor >= 4:
		return series{base: 146 * mib, code: 49 * mib, overhead: 1080, idle: 355 * kib, idleOf: 205 * kib, busy: mib, grown: 18}
	}
	return series{base: 79 * mib, code: 38 * mib, overhead: 1080, idle: 255 * kib, idleOf: 140 * kib, busy: mib, grown: 18}
}

// oldMariaDB is whether the release is before 10.5.
func (s Server) oldMariaDB() bool { return s.MariaDB && s.Major == 10 && s.Minor < 5 }

// Of is the estimate for a server.
func Of(s Server) Estimate {
	p := seriesOf(s)
	pool := s.BufferPool
	if s.HugePages {
		pool = 0
	}
	e := Estimate{Connections: s.Connections, Code: p.code, Idle: p.idle, Rare: s.KeyBuffer + s.TempTable}
	e.Parts = []Part{
		{"buffer pool", pool},
		{"control blocks of the buffer pool", s.BufferPool / 1000 * (p.overhead - 1000)},
		{"group replication message cache", s.MessageCache},
		{"performance_schema", s.performanceSchema()},
		{"log buffer", s.LogBuffer},
		{"query cache", s.QueryCache},
		{"server without these", p.base},
	}
	if p.lazyLog {
		e.Parts[4].Bytes, e.Rare = 0, e.Rare+s.LogBuffer
	}
	if s.PerformanceSchema {
		e.Idle += p.idleOf
	}
	buffers := s.Sort + s.Join + s.Read + s.ReadRandom + s.BinlogCache
	e.Busy = p.busy + buffers/10*p.grown
	return e
}

// Limit is the memory limit to advise for a server that takes so much: it in whole steps of 256 MiB.
func Limit(takes int64) int64 {
	const step = 256 * mib
	return (takes + step - 1) / step * step
}

// Largest is the largest buffer pool with which the server stays within a limit: [Estimate.Most] of it, in whole
// MiB; 0 where none does.
func Largest(s Server, limit int64) int64 {
	s.BufferPool, s.HugePages = 0, false
	left := limit - Of(s).Most()
	return max(left/seriesOf(s).overhead*1000/mib*mib, 0)
}
