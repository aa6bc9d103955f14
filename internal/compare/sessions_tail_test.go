package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
)

// timedSession is a session whose trials have p95 and p99 about the given level in milliseconds; p99 is twice p95.
func timedSession(t *testing.T, seed uint64, ms float64) *record.Run {
	t.Helper()
	r := session(t, seed, map[string]float64{"bare": 1000, "pod": 900})
	rng := rand.New(rand.NewPCG(seed, 7))
	for _, trial := range r.Trials {
		p95 := ms * math.Exp(0.02*rng.NormFloat64())
		trial.Window.Latency = &record.Latency{Mean: p95 / 2, Max: 10 * p95, Percentiles: map[string]float64{"95": p95, "99": 2 * p95}}
	}
	return r
}

// TestBetweenTails: p95 and p99 of both runs with their change, which is that of the trials.
func TestBetweenTails(t *testing.T) {
	s, err := Between(timedSession(t, 1, 10), timedSession(t, 2, 12), 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Tails) != len(s.Contrasts) || len(s.Tails[1]) != 2 {
		t.Fatalf("tails %+v", s.Tails)
	}
	for i, of := range s.Tails[1] {
		level := 10 * float64(i+1)
		if of.Percentile != []string{"95", "99"}[i] || math.Abs(of.Before.Mean/level-1) > 0.03 || math.Abs(of.After.Mean/(1.2*level)-1) > 0.03 || of.Before.Trials != 8 {
			t.Errorf("%+v", of)
		}
		if of.Family != 4 || of.Interval == nil || of.Interval.Lo < 10 || of.Interval.Hi > 30 || math.Abs(of.Cost-20) > 5 {
			t.Errorf("p%s costs %v %+v of %d", of.Percentile, of.Cost, of.Interval, of.Family)
		}
	}
}

// TestBetweenTailsApart: what is not alike keeps its figures and gets no change; an unfinished run shows none.
func TestBetweenTailsApart(t *testing.T) {
	other, short, lone := timedSession(t, 2, 12), timedSession(t, 2, 12), timedSession(t, 2, 12)
	other.Experiment.Load.Workload = "oltp_write_only"
	short.Trials = short.Trials[:9]
	for _, trial := range lone.Trials {
		trial.Window.Latency = nil
	}
	for name, c := range map[string]struct {
		after   *record.Run
		tails   int
		figures bool // of the later run
	}{"other load": {other, 2, true}, "unfinished": {short, 0, false}, "not timed": {lone, 2, false}} {
		s, err := Between(timedSession(t, 1, 10), c.after, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Tails[1]) != c.tails {
			t.Errorf("%s: %+v", name, s.Tails[1])
		}
		for _, of := range s.Tails[1] {
			if math.IsNaN(of.Before.Mean) || math.IsNaN(of.After.Mean) == c.figures || !math.IsNaN(of.Cost) || of.Interval != nil {
				t.Errorf("%s: %+v", name, of)
			}
		}
	}
}

// TestBetweenTailsErrAsPromised: of two sessions without a difference, any change of a percentile is told apart in 5 %
// of cases at most; 1000 campaigns, 99.9 %. p99 is twice p95 here, so its change is that of p95: the rate is about half.
func TestBetweenTailsErrAsPromised(t *testing.T) {
	wrong := 0
	for seed := range uint64(1000) {
		s, err := Between(timedSession(t, 2*seed, 10), timedSession(t, 2*seed+1, 10), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range append(s.Tails[0], s.Tails[1]...) {
			if of.Interval.Lo > 0 || of.Interval.Hi < 0 {
				wrong++
				break
			}
		}
	}
	if rate := float64(wrong) / 1000; rate < 0.011 || rate > 0.045 {
		t.Errorf("%.1f %% of equal sessions are told apart", 100*rate)
	}
}

// TestArmsOfOneRun: an arm that only one run has is named.
func TestArmsOfOneRun(t *testing.T) {
	after := planned(t, strings.ReplaceAll(spec(8, "1%", "bare: {target: process}", "quota: {target: container}"), "aa: false", "aa: true"))
	after = fill(after, func(string, int) float64 { return 1000 })
	s, err := Between(session(t, 1, map[string]float64{"bare": 1000, "pod": 900}), after, 0)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, w := range s.Warnings[:2] {
		said = append(said, w.String())
	}
	if d := cmp.Diff([]string{
		"arms-of-one-run arms=[arm-at threads=4 arm=pod] run=[earlier-run]",
		"arms-of-one-run arms=[arm-at threads=4 arm=quota] run=[later-run]",
	}, said); d != "" {
		t.Error(d)
	}
}
