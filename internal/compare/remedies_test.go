package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecide(t *testing.T) {
	c := func(v Verdict, exploratory bool) Contrast { return Contrast{Verdict: v, Exploratory: exploratory} }
	for _, x := range []struct {
		of   []Contrast
		want Decision
	}{
		{nil, Undecided},
		{[]Contrast{c(Gains, false)}, Kept},
		{[]Contrast{c(Gains, true)}, Undecided},
		{[]Contrast{c(Costs, false)}, Refused},
		{[]Contrast{c(Gains, false), c(Costs, false)}, Refused},
		{[]Contrast{c(Equivalent, false), c(WithinMargin, false)}, Refused},
		{[]Contrast{c(Equivalent, false), c(Inconclusive, false)}, Undecided},
		{[]Contrast{c(Gains, false), c(Inconclusive, false)}, Kept},
		{[]Contrast{c(Sealed, false)}, Undecided},
		{[]Contrast{c(Invalid, false)}, Undecided},
	} {
		if got := decide(x.of); got != x.want {
			t.Errorf("%+v: %s, want %s", x.of, got, x.want)
		}
	}
}

func TestRemediesOfARun(t *testing.T) {
	yaml := spec(8, "1%", "bare: {target: process}") +
		"remedies:\n  better: {rule: A-1, finding: slow, change: {config: {a: 1}}}\n  worse: {rule: A-2, change: {config: {b: 1}}}\n"
	factor := map[string]float64{"bare": 1000, "better": 1200, "worse": 900}
	r := fill(planned(t, yaml), func(arm string, round int) float64 { return factor[arm] * (1 + 0.001*float64((round*3+len(arm))%5)) })
	got := map[string]Decision{}
	for _, m := range Run(r).Remedies {
		got[m.Arm] = m.Decision
		if m.Change == "" || len(m.Contrasts) != 1 {
			t.Errorf("%+v", m)
		}
	}
	if d := cmp.Diff(map[string]Decision{"better": Kept, "worse": Refused}, got); d != "" {
		t.Error(d)
	}
}

// TestUselessRemediesAreNotKept calibrates the decision: of changes that do
// nothing at all, at most 2.5 % may be kept (one side of a 95 % interval), also
// where three are measured at once. Keeping whatever looked faster, the method
// of tuning guides, keeps every second one, and most runs of three keep one.
func TestUselessRemediesAreNotKept(t *testing.T) {
	const runs = 400
	rng := rand.New(rand.NewPCG(7, 7))
	yaml := spec(8, "1%", "bare: {target: process}") +
		"remedies:\n  a: {rule: A-1, change: {config: {a: 1}}}\n  b: {rule: A-2, change: {config: {b: 1}}}\n  c: {rule: A-3, change: {config: {c: 1}}}\n"
	kept, naive := 0, 0
	for range runs {
		r := fill(planned(t, yaml), func(string, int) float64 { return 1000 * math.Exp(0.03*rng.NormFloat64()) })
		anyKept, anyFaster := false, false
		for _, m := range Run(r).Remedies {
			anyKept = anyKept || m.Decision == Kept
			anyFaster = anyFaster || m.Contrasts[0].Effect > 0
		}
		if anyKept {
			kept++
		}
		if anyFaster {
			naive++
		}
	}
	if rate := float64(kept) / runs; rate > 0.045 { // 2.5 % and three standard errors
		t.Errorf("%.1f %% of the runs kept a change that does nothing", 100*rate)
	}
	if rate := float64(naive) / runs; rate < 0.7 {
		t.Errorf("the naive method kept one in %.1f %% of the runs only: the simulation is too easy", 100*rate)
	}
}
