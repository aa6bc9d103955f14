package probe

import (
	"context"
	"maps"
	"math"
	"runtime"
	"time"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/record"
)

// Turns are those of a trial that shares the machine's time with others: its counters
// stand still while it is off.
type Turns struct {
	Schedule interleave.Schedule
	Cell     int
	// Apart says that the server works outside of the trial's turns too: in those of another level of the
	// load, or because it is not frozen. All counters are then read at both ends of every turn; otherwise
	// only those with Probe.GoesOn, as the others stand still between turns.
	Apart bool
	// Begin gives the common start, once; closed, there is none.
	Begin <-chan time.Time
}

// between are counters as one trial of several sees them: what they grew by while it was on.
type between struct {
	counter map[string]bool
	begun   map[string]float64 // when the turn began
	sum     map[string]float64
}

func (w *watched) turnBegins() {
	if w.own == nil {
		w.own = &between{counter: map[string]bool{}, begun: map[string]float64{}, sum: map[string]float64{}}
		for _, m := range w.Metrics {
			w.own.counter[m.Name] = m.Counter
		}
	}
	clear(w.own.begun) // a turn whose beginning is not read is not counted
	w.each(func(name string, v float64) {
		w.own.begun[name] = v
		if _, known := w.own.sum[name]; !known && w.own.counter[name] {
			w.own.sum[name] = 0
		}
	})
}

func (w *watched) turnEnds() {
	w.each(func(name string, v float64) {
		if before, known := w.own.begun[name]; !w.own.counter[name] {
			w.own.sum[name] = v
		} else if known && v >= before { // one that fell was restarted
			w.own.sum[name] += v - before
		}
	})
}

// each reads the probe once; what cannot be read is left out.
func (w *watched) each(put func(name string, v float64)) {
	limit := patience
	if w.Asks {
		limit = turnPatience
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	_ = w.read(ctx, func(name string, v float64) {
		if !math.IsNaN(v) {
			put(name, v)
		}
	})
}

// moment is a sample to be taken, for which what goes on without the server has been read, or an end of a
// turn at which the server is asked.
type moment struct {
	ends, sample bool

	at     time.Duration
	warmup bool
	edge   bool
	values map[string]float64
	own    time.Duration // CPU time of the thread that asks
}

// RunTurns takes samples as Run does, in the trial's own time: at the beginning of its
// first turn that counts and after its last, and between them with a turn about every
// second. What goes on without the server is read at both ends of every turn. The
// server is asked beside that, in the lead-in, after the last turn and, with Turns.Apart, after every
// load: an answer for which it is frozen comes when it runs again. The last request is not later:
// a server that has been thawed at the end of a round works on without a load.
func (w *Watcher) RunTurns(ctx context.Context, turns Turns, emit func(record.Line) error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin, ok := time.Time{}, false
	select {
	case <-ctx.Done():
	case begin, ok = <-turns.Begin:
	}
	if !ok {
		return nil
	}
	w.apart = turns.Apart
	requests, answered := make(chan moment, 1), make(chan error, 1)
	if w.apart {
		requests = make(chan moment, waiting)
	}
	go func() { answered <- w.complete(requests, emit) }()
	s := turns.Schedule
	w.watchTurns(ctx, turns, begin, requests)
	requests <- w.ask(time.Duration(s.Turns())*s.Load(), false, true)
	close(requests)
	return <-answered
}

func (w *Watcher) watchTurns(ctx context.Context, turns Turns, begin time.Time, requests chan<- moment) {
	s := turns.Schedule
	last := time.Duration(0)
	for turn := range s.Turns() {
		on := begin.Add(s.Begin(turns.Cell, turn) + s.Guard)
		if !sleepUntil(ctx, on) {
			return
		}
		w.inTurns(false, (*watched).turnBegins)
		now, warmup := time.Duration(turn)*s.Load(), turn < s.Warmup
		edge, due := turn == 0 || turn == s.Warmup, now-last >= step
		switch {
		case edge, due && w.apart:
			last = now
			requests <- w.ask(now, warmup, edge)
		case w.apart:
			requests <- moment{}
		case due:
			select {
			case requests <- w.ask(now, warmup, false):
				last = now
			default: // the sample before has no answer yet
			}
		}
		if !sleepUntil(ctx, on.Add(s.Load())) {
			return
		}
		w.inTurns(false, (*watched).turnEnds)
		if w.apart {
			requests <- moment{ends: true}
		}
	}
}

// waiting is how many requests a server may leave unanswered before the probes wait for it: it is lost then.
const waiting = 64

// inTurns does something with the probes that are read at both ends of every turn: those that ask the
// server, or the others.
func (w *Watcher) inTurns(asks bool, do func(*watched)) {
	for i := range w.probes {
		if p := &w.probes[i]; p.Asks == asks && (p.GoesOn || w.apart) {
			do(p)
		}
	}
}

// ask begins a sample with what goes on without the server.
func (w *Watcher) ask(at time.Duration, warmup, edge bool) moment {
	a := moment{sample: true, at: at, warmup: warmup, edge: edge, values: map[string]float64{}, own: threadTime()}
	w.inTurns(false, func(p *watched) { p.add(a.values) })
	return a
}

// add adds what the probe's counters grew by in all turns so far.
func (w *watched) add(values map[string]float64) {
	if w.own != nil { // else no turn has begun
		maps.Copy(values, w.own.sum)
	}
}

// complete completes samples with what the server and its cgroups say.
func (w *Watcher) complete(requests <-chan moment, emit func(record.Line) error) (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for a := range requests {
		if a.ends {
			w.inTurns(true, (*watched).turnEnds)
			continue
		}
		w.inTurns(true, (*watched).turnBegins)
		if !a.sample {
			continue
		}
		w.inTurns(true, func(p *watched) { p.add(a.values) })
		for _, asks := range []bool{false, true} { // a frozen server keeps the others waiting
			for i := range w.probes {
				if p := &w.probes[i]; p.Asks == asks && !p.GoesOn && !w.apart {
					p.takeDue(a.values, a.edge, turnPatience)
				}
			}
		}
		a.values[keys.ProbeCPUNS] = float64(a.own + threadTime())
		sample := record.Sample{At: a.at, Warmup: a.warmup, Values: record.ValuesOf(a.values)}
		if err == nil { // after an error the rest is only taken from the channel
			err = emit(record.Line{Sample: &sample})
		}
	}
	return err
}

// turnPatience is how long a server may take to answer that is frozen meanwhile.
const turnPatience = time.Minute

func sleepUntil(ctx context.Context, at time.Time) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Until(at)):
		return true
	}
}
