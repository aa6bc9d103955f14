package loop

import (
	"sync/atomic"

	"github.com/tarebench/tare/internal/loadgen/latency"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/workload"
)

// Places of a transaction's time besides its statements, whose places follow these.
const (
	spentClient = iota // between an answer and the next statement: the loop's own
	spentQueued        // from due to the first statement: no connection was free, or it was created again
	spentLate          // the same although a connection was free
	spentFailed        // attempts that failed, and what was waited for after them
	places
)

// Places names the places of a program's transactions in the order of Slowest's sums.
func Places(p *workload.Program) []string {
	return append([]string{record.SpentClient, record.SpentQueued, record.SpentLate, record.SpentFailed}, Statements(p)...)
}

// Slowest is where transactions spent their time: all of them beside the slowest.
type Slowest struct {
	// All are the transactions that ended while it was known what slow is, Slow
	// those of them that took as long as that or longer.
	All, Slow int64
	// AllNS and SlowNS are their nanoseconds in each place, in the order of Places.
	// They add up to what the transactions took, exactly.
	AllNS, SlowNS []int64
}

func newSlowest(statements int) *Slowest {
	return &Slowest{AllNS: make([]int64, places+statements), SlowNS: make([]int64, places+statements)}
}

// Merge adds other's sums. Nil has none and takes none.
func (s *Slowest) Merge(o *Slowest) {
	if s == nil || o == nil {
		return
	}
	s.All += o.All
	s.Slow += o.Slow
	addTo(s.AllNS, o.AllNS)
	addTo(s.SlowNS, o.SlowNS)
}

func (s *Slowest) reset() {
	if s != nil {
		s.All, s.Slow = 0, 0
		clear(s.AllNS)
		clear(s.SlowNS)
	}
}

// count adds a transaction. It does not allocate.
func (s *Slowest) count(spent []int64, slow bool) {
	s.All++
	addTo(s.AllNS, spent)
	if slow {
		s.Slow++
		addTo(s.SlowNS, spent)
	}
}

func addTo(to, from []int64) {
	to = to[:len(from)] // one check of bounds in place of one for each
	for i, ns := range from {
		to[i] += ns
	}
}

// spend divides what a transaction that has ended took, by the same readings of the
// clock and stamps that the histograms are of. What is in no other place is the
// loop's own.
func (l *Loop) spend(c *connection, took int64) {
	threshold := l.slow.ns.Load()
	if threshold == 0 {
		return
	}
	before, failed := c.first-c.due, c.begun-c.first
	client := took - before - failed
	for _, ns := range c.spent[places:] {
		client -= ns
	}
	c.spent[spentFailed] = failed
	c.spent[spentClient] = client
	c.spent[c.before] += before // which may be the loop's own too
	l.window.Slowest.count(c.spent, took >= threshold)
}

// slowFrom is the percentile from which on a transaction is slow; enoughSeen
// transactions are needed to know it: ten of them lie beyond it.
const (
	slowFrom   = record.SlowPercentile
	enoughSeen = 1000
)

// threshold is how long slow is: the percentile of the transactions before, of all
// loops together. gather sets it, the loops read it.
//
// Before is the window up to now, and until that knows enough the warm-up: the last
// second alone would follow a server that becomes slow, and call no longer slow what
// was to be found.
type threshold struct {
	ns     atomic.Int64 // 0 while it is not known
	seen   *latency.Histogram
	warmup bool // what seen holds is of the warm-up
}

func newThreshold() *threshold { return &threshold{seen: latency.New()} }

// learn takes what the loops counted in a step.
func (t *threshold) learn(h *latency.Histogram, warmup bool) {
	if t.warmup && !warmup {
		t.seen.Reset()
	}
	t.warmup = warmup
	t.seen.Merge(h)
	if t.seen.Count() >= enoughSeen {
		t.ns.Store(max(1, t.seen.Percentile(slowFrom)))
	}
}
