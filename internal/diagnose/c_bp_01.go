package diagnose

import (
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/memory"
)

func cBP01() Rule {
	return Rule{
		ID: "C-BP-01", Title: "Buffer pool misses: transactions wait for disk reads", Severity: Warning,
		What: "A page that is not in the buffer pool is read by the session itself, which waits for the disk. That takes a hundred times as long as a page " +
			"in memory, or more.",
		Impact:   "Transaction latency follows the volume's read latency.",
		Fix:      "Increase innodb_buffer_pool_size and the memory limit it needs. Use faster storage where the data cannot fit into memory.",
		Sources:  []string{mysqlPool, kubeblocks2023},
		Counters: []string{keys.MySQLInnoDBBufferPoolReads, keys.MySQLFileDataReadNS},
		Run:      missing,
	}
}

// readFrom is the part of a transaction's time from which reading pages counts, or of what a transaction
// takes longer than the baseline's: with many sessions for few CPUs most of its time is a wait for a CPU.
const readFrom = 0.10

func missing(o *Observed) []Finding {
	misses, ok := each(o.Arm, keys.MySQLInnoDBBufferPoolReads)
	asked, ok2 := each(o.Arm, keys.MySQLInnoDBBufferPoolReadRequests)
	if ok && ok2 && asked == 0 {
		return list(ruledOut("no buffer pool read requests"))
	}
	if !ok || !ok2 || asked < 0 {
		return orNoneEnded(o, keys.MySQLInnoDBBufferPoolReadRequests, unread("Innodb_buffer_pool_read_requests"))
	}
	ns, timed := each(o.Arm, keys.MySQLFileDataReadNS)
	ms, ok := transaction(o.Arm)
	if misses < 0.01 {
		return list(ruledOut("%.4f disk reads per transaction of %.0f buffer pool read requests", misses, asked))
	}
	if !timed || !ok {
		return unread("the time of data file reads (performance_schema)")
	}
	if free, full := poolFull(o.Arm); !full {
		return list(ruledOut("%.2f disk reads per transaction, but %.0f %% of the buffer pool is free: pages are read for the first time", misses, 100*free))
	}
	if f, few := fewEnded(o); few {
		return list(f)
	}
	part := ns / 1e6 / ms
	if share, in, slower := o.Arm.Budget.Share(compare.SpentRead); part < readFrom && (!slower || share < readFrom || in.Lo <= 0) {
		return list(ruledOut("%.2f disk reads per transaction take %.1f %% of its time", misses, 100*part))
	}
	f := seen("%.2f disk reads per transaction of %.0f buffer pool read requests take %.0f %% of its time (%.2f of %.2f ms)",
		misses, asked, 100*part, ns/1e6, ms)
	if part > 1 { // performance_schema times the reads of all threads together
		f = seen("%.2f disk reads per transaction of %.0f buffer pool read requests; data files are read for %.2f ms per transaction of %.2f ms, so background threads (read-ahead, buffer pool load) read as well",
			misses, asked, ns/1e6, ms)
	}
	f = f.fix("increase innodb_buffer_pool_size").prescribes(prescription{fields: []string{"config.innodb_buffer_pool_size"}})
	switch size, larger, known := largerPool(o.Arm); {
	case known && larger > size:
		f = f.change("{config: {innodb_buffer_pool_size: %.0fM}}", larger/(1<<20))
	case known:
		f = f.fix("raise the memory limit, and then innodb_buffer_pool_size: no larger one fits")
	}
	return list(f.explains(o, compare.SpentRead))
}

// largerPool is four times the buffer pool, or the largest that fits into the memory limit
// beside the connections.
func largerPool(arm *compare.Arm) (size, larger float64, known bool) {
	size, known = variable(arm, "innodb_buffer_pool_size")
	larger = 4 * size
	if limit, _, limited := level(arm, keys.CgroupMemoryLimitBytes); limited && limit > 0 {
		larger = min(larger, float64(pool(memoryOfArm(arm), int64(limit))))
	}
	return size, larger, known && size > 0
}

// memoryOfArm is the server of an arm as package memory asks for it, with the defaults for what was not read.
func memoryOfArm(arm *compare.Arm) memory.Server {
	from := sizedBy{mariadb: isMariaDB(arm), connections: defaultConnections, group: inGroup(arm)}
	from.number = func(name string) int64 {
		if n, read := variable(arm, name); read && n >= 0 {
			return int64(n)
		}
		return memory.Default(name, from.mariadb)
	}
	if n, read := variable(arm, "max_connections"); read {
		from.connections = int64(n)
	}
	text, read := fact(arm, keys.MySQLVariablePrefix+"version")
	if !read {
		text, _ = fact(arm, keys.ServerVersion)
	}
	if _, v, err := manifest.ParseServer(text); err == nil { // else the release is not known
		from.major, from.minor = v.Major, v.Minor
	}
	schema, read := fact(arm, keys.MySQLVariablePrefix+"performance_schema")
	from.schema = !read && !from.mariadb || manifest.IsOn(schema)
	cache, read := fact(arm, keys.MySQLVariablePrefix+"query_cache_type")
	from.queryCache = read && !manifest.IsOff(cache)
	return from.server()
}

// inGroup is whether the arm's servers are members of a group: tare made them so, or they name their group.
func inGroup(arm *compare.Arm) bool {
	if mode, read := fact(arm, keys.ReplicationMode); read && mode == "group" {
		return true
	}
	group, read := fact(arm, keys.MySQLVariablePrefix+"group_replication_group_name")
	return read && group != ""
}

// freeFrom is the part of the buffer pool from which it counts as not full. Page cleaners
// keep up to innodb_lru_scan_depth pages free, also of a pool that is too small.
const freeFrom = 0.5

// poolFull says that the buffer pool is in use, and how much of it is free; it counts as in use
// where that was not read.
func poolFull(arm *compare.Arm) (free float64, full bool) {
	pages, _, ok := level(arm, keys.MySQLInnoDBBufferPoolPagesFree)
	all, _, ok2 := level(arm, keys.MySQLInnoDBBufferPoolPagesTotal)
	if !ok || !ok2 || all <= 0 {
		return 0, true
	}
	return pages / all, pages/all < freeFrom
}
