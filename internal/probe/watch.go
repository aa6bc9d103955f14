package probe

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"math"
	"runtime"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

const (
	step = time.Second // between two samples
	// share is how much of one CPU a probe may take: one that takes longer is read
	// less often. All of them together stay below 1 % of one CPU, and in practice
	// below a third of that; docs/report.md has what it does to a result.
	share = 0.0005
	// patience is how long a server may take to answer a probe.
	patience = 2 * time.Second
	// lastPatience is how long the last reading beside the server may take. Without it nothing
	// says what the window came to, and on a node whose CPUs others use a probe pod, which has
	// no CPU request either, waits for seconds.
	lastPatience = 15 * time.Second
)

// Watcher reads all probes of a place, and those beside a server on another machine.
type Watcher struct {
	probes []watched
	facts  []record.Fact
	beside *Beside // nil for none
	apart  bool    // Turns.Apart, of the trial that it watches
}

// watched is a probe that could be started.
type watched struct {
	Probe
	read Read
	due  time.Time
	last map[string]float64 // what was put when it was read last
	own  *between           // of a probe that is read at both ends of every turn
}

// Start starts the probes. One that cannot read here is a fact with the reason.
func Start(p Place, probes []Probe) *Watcher {
	w := &Watcher{}
	for _, probe := range probes {
		read, err := probe.Start(p)
		if err != nil {
			w.facts = append(w.facts, record.Fact{Key: keys.ProbePrefix + probe.Name, Unknown: reason(err), Phase: "start"})
			continue
		}
		if probe.Controller != "" && p.shared(probe.Controller) {
			probe.GoesOn = true
			w.facts = append(w.facts, record.Fact{Key: keys.ProbePrefix + probe.Name, Unknown: record.CgroupShared.Say(), Phase: "start"})
		}
		w.probes = append(w.probes, watched{Probe: probe, read: read, last: map[string]float64{}})
	}
	return w
}

// With has probes beside the server asked whenever those of w are read.
func (w *Watcher) With(b *Beside) *Watcher {
	w.beside = b
	return w
}

// About adds what is known of the place to what cannot be read of it.
func (w *Watcher) About(facts []record.Fact) *Watcher {
	w.facts = append(w.facts, facts...)
	return w
}

func reason(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return record.NoKernelFile.Say()
	}
	return err.Error()
}

// Lines are the metrics' declarations and the probes that cannot read.
func (w *Watcher) Lines() []record.Line {
	var lines []record.Line
	if w.beside != nil { // what is taken from the server is what its own machine's probes take
		lines = append(lines, w.beside.Lines...)
	} else {
		own := cost(keys.ProbeCPUNS, "ns", "CPU time of the probes on this machine")
		lines = append(lines, record.Line{Metric: &own})
	}
	for _, p := range w.probes {
		for _, m := range p.Metrics {
			lines = append(lines, record.Line{Metric: &m})
		}
	}
	for _, f := range w.facts {
		lines = append(lines, record.Line{Fact: &f})
	}
	return lines
}

// Window says when samples are taken: from Began on, every second, and besides
// at the beginning and at the end of the measured window.
type Window struct {
	Began           time.Time // the trial's start: samples count from it
	Warmup, Measure time.Duration
	// Load gives when the load began, where that is later than Run and not known
	// before, as of pods that have to be started; nil: with Run.
	Load <-chan time.Time
}

// Run takes samples until the window's end, or until ctx ends, and passes them
// on. It holds one thread, so that what the probes cost can be known.
func (w *Watcher) Run(ctx context.Context, at Window, emit func(record.Line) error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	load := time.Now()
	for next := time.Duration(0); ; {
		stopped := ctx.Err() != nil
		begun := at.Load == nil
		last := stopped || begun && next >= at.Warmup+at.Measure
		edge := last || next == 0 || begun && next == at.Warmup
		sample := record.Sample{At: time.Since(at.Began), Warmup: !begun || next < at.Warmup}
		beside := patience
		if last {
			beside = lastPatience
		}
		sample.Values = record.ValuesOf(w.sample(edge, beside))
		if err := emit(record.Line{Sample: &sample}); err != nil {
			return err
		}
		if last {
			return nil
		}
		load, next = at.wait(ctx, load)
	}
}

// wait waits until a sample is due, and says when, counted from the load's beginning,
// which may become known meanwhile.
func (at *Window) wait(ctx context.Context, load time.Time) (_ time.Time, next time.Duration) {
	for {
		var due <-chan time.Time
		if next = at.after(time.Since(load)); len(at.Load) == 0 { // else that comes first
			due = time.After(time.Until(load.Add(next)))
		}
		select {
		case <-ctx.Done():
			return load, next
		case load = <-at.Load:
			at.Load = nil
			if time.Since(load) >= at.Warmup { // it was known too late for its edge
				return load, at.Warmup
			}
		case <-due:
			return load, next
		}
	}
}

// after is the next moment of a sample, counted from the load's beginning.
func (at Window) after(now time.Duration) time.Duration {
	next := now.Truncate(step) + step
	for _, edge := range []time.Duration{at.Warmup, at.Warmup + at.Measure} {
		if edge > now {
			next = min(next, edge)
		}
	}
	return next
}

// sample reads the probes that are due, all of them at an edge, and keeps what
// has changed. Those beside the server may take as long as beside.
func (w *Watcher) sample(edge bool, beside time.Duration) map[string]float64 {
	values := map[string]float64{}
	if w.beside != nil {
		answer := make(chan map[string]float64, 1)
		go func() { answer <- w.beside.sample(edge, beside) }()
		defer func() { maps.Copy(values, <-answer) }()
	}
	for i := range w.probes {
		w.probes[i].takeDue(values, edge, patience)
	}
	if w.beside == nil {
		values[keys.ProbeCPUNS] = float64(threadTime())
	}
	return values
}

// takeDue reads one probe if it is due, and at an edge.
func (p *watched) takeDue(into map[string]float64, edge bool, patience time.Duration) {
	now := time.Now()
	if !edge && now.Before(p.due) {
		return
	}
	before := threadTime()
	p.take(into, patience)
	p.due = now.Add(max(p.Every, time.Duration(float64(threadTime()-before)/share)) - step/2)
}

// take reads one probe. A probe that fails in the middle of a load, because the
// server ended or does not answer, leaves its values out.
func (p *watched) take(into map[string]float64, patience time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_ = p.read(ctx, func(name string, v float64) {
		if old, known := p.last[name]; known && old == v || math.IsNaN(v) {
			return
		}
		p.last[name], into[name] = v, v
	})
}
