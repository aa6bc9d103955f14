package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// wandering is a run of two arms in which the log of the pod's throughput is x, a value a round.
func wandering(t *testing.T, x []float64) *record.Run {
	t.Helper()
	return fill(planned(t, spec(len(x), "1%", "bare: {target: process}", "pod: {target: container}")), func(arm string, round int) float64 {
		if arm == "pod" {
			return 1000 * math.Exp(x[round-1])
		}
		return 1000
	})
}

// TestRoundsThatDepend: an arm that becomes slower from round to round has a wider interval, the reason
// says so, and no further run is promised a verdict. Values in another order have neither.
func TestRoundsThatDepend(t *testing.T) {
	slower := []float64{0, -0.002, -0.004, -0.006, -0.008, -0.010, -0.012, -0.014}
	c := only(t, Run(wandering(t, slower)))
	shuffled := only(t, Run(wandering(t, []float64{-0.006, -0.012, 0, -0.008, -0.002, -0.014, -0.004, -0.010})))
	if c.Serial == nil || c.Serial.P > 0.01 || c.Serial.Factor < 2 || !slices.ContainsFunc(c.Reasons, Caveat) || c.NewRun() != nil {
		t.Errorf("%+v %+v %v", c.Serial, c.NewRun(), c.Reasons)
	}
	if shuffled.Serial == nil || shuffled.Serial.P < 0.05 || shuffled.Serial.Factor != 1 || slices.ContainsFunc(shuffled.Reasons, Caveat) {
		t.Errorf("%+v %v", shuffled.Serial, shuffled.Reasons)
	}
	width := func(c Contrast) float64 { return math.Log1p(c.Interval95.Hi/100) - math.Log1p(c.Interval95.Lo/100) }
	if r := width(c) / width(shuffled); math.Abs(r-c.Serial.Factor) > 1e-9 || c.Effect != shuffled.Effect && math.Abs(c.Effect-shuffled.Effect) > 1e-9 {
		t.Errorf("the interval is %g times as wide, said to be %g times; effects %g and %g", r, c.Serial.Factor, c.Effect, shuffled.Effect)
	}
}

// TestStartsOfAnotherLevel: the arm is named whose starts differ, also where that is the baseline; a gap
// within the margin is none.
func TestStartsOfAnotherLevel(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	run := func(slow string, by float64) Contrast {
		return only(t, Run(fill(planned(t, spec(8, "1%", "bare: {target: process}", "pod: {target: container}")), func(arm string, round int) float64 {
			v := 1000 * math.Exp(0.0002*rng.NormFloat64())
			if arm == slow && round == 3 {
				v *= by
			}
			return v
		})))
	}
	for _, arm := range []string{"bare", "pod"} {
		s := run(arm, 0.5).Starts
		if s == nil || s.Arm != arm || len(s.Rounds) != 1 || s.Rounds[0] != 3 || math.Abs(s.Change+50) > 0.5 || math.Abs(s.Share.Hi-52.65) > 0.1 {
			t.Errorf("%s: %+v", arm, s)
		}
	}
	if c := run("pod", 0.5); !slices.ContainsFunc(c.Reasons, Caveat) {
		t.Errorf("no caveat in %v", c.Reasons)
	}
	if c := run("pod", 0.995); c.Starts != nil || slices.ContainsFunc(c.Reasons, Caveat) {
		t.Errorf("half a percent: %+v", c.Starts)
	}
}

// TestLimits: what eight rounds cannot show is said with every interval, and nothing of a sealed run.
func TestLimits(t *testing.T) {
	res := Run(wandering(t, []float64{0, .01, 0, .02, -.01, 0, .01, 0}))
	if l := res.Limits; l == nil || l.Rounds != 8 || math.Abs(l.RareAbsent-0.4305) > 1e-3 || l.RhoNoticed < 0.15 || l.RhoNoticed > 0.35 {
		t.Errorf("%+v", l)
	}
	few := Run(wandering(t, []float64{0, .01, 0}))
	if few.Limits == nil || !math.IsNaN(few.Limits.RhoNoticed) {
		t.Errorf("three rounds: %+v", few.Limits)
	}
	one := Run(wandering(t, []float64{0}))
	if one.Limits != nil {
		t.Errorf("one round has no interval and %+v", one.Limits)
	}
}

