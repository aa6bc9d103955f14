// Package loadgen sends a workload to a server and measures throughput and latency.
package loadgen

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/loadgen/barrier"
	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/workload"
)

// Job is what an engine is to do: which statements, on how much data, offered
// how, for how long, to which server.
type Job struct {
	// Workload is a name of workload.All, the path of a Lua script or that of a workload
	// file, whose text is File.
	Workload string
	File     *experiment.Text
	// Tables and Rows (of each table) are the data. 0 leaves them to the workload.
	Tables int
	Rows   int64
	// Scale is the data of a workload whose tables differ: warehouses of tpcc. 0
	// leaves it to the workload.
	Scale int
	// Threads are the connections. Rate, in transactions per second, makes an
	// open loop; 0 is a closed one.
	Threads int
	Rate    float64
	// Preempt has an open loop of the built-in engine preempt the server's threads all the time, not only
	// while it would wait: what that costs is then the same beside every arm.
	Preempt bool
	// Connections are those of all jobs that load the server's tables, and Earlier those of them
	// that come before this job's; 0 where it is the only one (workload.Options).
	Connections, Earlier int
	// Limit is the most transactions per second that a closed loop begins; 0 is none.
	Limit float64
	// Reconnect is how long a client waits before it connects again; 0 is the engine's own way.
	Reconnect time.Duration
	// Warmup comes before the measured window, Measure is its length.
	Warmup, Measure time.Duration
	// Percentile of latency in the series, 0 to 100; 0 means 95.
	Percentile float64
	// Seed makes the statements repeatable; 0 leaves it to the engine's clock.
	Seed int64
	// Arrivals numbers the draws of a load, its arrivals among them: loads with the same seed and
	// number have the same arrivals, loads with different numbers independent ones.
	Arrivals uint64
	// Options are further options of the workload by the engine's own names:
	// skip-trx: on.
	Options map[string]string
	Server  mysqld.Address
	// Dir is a private directory (0700) for temporary files. The engine makes it
	// if it is missing and removes what it puts there.
	Dir string
	// PrepareThreads make the tables; 0 means one.
	PrepareThreads int
	// Env is added to the engine's environment, as KEY=value. TARE_INSTANCE in
	// it lets `tare clean` find an engine whose tare was killed.
	Env []string
	// Inside calls f on a thread that is where the client is placed (in a pod's
	// network namespace): the engine makes its connections there. nil is here.
	Inside func(f func() error) error
	// Routes, if not nil, says which of several servers a connection of the load goes to,
	// now and after a change. Server is one of them: tables are made and checked there. Of
	// the built-in engine only.
	Routes *mysqld.Routes
	// Ledger, if not nil, gets what was acknowledged during Run, of a workload with numbered
	// transactions; see Numbered.
	Ledger *workload.Ledger
	// MeasurePath has the first of several generators measure its network path to the idle server,
	// before and after the load (Path.Facts). Without generators the caller does.
	MeasurePath bool
	// Counted, if not nil, is called when the load of the first of several generators has ended. The generator measures the
	// path when the load's schema has the row of barrier.CountedSQL: its connections are not to be counted as the load's.
	Counted func()
	// Turns, if not nil, are the job's among others': Run offers load while it is on,
	// for as long as they say in place of Warmup and Measure. Of engines that take
	// turns only; see TakesTurns.
	Turns *Turns
	// Began, if not nil, is told when the load begins, at that time, by the built-in engine where the
	// load comes from this host.
	Began func(time.Time)
	// Timeline has the window say what the clients saw in short steps ([record.Timeline]), of the
	// built-in engine and a load from this host.
	Timeline bool
	// Control is this host's own way to the server. Generators whose clocks are not this host's are told over it
	// when the turns begin; nil: they are told in their job. Of jobs for Distribute with Turns.
	Control *mysqld.Address
	// Clocks are those that keep the turns of the round's jobs; nil: there is no other job. Of jobs with Control.
	Clocks *barrier.Clocks
	// Log receives what the engine prints during Run, as it is; nil discards it.
	Log io.Writer
}

// Turns are a job's part of a round in which several take turns.
type Turns = loop.Turns

