package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// stopped is a run whose rounds follow a rule, carried out so far, with an arm that
// is slower by cost on average, and a spread of 1 % from round to round.
func stopped(t *testing.T, rounds string, seed uint64, cost float64) *record.Run {
	t.Helper()
	text := strings.Replace(spec(1, "1%", "bare: {target: process}", "pod: {target: container}"), "rounds: 1,", "voids: 0, rounds: "+rounds+",", 1)
	r := planned(t, text)
	rng := rand.New(rand.NewPCG(seed, 1))
	values := make([]float64, 1000)
	for i := range values {
		values[i] = 1000 * math.Exp(0.01*rng.NormFloat64()-cost)
	}
	return fill(r, func(arm string, round int) float64 {
		if arm == "pod" {
			return values[round]
		}
		return 1000
	})
}

// TestLooks: a planned look that settles the question ends the run; one that does
// not leads to the next; its interval is that of the repeated level.
func TestLooks(t *testing.T) {
	r := stopped(t, "{looks: [8, 14, 20]}", 1, 0.1)
	c := only(t, Run(r))
	lo, hi := stats.TInterval(logRatios(c.Pairs), 0.0019)
	if c.Verdict != Costs || c.Kind != "looks-t" || !math.IsNaN(c.SignFlipP) ||
		math.Abs(c.Interval95.Lo-stats.Percent(lo)) > 0.05 || math.Abs(c.Interval95.Hi-stats.Percent(hi)) > 0.05 {
		t.Errorf("first look: %+v, want about [%v, %v]", c, stats.Percent(lo), stats.Percent(hi))
	}
	if n, why, more := NextRounds(r); more {
		t.Errorf("settled, yet %d rounds: %s", n, why)
	}
	r = stopped(t, "{looks: [8, 14, 20]}", 2, 0.011)
	n, why, more := NextRounds(r)
	if !more || n != 14 || why != "look 1 of 3: 1 contrast not settled" {
		t.Errorf("%d %q %v", n, why, more)
	}
	longer, err := r.Plan.Extend(r.Experiment, 20, why)
	if err != nil {
		t.Fatal(err)
	}
	r.Plan = longer
	if n, _, more := NextRounds(r); more {
		t.Errorf("the last look leads to round %d", n)
	}
}

// TestOpenRun: it goes on round by round until it is settled, may be looked at
// while it is on.
func TestOpenRun(t *testing.T) {
	r := stopped(t, "{open: true, max: 100}", 3, 0.1)
	if c := only(t, Run(r)); c.Verdict != Costs || c.Kind != "anytime-t" || len(c.Pairs) != 6 {
		t.Errorf("%+v", c)
	}
	r = stopped(t, "{open: true, max: 100}", 4, 0.011)
	if n, why, more := NextRounds(r); !more || n != 7 || !strings.Contains(why, "after 6 rounds") {
		t.Errorf("%d %q %v", n, why, more)
	}
	r.Trials = r.Trials[:len(r.Trials)-1]
	if res := Run(r); res.Sealed || only(t, res).Interval95 == nil {
		t.Error("an open run is sealed")
	}
}

// TestOpenRunWithoutNumbers: a server that starved in a round is compared with none, however many
// rounds follow. They end if it has a number in one round only, too.
func TestOpenRunWithoutNumbers(t *testing.T) {
	r := stopped(t, "{open: true, max: 100}", 3, 0.1)
	each(r, "pod", func(trial *record.Trial) {
		if trial.Header.Round > 1 {
			trial.End, trial.Window = &record.End{Outcome: record.Starved}, nil
		}
	})
	if c := only(t, Run(r)); c.Verdict != Inconclusive || c.Rounds != 1 {
		t.Fatalf("%+v", c)
	}
	if n, why, more := NextRounds(r); more {
		t.Errorf("round %d follows: %s", n, why)
	}
}

// TestOpenRunWithPrecision goes on until its intervals are as narrow as asked.
func TestOpenRunWithPrecision(t *testing.T) {
	r := stopped(t, "{open: true, max: 100}, precision: 0.1%", 5, 0.1)
	if _, why, more := NextRounds(r); !more || !strings.Contains(why, "wider than ±0.1 %") {
		t.Error(why, more)
	}
	r = stopped(t, "{open: true, max: 100}, precision: 10%", 5, 0.001)
	if _, why, more := NextRounds(r); more {
		t.Error(why)
	}
}

