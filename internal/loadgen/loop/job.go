// Package loop sends a workload over many connections from a few event loops and times every statement.
//
// A loop is one thread with one epoll set. Nothing on the way of an operation
// allocates, locks or talks to another loop: a loop counts for itself and hands
// its counts over once per interval. The loops of an open load share one queue of arrivals, which each
// transaction locks.
package loop

import (
	"context"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/loadgen/pace"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/workload"
)

// Job is what is to be done.
type Job struct {
	Program *workload.Program
	Dial    func(context.Context) (*wire.Session, error)
	// Routes, if not nil, says which of several servers a connection goes to, and DialTo
	// connects to one of them in Dial's place.
	Routes *mysqld.Routes
	DialTo func(ctx context.Context, server int) (*wire.Session, error)
	// Connections in all, and the event loops they are spread over; 0 loops lets
	// the job choose.
	Connections int
	Loops       int
	// First is the number of the first connection, where several generators share
	// the work.
	First int
	// All is the number of connections of all generators; 0 where there is one generator.
	All  int
	Seed uint64
	// Warmup and Time are the lengths of what is not measured and what is. A Time
	// of 0 has no end but Events and the context's.
	Warmup time.Duration
	Time   time.Duration
	// Events ends the load after that many transactions; 0 for no limit.
	Events int64
	// Interval is the step of the series; 0 for none.
	Interval time.Duration
	// Timeline is the step in which what the clients see is counted, 0 for none; see [Timeline].
	Timeline time.Duration
	// Start, if not zero, is when the load begins; connections are made before.
	Start time.Time
	// Began, if not nil, is told when the load begins, at that time.
	Began func(time.Time)
	// Agree, if not nil, is called when all connections are made and returns Start: with
	// many generators on one machine that takes longer than any time fixed before.
	Agree func() (time.Time, error)
	// Turns, if not nil, are the job's among others'; they say when it offers load in
	// place of Warmup, Time, Interval and Start.
	Turns *Turns
	// Limit is the most transactions per second that a closed loop begins, over all its
	// connections; 0 for no limit. Time that was not used is not made up for.
	Limit float64
	// Arrivals are when an open loop's transactions are due; nil for a closed loop.
	Arrivals *pace.Arrivals
	// Preempt has an open loop preempt from beginning to end: alike beside any arm (contention).
	Preempt bool
	// Faults says what happens after an error.
	Faults Policy
	// Drain bounds the wait for transactions that are under way at the end.
	Drain time.Duration
	// DialAtOnce bounds how many connections are made at a time.
	DialAtOnce int

	// connector makes connections in Dial's place: to something that is not a server.
	connector func() (*wire.Conn, []uint32, error)
}

// Policy says what happens after an error.
type Policy struct {
	// Stop ends the load at the first error that is not to be ignored.
	Stop bool
	// Ignore are codes that never end the load; nil ignores deadlock, lock wait
	// timeout and changed record, as sysbench does.
	Ignore map[uint16]bool
	// FirstPause and LongestPause bound the exponential back-off after errors that
	// repeating at once would only repeat.
	FirstPause, LongestPause time.Duration
	// Reconnect is the pause before each attempt to connect after a connection was lost or could not be made; 0 is none
	// before the first attempt, and the back-off before further ones.
	Reconnect time.Duration
}

// loopsOn says how many event loops serve the job's connections best on a number
// of processors; docs/results/performance.md has the measurements. With up to two connections for each
// processor there is nothing to batch: each has a loop of its own, as in an application that has a
// thread for each, and no statement waits for another's. One loop for each processor is better
// with two for each and a workload that writes: while one connection waits for its commit, the
// answer of the other finds the loop awake. It is with a few more, too. One loop for every two
// processors batches best; but it waits for a processor behind the threads of the server, and of
// many connections more then wait for it than other processors have to do. One loop for each
// processor batches those; a second on the same processor takes half of every batch.
//
// An open loop leaves processors idle, so that there is less to batch: two loops for each processor.
func (j *Job) loopsOn(processors int) int {
	n := MostLoops(j.Connections, processors, j.Arrivals != nil)
	if j.Arrivals == nil && j.Connections == 2*processors && j.writes() {
		return processors
	}
	return n
}

func (j *Job) writes() bool {
	return slices.ContainsFunc(j.Program.Statements, func(s workload.Statement) bool { return s.Class == workload.Write })
}

// MostLoops is how many event loops a job of so many connections has at most, unless it says
// how many.
func MostLoops(connections, processors int, open bool) int {
	switch {
	case connections <= 2*processors:
		return max(1, connections)
	case open:
		return 2 * processors
	case connections <= 4*processors:
		return processors
	case connections <= 16*processors:
		return (processors + 1) / 2
	}
	return processors
}