// TakesTurns says whether an engine can offer several jobs in turns: sysbench cannot be
// held between two transactions.
func TakesTurns(e Engine) bool { return e.Name() == BuiltIn("").Name() }

// Reserve raises GOMAXPROCS for jobs that take turns, each with so many connections, and returns a function
// that restores it. open says that one of them is an open loop. Call it before the first Run, and the function after the last.
func Reserve(connections int, open bool) (restore func()) {
	return loop.Reserve(2*loop.MostLoops(connections, runtime.NumCPU(), open) + 1)
}

// Engine sends the statements. Calls may run at the same time; every call starts
// from the Job alone.
type Engine interface {
	// Name is what the record calls it, with its version where it has one of its
	// own: "sysbench".
	Name() string
	// Check says everything that would keep the job from running: the program is
	// missing, the workload unknown, an option impossible. It sends nothing. A Job
	// without Server and Dir is checked as far as it goes.
	Check(ctx context.Context, j Job) []error
	// Prepare makes the tables. What the engine prints goes to log.
	Prepare(ctx context.Context, j Job, log io.Writer) error
	// Cleanup drops the tables.
	Cleanup(ctx context.Context, j Job, log io.Writer) error
	// Run offers the load and emits what it sees as it comes: the metrics'
	// declarations, intervals and events, and one window at the end if anything
	// of it was measured. The time of an event counts from the call.
	//
	// The outcome is Measured or Starved without an error, reason says why it
	// starved; or Failed with an error that says the same as reason. Ending ctx
	// ends the engine and everything it started.
	Run(ctx context.Context, j Job, emit func(record.Line) error) (outcome record.Outcome, reason string, err error)
	// Verifies says whether the workload has conditions that must hold after a run,
	// and Verify whether they do; it may take long.
	Verifies(j Job) bool
	Verify(ctx context.Context, j Job) error
}

// inside calls f where the client is placed.
func (j Job) inside(f func() error) error {
	if j.Inside == nil {
		return f()
	}
	return j.Inside(f)
}

// Kind is an engine that can be had by name.
type Kind struct {
	Name string
	Help string
	// New makes the engine. Path is its program, "" to look for it; an engine
	// that needs none ignores it.
	New func(path string) Engine
}

// Engines lists the engines.
func Engines() []Kind {
	return []Kind{
		{Name: "sysbench", Help: "the sysbench program of this machine, 1.0 or newer", New: Sysbench},
		{Name: "tare", Help: "built in: event loops, latency from the due time, reconnects after faults", New: BuiltIn},
	}
}

// New makes the engine of that name. Path is its program, "" to look for it.
func New(name, path string) (Engine, error) {
	var names []string
	for _, k := range Engines() {
		if k.Name == name {
			return k.New(path), nil
		}
		names = append(names, k.Name)
	}
	return nil, fmt.Errorf("find engine %q: there is %s", name, strings.Join(names, ", "))
}

// metrics declares the series of record.Interval under the names that its fields
// have in the record.
func metrics() []record.Metric {
	return []record.Metric{
		{Name: "tps", Unit: "1/s", Direction: record.HigherIsBetter, Help: "transactions committed"},
		{Name: "qps", Unit: "1/s", Direction: record.HigherIsBetter, Help: "statements answered"},
		{Name: "reads_per_s", Unit: "1/s", Direction: record.HigherIsBetter, Help: "statements that read"},
		{Name: "writes_per_s", Unit: "1/s", Direction: record.HigherIsBetter, Help: "statements that write"},
		{Name: "other_per_s", Unit: "1/s", Direction: record.Neutral, Help: "other statements, mainly BEGIN and COMMIT"},
		{Name: "errors_per_s", Unit: "1/s", Direction: record.LowerIsBetter, Help: "errors that the engine ignored, mainly deadlocks"},
		{Name: "reconnects_per_s", Unit: "1/s", Direction: record.LowerIsBetter, Help: "reconnects"},
		{Name: "latency_ms", Unit: "ms", Direction: record.LowerIsBetter, Help: "latency of a transaction, the percentile that each interval names"},
		{Name: "queue", Unit: "", Direction: record.LowerIsBetter, Help: "transactions that are due and have not started (open loop)"},
		{Name: "concurrency", Unit: "", Direction: record.Neutral, Help: "transactions in progress (open loop)"},
	}
}
