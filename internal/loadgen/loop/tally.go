package loop

import (
	"github.com/tarebench/tare/internal/loadgen/latency"
)

// Tally is what was counted over a stretch of time.
type Tally struct {
	Transactions int64
	// Reads, Writes and Other are statements that were answered without an error.
	Reads, Writes, Other int64
	// Ignored are errors after which the transaction was restarted.
	Ignored    int64
	Reconnects int64
	// Errors by the server's code; codes from 2000 on are the client's own
	// (CR_SERVER_LOST and its kin).
	Errors map[uint16]int64
	// Latency is that of transactions, from when they were due.
	Latency *latency.Histogram
	// Coarse is the same for the record of an interval.
	Coarse latency.Coarse
	// Lateness is how long after its due time an operation was sent although a
	// connection was free: the generator's own fault.
	Lateness *latency.Histogram
	// Statements are the latencies of each statement of the program; empty where
	// not kept.
	Statements []*latency.Histogram
	// Kinds are the latencies of each kind of transaction; nil where not kept.
	Kinds []*latency.Histogram
	// Slowest is where the transactions spent their time; nil where not kept.
	Slowest *Slowest
	// Servers are the transactions by the server of Job.Routes; nil without routes.
	Servers []int64
	// Due counts arrivals that fell due, Unsent those that could not be sent.
	Due, Unsent int64
}

func newTally(statements int, open bool) *Tally {
	t := &Tally{Latency: latency.New(), Errors: map[uint16]int64{}}
	if open {
		t.Lateness = latency.New()
	}
	for range statements {
		t.Statements = append(t.Statements, latency.New())
	}
	return t
}

// newWindow is a tally that keeps everything apart that a job does.
func (j *Job) newWindow() *Tally {
	p := j.Program
	t := newTally(len(p.Statements), j.Arrivals != nil)
	if j.Routes != nil {
		t.Servers = make([]int64, len(j.Routes.Addresses()))
	}
	for range p.Kinds {
		t.Kinds = append(t.Kinds, latency.New())
	}
	t.Slowest = newSlowest(len(p.Statements))
	return t
}

// Queries is the number of statements.
func (t *Tally) Queries() int64 { return t.Reads + t.Writes + t.Other }

// ErrorCount is the number of errors of all codes.
func (t *Tally) ErrorCount() int64 {
	var n int64
	for _, c := range t.Errors {
		n += c
	}
	return n
}

// Merge adds other's counts, exactly.
func (t *Tally) Merge(o *Tally) {
	t.Transactions += o.Transactions
	t.Reads += o.Reads
	t.Writes += o.Writes
	t.Other += o.Other
	t.Ignored += o.Ignored
	t.Reconnects += o.Reconnects
	t.Due += o.Due
	t.Unsent += o.Unsent
	for i := range t.Servers {
		t.Servers[i] += o.Servers[i]
	}
	for code, n := range o.Errors {
		t.Errors[code] += n
	}
	t.Latency.Merge(o.Latency)
	t.Coarse.Merge(&o.Coarse)
	if t.Lateness != nil && o.Lateness != nil {
		t.Lateness.Merge(o.Lateness)
	}
	for i := range min(len(t.Statements), len(o.Statements)) {
		t.Statements[i].Merge(o.Statements[i])
	}
	for i := range min(len(t.Kinds), len(o.Kinds)) {
		t.Kinds[i].Merge(o.Kinds[i])
	}
	t.Slowest.Merge(o.Slowest)
}

// reset empties t for the next stretch.
func (t *Tally) reset() {
	clear(t.Errors)
	t.Latency.Reset()
	if t.Lateness != nil {
		t.Lateness.Reset()
	}
	for _, s := range t.Statements {
		s.Reset()
	}
	for _, k := range t.Kinds {
		k.Reset()
	}
	t.Slowest.reset()
	clear(t.Servers)
	*t = Tally{Servers: t.Servers, Errors: t.Errors, Latency: t.Latency, Lateness: t.Lateness, Statements: t.Statements, Kinds: t.Kinds, Slowest: t.Slowest}
}