// TestIntervalOfDependentRounds has figures of an autoregression with mean zero, which imported trials,
// whose order is not known, also have: their interval is Student's.
func TestIntervalOfDependentRounds(t *testing.T) {
	const series, rounds = 400, 20
	for _, tc := range []struct {
		rho    float64
		of     stopping
		lo, hi float64 // of the share of intervals that leave out the truth
	}{
		{rho: 0, lo: 0.02, hi: 0.08},
		{rho: 0.5, lo: 0, hi: 0.15},
		{rho: 0.9, lo: 0, hi: 0.15},
		{rho: 0.5, of: stopping{imported: true}, lo: 0.2, hi: 0.4},
		{rho: 0.9, of: stopping{imported: true}, lo: 0.5, hi: 0.8},
	} {
		tc.of.rule = experiment.Fixed
		rng := rand.New(rand.NewPCG(7, uint64(100*tc.rho)))
		missed := 0
		for range series {
			of, x := byRounds{}, rng.NormFloat64()
			for round := 1; round <= rounds; round++ {
				of[round] = x
				x = tc.rho*x + math.Sqrt(1-tc.rho*tc.rho)*rng.NormFloat64()
			}
			if in := tc.of.alone(of); in.Lo > 0 || in.Hi < 0 {
				missed++
			}
		}
		share := float64(missed) / series
		t.Logf("correlation %.1f, imported %v: %.3f", tc.rho, tc.of.imported, share)
		if share < tc.lo || share > tc.hi {
			t.Errorf("rounds that correlate by %.1f: %.3f of the intervals leave out the truth, expected %.2f to %.2f", tc.rho, share, tc.lo, tc.hi)
		}
	}
}

// TestRoundsInTime: a round that was set aside is where the clock says, and last where the clock was set back between
// two others.
func TestRoundsInTime(t *testing.T) {
	hour := func(round int, shift time.Duration) time.Time {
		return time.Date(2026, 11, 28, 9, round, 0, 0, time.UTC).Add(shift)
	}
	plain := func(round int) time.Time { return hour(round, 0) }
	back := func(round int) time.Time {
		if round >= 3 {
			return hour(round, -time.Hour)
		}
		return hour(round, 0)
	}
	for name, c := range map[string]struct {
		began    func(round int) time.Time
		setAside map[int]bool
		want     []int
	}{
		"in their order":           {plain, nil, []int{1, 2, 3, 4, 5}},
		"one was set aside":        {func(r int) time.Time { return map[bool]time.Time{true: hour(9, 0), false: plain(r)}[r == 2] }, map[int]bool{2: true}, []int{1, 3, 4, 5, 2}},
		"one before a run went on": {func(r int) time.Time { return map[bool]time.Time{true: hour(3, time.Second), false: plain(r)}[r == 2] }, map[int]bool{2: true}, []int{1, 3, 2, 4, 5}},
		"the clock was set back":   {back, nil, []int{1, 2, 3, 4, 5}},
		"and one was set aside":    {back, map[int]bool{2: true}, []int{1, 3, 4, 5, 2}},
		"and one before it was":    {func(r int) time.Time { return map[bool]time.Time{true: hour(9, -2*time.Hour), false: back(r)}[r == 1] }, map[int]bool{1: true}, []int{2, 3, 4, 5, 1}},
	} {
		a := &Arm{setAside: c.setAside}
		for _, round := range []int{3, 1, 2, 5, 4} {
			a.Trials = append(a.Trials, &record.Trial{
				Header: record.Header{Trial: round, Round: round, Started: c.began(round)}, End: &record.End{Outcome: record.Measured},
				Window: &record.Window{Seconds: 1, Counts: record.Counts{Transactions: 1}},
			})
		}
		var got []int
		for _, trial := range a.inTime() {
			got = append(got, trial.Header.Round)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
