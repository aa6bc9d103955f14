package runner

import (
	"sync"
	"time"

	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
)

// gateWatch reads what others do on this machine while trials are loaded. Load pods of this machine end before the load is
// known to have ended, and leave their time with the runtime that waited for them, so that it looks often.
type gateWatch struct {
	outside
	reading sync.Mutex
	others  *probe.Others
	stop    chan struct{}
	stopped sync.WaitGroup
}

// gateEvery is how often it looks where processes of a trial can end unseen: what they use after the last look counts as
// that of others.
const gateEvery = time.Second

// watchGates looks by itself only if often. Of several trials it may be one.
func watchGates(o outside, often bool) *gateWatch {
	w := &gateWatch{outside: o, others: o.others(), stop: make(chan struct{})}
	if often {
		w.stopped.Go(w.look)
	}
	return w
}

func (w *gateWatch) look() {
	tick := time.NewTicker(gateEvery)
	defer tick.Stop()
	for {
		select {
		case <-w.stop:
			return
		case <-tick.C:
			w.remember()
		}
	}
}

// remember has the next facts know who ran until now. What it reads is read again for them, with its error.
func (w *gateWatch) remember() {
	w.reading.Lock()
	defer w.reading.Unlock()
	_, _ = w.others.Read()
}

// facts are the counters, and the reading that they are of.
func (w *gateWatch) facts() ([]record.Fact, reading) {
	w.reading.Lock()
	defer w.reading.Unlock()
	return w.outside.facts(w.others)
}

func (w *gateWatch) close() {
	close(w.stop)
	w.stopped.Wait()
}

// gatesOf is the watch of trials whose servers tare started, or did not: of the latter, no database server counts as
// another's process.
func (r *round) gatesOf(t *trial) *gateWatch {
	o := t.outside()
	if r == nil {
		return watchGates(o, t.distributed())
	}
	w := r.gates[o.unmarked]
	if w == nil {
		w = watchGates(o, t.distributed())
		r.gates[o.unmarked] = w
	}
	return w
}

// openGates reads what others do before the load of a trial, and goes on looking.
func (t *trial) openGates() error {
	t.gate = t.round.gatesOf(t)
	facts, now := t.gate.facts()
	t.machine = &now
	return t.keep(facts, "start")
}

// closeGates reads it when the load has ended: the facts that say whose time it is come after it.
func (t *trial) closeGates() {
	if t.gate == nil || t.closed != nil {
		return
	}
	facts, now := t.gate.facts()
	t.closed = &closedGates{facts, now}
}

// closedGates are what was read when the load had ended.
type closedGates struct {
	facts []record.Fact
	now   reading
}

// openGates reads it for all trials, when no server of the round starts any more.
func (r *round) openGates() {
	r.gates = map[bool]*gateWatch{}
	for _, t := range r.ready() {
		if err := t.openGates(); err != nil {
			t.outcome, t.reason = failed(record.AtRecord, err)
		}
	}
}

func (r *round) endGates() {
	for _, w := range r.gates {
		w.close()
	}
}
