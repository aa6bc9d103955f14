package workload

import (
	"errors"
	"fmt"
)

// Options are sysbench's options by sysbench's names (with underscores for its
// hyphens), and their defaults are sysbench 1.0's.
type Options struct {
	Tables          int
	TableSize       int
	Threads         int // connections of all generators, which some workloads divide the rows by
	RangeSize       int
	PointSelects    int
	SimpleRanges    int
	SumRanges       int
	OrderRanges     int
	DistinctRanges  int
	IndexUpdates    int
	NonIndexUpdates int
	DeleteInserts   int
	RangeSelects    bool
	AutoInc         bool
	SkipTrx         bool
	Secondary       bool
	CreateSecondary bool
	StorageEngine   string // mysql_storage_engine
	TableOptions    string // mysql_table_options
	RandomPoints    int
	NumberOfRanges  int
	Delta           int
	ReadPercent     int // statements of oltp_read_write_pct that read, in 100
	Scale           int // warehouses of tpcc, 0 for its default
	// Connections are those of all loads on the same tables, and Earlier those of them that come
	// before this load's: no two loads then have a number that is given once (Sequence, Unique, a
	// workload file's sequence) or a table of a connection's own. 0: this is the only load.
	Connections, Earlier int
	Rand                 Distribution
	// Reconnect ends a connection after so many transactions and makes another; 0
	// keeps it.
	Reconnect int
	// TextProtocol sends every statement as text (--db-ps-mode=disable).
	TextProtocol bool
}

// Defaults are what sysbench 1.0 uses when it is told nothing.
func Defaults() Options {
	return Options{
		Tables: 1, TableSize: 10000, Threads: 1, RangeSize: 100,
		PointSelects: 10, SimpleRanges: 1, SumRanges: 1, OrderRanges: 1, DistinctRanges: 1,
		IndexUpdates: 1, NonIndexUpdates: 1, DeleteInserts: 1,
		RangeSelects: true, AutoInc: true, CreateSecondary: true, StorageEngine: "innodb",
		RandomPoints: 10, NumberOfRanges: 10, Delta: 5, ReadPercent: 80,
		Rand: DefaultDistribution(),
	}
}

// AllConnections are those of all loads on the same tables.
func (o Options) AllConnections() int { return max(o.Connections, o.Threads) }

// Check says everything that is wrong with the options.
func (o Options) Check() error {
	var errs []error
	require := func(ok bool, name, want string, got any) {
		if !ok {
			errs = append(errs, fmt.Errorf("--%s is %v: must be %s", name, got, want))
		}
	}
	require(o.Tables >= 1 && o.Tables <= 1<<16, "tables", "1 to 65536", o.Tables)
	require(o.TableSize >= 1 && o.TableSize < 1<<31, "table-size", "1 to 2147483647", o.TableSize)
	require(o.Threads >= 1, "threads", "at least 1", o.Threads)
	require(o.RangeSize >= 1, "range-size", "at least 1", o.RangeSize)
	for _, n := range []struct {
		name  string
		value int
	}{
		{"point-selects", o.PointSelects}, {"simple-ranges", o.SimpleRanges}, {"sum-ranges", o.SumRanges},
		{"order-ranges", o.OrderRanges}, {"distinct-ranges", o.DistinctRanges},
		{"index-updates", o.IndexUpdates}, {"non-index-updates", o.NonIndexUpdates}, {"delete-inserts", o.DeleteInserts},
	} {
		require(n.value >= 0 && n.value <= 10000, n.name, "0 to 10000", n.value)
	}
	require(o.RandomPoints >= 1 && o.RandomPoints <= 10000, "random-points", "1 to 10000", o.RandomPoints)
	require(o.NumberOfRanges >= 1 && o.NumberOfRanges <= 10000, "number-of-ranges", "1 to 10000", o.NumberOfRanges)
	require(o.Scale >= 0 && o.Scale <= mostWarehouses, "scale", fmt.Sprintf("1 to %d", mostWarehouses), o.Scale)
	require(o.Reconnect >= 0, "reconnect", "at least 0", o.Reconnect)
	require(o.Delta >= 0, "delta", "at least 0", o.Delta)
	errs = append(errs, o.Rand.Check())
	return errors.Join(errs...)
}
