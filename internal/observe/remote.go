package observe

// This file is what is read of a server that runs elsewhere: by probes beside it, or by
// another program on its machine.

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
)

// watcher reads what can be read of the server; beside is nil unless it is read elsewhere.
// unread is why no other program's readings are to be had.
func (s Server) watcher(ctx context.Context, place probe.Place, unread error) (w *probe.Watcher, beside *probe.Beside, err error) {
	switch {
	case s.Dial != nil:
		ctx, cancel := context.WithTimeout(ctx, reachWithin)
		defer cancel()
		if beside, err = probe.Reach(ctx, s.Dial); err != nil {
			return nil, nil, fmt.Errorf("watch server: %w", err)
		}
		return probe.Start(place, probe.OfServer()).With(beside), beside, nil
	case s.Why != nil:
		why := s.Why
		if unread != nil {
			why = fmt.Errorf("%w; %w", why, unread)
		}
		return probe.Start(place, append(probe.Unreadable(probe.OfMachine(), why), probe.OfServer()...)), nil, nil
	}
	return probe.Start(place, append(probe.OfRunning(), probe.All()...)), nil, nil
}

// reachWithin is how long probes on another machine may take to answer.
const reachWithin = 30 * time.Second

// others are counters that another program reads of the server, as they were before the
// span.
type others struct {
	ask   func(ctx context.Context) ([]probe.Reading, error) // nil where none are read
	first []probe.Reading
	err   error
}

// Such counters are read every 10 to 15 seconds (kubelet's housekeeping of cAdvisor), so
// those of the span's end come a little later.
const (
	othersWithin = 45 * time.Second
	othersEvery  = time.Second
	askWithin    = 10 * time.Second
)

func (s Server) others(ctx context.Context) others {
	o := others{ask: s.Readings}
	if o.ask != nil {
		o.first, o.err = o.asked(ctx)
	}
	return o
}

func (o others) asked(ctx context.Context) ([]probe.Reading, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	return o.ask(ctx)
}

// until adds the readings to the trial whose window has just ended: a sample at its
// beginning, and one at its end. It waits for readings of the second half of the window or
// later, unless wait is false.
func (o others) until(ctx context.Context, t *record.Trial, wait bool) {
	if o.ask == nil {
		return
	}
	if o.err == nil {
		o.err = o.add(ctx, t, wait)
	}
	if o.err != nil {
		t.Facts = append(t.Facts, record.Fact{Key: keys.WatchedReadings, Unknown: o.err.Error(), Phase: "end"})
	}
}

func (o others) add(ctx context.Context, t *record.Trial, wait bool) error {
	within := othersWithin
	if !wait {
		within = 0
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within+askWithin)
	defer cancel()
	least := time.Duration(t.Window.Seconds * float64(time.Second) / 2)
	for begun := time.Now(); ; {
		last, err := o.asked(ctx)
		if err != nil {
			return err
		}
		if later(o.first, last, least) {
			o.sample(t, last)
			return nil
		}
		if time.Since(begun) > within {
			return fmt.Errorf("the counters were not read again within %s of the end", within)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(othersEvery):
		}
	}
}

// later says that every reading of last is at least that much later than that of first.
func later(first, last []probe.Reading, least time.Duration) bool {
	if len(first) != len(last) {
		return false
	}
	for i := range first {
		if last[i].At.Sub(first[i].At) < max(least, time.Millisecond) {
			return false
		}
	}
	return true
}

// sample adds the readings to the first sample and to the last one. Counters are scaled to
// the window: their readings are a few seconds older than its ends, so the time between
// them is a different one.
func (o others) sample(t *record.Trial, last []probe.Reading) {
	before, after := map[string]float64{}, map[string]float64{}
	for i, r := range o.first {
		scale := t.Window.Seconds / last[i].At.Sub(r.At).Seconds()
		for name, v := range last[i].Values {
			metric, read, known := probe.Declared(name)
			start, both := r.Values[name]
			if !known || !both {
				continue
			}
			if metric.Counter {
				v = start + (v-start)*scale
			}
			before[name], after[name] = start, v
			t.Metrics = append(t.Metrics, metric)
			t.Facts = withoutFact(t.Facts, keys.ProbePrefix+read)
		}
	}
	if n := len(t.Samples); n > 0 {
		t.Samples[0].Values = merged(t.Samples[0].Values, before)
		t.Samples[n-1].Values = merged(t.Samples[n-1].Values, after)
	}
}

// merged are the values of a sample with others.
func merged(v record.Values, more map[string]float64) record.Values {
	all := maps.Collect(v.All())
	maps.Copy(all, more)
	return record.ValuesOf(all)
}

// withoutFact leaves out the fact that a probe could not read what another program has.
func withoutFact(facts []record.Fact, key string) []record.Fact {
	return slices.DeleteFunc(facts, func(f record.Fact) bool { return f.Key == key })
}
