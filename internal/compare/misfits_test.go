package compare

import (
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/record"
)

// TestTurnsDiffer: a ratio out of bounds says nothing while the turns differ as much as it does, as a
// few turns on a machine that others use do, and says it of turns that are alike.
func TestTurnsDiffer(t *testing.T) {
	m := Misfit{Least: 0.5, Most: 0.65}
	for name, c := range map[string]struct {
		turns []float64
		want  bool
	}{
		"five turns of a busy machine": {[]float64{2400, 300, 1900, 200, 1200}, false},
		"five like turns":              {[]float64{1190, 1210, 1200, 1205, 1195}, true},
		"no turns on record":           {nil, true},
	} {
		s := turnSum{counted: 6000, uncounted: 700, turns: c.turns}
		if got := s.outside(m, false); got != c.want {
			t.Errorf("%s: outside %v, want %v", name, got, c.want)
		}
	}
}

// TestMisfits: an arm whose transactions end outside of the slices, or are too long for them, has
// no figure and no verdict, and the plan goes over to slices that are long enough or to windows.
func TestMisfits(t *testing.T) {
	slices := interleave.Slices{Guard: 10 * time.Millisecond, LeadIn: 100 * time.Millisecond, Slice: 200 * time.Millisecond, Drain: 20 * time.Millisecond, Warmup: 2, Cycles: 20}
	const ms = int64(time.Millisecond)
	for _, c := range []struct {
		name      string
		uncounted int64 // for 1,000 that are counted
		counts    [][2]int64
		want      string
		to        int // the place of the next protocol
	}{
		{"well", 560, [][2]int64{{10 * ms, 990}, {60 * ms, 10}}, "", 0},
		{"completed while frozen", 3500, [][2]int64{{10 * ms, 1000}}, "uncounted", 3},
		{"nothing in the lead-in", 100, [][2]int64{{10 * ms, 1000}}, "uncounted", 3},
		{"long", 600, [][2]int64{{10 * ms, 700}, {60 * ms, 300}}, "long", 0},
		{"a slow tail", 600, [][2]int64{{10 * ms, 950}, {150 * ms, 50}}, "slow", 1},
		{"longer than every slice", 600, [][2]int64{{10 * ms, 950}, {500 * ms, 50}}, "slow", 3},
	} {
		r := fill(planned(t, spec(8, "1%", "bare: {target: process}", "pod: {target: container}")), func(string, int) float64 { return 100 })
		i := experiment.Interleaving{Kind: experiment.KindSlices, Slices: &slices, Otherwise: []experiment.Interleaving{}}
		for _, factor := range []time.Duration{2, 3, 4} {
			longer := slices
			longer.Slice *= factor
			i.Otherwise = append(i.Otherwise, experiment.Interleaving{Kind: experiment.KindSlices, Slices: &longer})
		}
		i.Otherwise = append(i.Otherwise, experiment.Interleaving{Kind: experiment.KindWindows})
		r.Plan = r.Plan.Interleave(r.Experiment, i)
		give := func(uncounted int64, counts [][2]int64) func(*record.Trial) {
			return func(t *record.Trial) {
				t.Window.Counts.Transactions, t.Window.Uncounted = 1000, uncounted
				t.Window.Latency = &record.Latency{Histogram: &record.Histogram{Scheme: "s", Counts: counts}}
			}
		}
		each(r, "bare", give(550, [][2]int64{{5 * ms, 1000}}))
		each(r, "pod", give(c.uncounted, c.counts))
		found := Misfits(r)
		change, goes := NextProtocol(r)
		contrast := only(t, Run(r))
		if c.want == "" {
			if len(found) > 0 || goes || contrast.Verdict == NotMeasured {
				t.Errorf("%s: %+v, %+v, %s", c.name, found, change, contrast.Verdict)
			}
			continue
		}
		if len(found) != 1 || found[0].Code != c.want || found[0].Arm != "pod" {
			t.Errorf("%s: %+v, want %s", c.name, found, c.want)
		}
		if contrast.Verdict != NotMeasured || contrast.Effect == contrast.Effect || contrast.Interval95 != nil || contrast.Reasons[0].Code != "misfit-"+c.want {
			t.Errorf("%s: %+v", c.name, contrast)
		}
		if !goes || change.To != c.to || change.Reason.Code != "misfit-"+c.want {
			t.Errorf("%s: goes over %v to %d, want %d", c.name, goes, change.To, c.to)
		}
		plan, err := r.Plan.Change(change)
		if err != nil || plan.Check(r.Experiment) != nil || plan.Current().Kind != i.Otherwise[c.to].Kind {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.to == 3 && plan.Sliced() {
			t.Errorf("%s: by windows, and sliced", c.name)
		}
		if _, err := plan.Change(change); err == nil {
			t.Errorf("%s: goes over to the same protocol twice", c.name)
		}
		plan.Changes[0].To = 0
		if c.to != 0 && plan.Check(r.Experiment) == nil {
			t.Errorf("%s: a plan whose protocol was changed by hand passes", c.name)
		}
	}
}

// TestUncertainClocks: turns by clocks that may differ by more than half of what lies between them do not hold, whatever
// else is wrong; the run goes over to windows, not to longer slices, which have the same guard.
func TestUncertainClocks(t *testing.T) {
	slices := interleave.Slices{Guard: 10 * time.Millisecond, LeadIn: 100 * time.Millisecond, Slice: 200 * time.Millisecond, Drain: 20 * time.Millisecond, Cycles: 20, Idle: true}
	for ms, want := range map[string]bool{"4.9": false, "5.1": true, "80": true} {
		r := fill(planned(t, spec(8, "1%", "bare: {target: process}", "pod: {target: container}")), func(string, int) float64 { return 100 })
		longer := slices
		longer.Slice *= 2
		r.Plan = r.Plan.Interleave(r.Experiment, experiment.Interleaving{Kind: experiment.KindSlices, Slices: &slices,
			Otherwise: []experiment.Interleaving{{Kind: experiment.KindSlices, Slices: &longer}, {Kind: experiment.KindWindows}}})
		each(r, "pod", func(t *record.Trial) {
			t.Facts = append(t.Facts, record.Fact{Key: "clock.uncertainty_ms", Value: ms, Phase: "end"})
			t.Window, t.End = nil, &record.End{Outcome: record.Failed, Reason: "the clocks may differ"}
		})
		change, goes := NextProtocol(r)
		if goes != want || want && (change.To != 1 || change.Reason.Code != "misfit-clocks") {
			t.Errorf("%s ms: %v, %+v", ms, goes, change)
		}
	}
}
