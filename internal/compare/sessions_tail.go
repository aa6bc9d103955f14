package compare

// This file is p95 and p99 of the arms of two runs, and their change.

import (
	"math"

	"github.com/tarebench/tare/internal/stats"
)

// SessionTail is a percentile of the response times of an arm in the earlier and in the later run.
type SessionTail struct {
	Percentile    string // "95" or "99"
	Before, After TailOf
	// Cost is the change from the earlier run in %, positive when slower: NaN where the runs may not be compared.
	// Interval is its 95 % interval, nil where it has none; it holds together with those of all Family changes.
	Cost     float64
	Interval *Interval
	Family   int
	// NoChange is why it has no interval: [Few], [Apart], [OtherRates], [Numberless], [OneRun] or [OfAll]; "" where it has one,
	// or where the runs may not be compared.
	NoChange string
	// Explained is why the change decides nothing: what others used can have made it. nil where they cannot.
	Explained *Reason
}

// TailOf is a percentile of one run in milliseconds, NaN where the run has none. Trials is of how many trials it is the
// geometric mean, and 0 where it is that of all requests of the run together.
type TailOf struct {
	Mean   float64
	Trials int
}

// tails are the percentiles of an arm in both runs. The change of trials' percentiles is judged as that of their
// throughputs is: two independent samples, where the throughputs may be compared and both runs have one fixed rate, if
// any.
func (s *Sessions) tails(c Contrast, pair [2]*Arm, shared int, oneRate bool) (all []SessionTail) {
	if c.Verdict == Sealed {
		return nil
	}
	base, arm := pair[0], pair[1]
	for _, p := range percentiles {
		if p.name != "95" && p.name != "99" {
			continue
		}
		t := SessionTail{Percentile: p.name, Before: base.tailOf(p.name), After: arm.tailOf(p.name), Cost: math.NaN(), Family: 2 * shared}
		if math.IsNaN(t.Before.Mean) && math.IsNaN(t.After.Mean) {
			continue
		}
		switch {
		case c.Verdict == Invalid:
		case !oneRate:
			t.NoChange = OtherRates
		case base.count(numberless)+arm.count(numberless) > 0:
			t.NoChange = Numberless
		default:
			if t.change(base, arm); t.Interval != nil {
				t.Explained = s.others.explaining(*t.Interval)
			}
		}
		all = append(all, t)
	}
	return all
}

// tailOf is the percentile over the trials, else that of all requests together.
func (a *Arm) tailOf(name string) TailOf {
	if t := a.tail(name); t != nil {
		return TailOf{t.Mean, t.Trials}
	}
	if l := a.Latency; l != nil && !a.fixed {
		if v, ok := l.Percentiles[name]; ok {
			return TailOf{Mean: v}
		}
	}
	return TailOf{Mean: math.NaN()}
}

func (a *Arm) tail(name string) *Tail {
	for i := range a.Tails {
		if a.Tails[i].Percentile == name {
			return &a.Tails[i]
		}
	}
	return nil
}

// change compares the percentiles of trials; that of all requests of a run is no mean of trials, and is not compared
// with one.
func (t *SessionTail) change(base, arm *Arm) {
	if t.NoChange = OneRun; math.IsNaN(t.Before.Mean) || math.IsNaN(t.After.Mean) {
		return
	}
	if t.NoChange = OfAll; (t.Before.Trials == 0) != (t.After.Trials == 0) {
		return
	}
	t.Cost = 100 * (t.After.Mean/t.Before.Mean - 1)
	if t.Before.Trials == 0 {
		return
	}
	x, y := base.tail(t.Percentile).inTime(base), arm.tail(t.Percentile).inTime(arm)
	wider := [2]float64{1, 1}
	if !base.stopping.imported && !arm.stopping.imported { // the order of imported trials is not known
		for i, of := range [][]float64{x, y} {
			if serial := ofRun(of, error95/float64(t.Family)); serial != nil && serial.P <= serialLevel {
				wider[i] = serial.Factor
			}
		}
	}
	e := welchWider(x, y, t.Family, wider[0], wider[1])
	t.Cost = stats.Percent(e.mean)
	switch {
	case !e.haveInterval:
		t.NoChange = Few
	case !e.in95.useful():
		t.NoChange = Apart
	default:
		in := e.in95.percent()
		t.Interval, t.NoChange = &in, ""
	}
}

// inTime are the logarithms of the trials' percentiles in the order in which they were measured.
func (t *Tail) inTime(a *Arm) (all []float64) {
	for _, trial := range a.inTime() {
		if v, ok := t.byRound[a.stopping.roundOf(trial)]; ok {
			all = append(all, v)
		}
	}
	return all
}

// withTails are the tails of two arms that are one server: each round has the mean of what both show of it.
func (a *Arm) withTails(other *Arm) (all []Tail) {
	for _, t := range a.Tails {
		o := other.tail(t.Percentile)
		if o == nil {
			continue // a percentile of half of the trials is that of the fastest
		}
		both := Tail{Percentile: t.Percentile, Cost: math.NaN(), byRound: byRounds{}}
		for round, v := range t.byRound {
			both.byRound[round] = v
			if w, ok := o.byRound[round]; ok {
				both.byRound[round] = (v + w) / 2
			}
		}
		both.Trials = len(both.byRound)
		both.Mean, both.Interval = a.stopping.geometric(both.byRound)
		all = append(all, both)
	}
	return all
}