// TestNextRoundsAfterAPilot: the contrast with the largest spread in the pilot says how many rounds its
// precision takes (t(.975, 3) = 3.182 and, of two contrasts, t(.9875, 3) = 4.177), within the maximum; the
// effects say nothing. A run is extended once, and not after a pilot with fewer than four complete rounds.
func TestNextRoundsAfterAPilot(t *testing.T) {
	one := []string{"bare: {target: process}", "pod: {target: container}"}
	two := append(one, "big: {target: container}")
	pilot := func(arms []string, spread map[string]float64) *record.Run {
		text := strings.Replace(spec(8, "1%", arms...), "rounds: 8,", "precision: 1%, rounds: {pilot: 4, max: 60},", 1)
		return fill(planned(t, text), func(arm string, round int) float64 {
			// the log-ratios are -s, s, -s, s, whose standard deviation is 2s/sqrt(3)
			return 1000 * math.Exp(spread[arm]*float64(1-2*(round%2)))
		})
	}
	short := each(pilot(one, map[string]float64{"pod": 0.01}), "pod", func(trial *record.Trial) {
		if trial.Header.Round == 2 {
			end(record.Failed, "disk full")(trial)
		}
	})
	limited := pilot(one, map[string]float64{"pod": 0.01})
	limited.Experiment.Protocol.Rounds.Max, limited.Plan.MaxRounds = 12, 12
	extended := pilot(one, map[string]float64{"pod": 0.01})
	longer, err := extended.Plan.Extend(extended.Experiment, 14, "test")
	if err != nil {
		t.Fatal(err)
	}
	extended.Plan = longer
	for name, c := range map[string]struct {
		run  *record.Run
		n    int
		more bool
		why  string
	}{
		"spread of 1.2 %":               {pilot(one, map[string]float64{"pod": 0.01}), 14, true, "after 4 rounds: pod varies by 1.2 % from round to round, so ±1 % takes 14 rounds"},
		"little spread, a large effect": {pilot(one, map[string]float64{"pod": 0.001, "bare": 0.002}), 4, true, "takes 4 rounds"},
		"the larger of two spreads":     {pilot(two, map[string]float64{"pod": 0.01, "big": 0.015}), 53, true, "big varies by 1.7 %"},
		"the larger comes first":        {pilot(two, map[string]float64{"pod": 0.015, "big": 0.01}), 53, true, "pod varies by 1.7 %"},
		"more than the maximum":         {limited, 12, true, "takes 14 rounds; the maximum is 12, so the interval will be wider"},
		"three complete rounds":         {short, 4, false, ""},
		"extended":                      {extended, 14, false, ""},
	} {
		n, why, more := NextRounds(c.run)
		if n != c.n || more != c.more || !strings.Contains(why, c.why) || c.why == "" && why != "" {
			t.Errorf("%s: %d %q %v, want %d %q %v", name, n, why, more, c.n, c.why, c.more)
		}
	}
}

// TestIntervalsOfAFamily: the interval of a contrast is that of its own two arms at the family's
// level. Another arm's noise, its two modes and its missing rounds do not change it.
func TestIntervalsOfAFamily(t *testing.T) {
	r := planned(t, spec(8, "1%", "bare: {target: process}", "b: {target: a}", "c: {target: a}", "d: {target: a}"))
	rng := rand.New(rand.NewPCG(9, 9))
	fill(r, func(string, int) float64 { return 1000 * math.Exp(0.01*rng.NormFloat64()) })
	quiet := Run(r).Contrasts
	each(r, "d", func(trial *record.Trial) {
		if trial.Header.Round%2 == 0 {
			trial.Window.Counts.Transactions /= 2
		}
		if trial.Header.Round == 3 {
			trial.End = &record.End{Outcome: record.Failed}
		}
	})
	noisy := Run(r).Contrasts
	for i := range quiet[:2] {
		a, b := quiet[i], noisy[i]
		lo, hi := stats.TInterval(logRatios(a.Pairs), 0.05/3)
		if a.Kind != "paired-t-bonferroni" || *a.Interval95 != (Interval{lo, hi}).percent() {
			t.Errorf("%+v", a)
		}
		if d := cmp.Diff(a, b, cmpopts.EquateNaNs(), cmpopts.IgnoreUnexported(Contrast{})); d != "" {
			t.Errorf("%s changed with the noise of d:\n%s", a.Arm, d)
		}
	}
	if d := quiet[2]; *d.Interval95 == *noisy[2].Interval95 {
		t.Error("the noise of d does not change its own interval")
	}
}

// TestEnoughRounds: the smallest p of the sign-flip test, for one contrast and many.
func TestEnoughRounds(t *testing.T) {
	for k, want := range map[int]int{0: 6, 1: 6, 2: 7, 3: 7, 4: 8, 8: 9, 16: 10} {
		if got := EnoughRounds(k); got != want {
			t.Errorf("%d contrasts: %d rounds, want %d", k, got, want)
		}
	}
}
