package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
)

// TestSupport: every expectation against every verdict.
func TestSupport(t *testing.T) {
	yes := func(v Verdict) Contrast { return Contrast{Verdict: v, PastMargin: "yes"} }
	for _, c := range []struct {
		expect string
		saw    Contrast
		want   Support
	}{
		{experiment.Slower, Contrast{Verdict: Costs, PastMargin: "unsettled"}, Supported},
		{experiment.Slower, yes(Gains), Contradicted},
		{experiment.Slower, Contrast{Verdict: WithinMargin}, Contradicted},
		{experiment.Slower, Contrast{Verdict: Equivalent}, Contradicted},
		{experiment.Slower, Contrast{Verdict: Inconclusive}, Open},
		{experiment.Faster, yes(Gains), Supported},
		{experiment.Faster, yes(Costs), Contradicted},
		{experiment.Faster, Contrast{Verdict: Equivalent}, Contradicted},
		{experiment.Alike, Contrast{Verdict: Equivalent}, Supported},
		{experiment.Alike, Contrast{Verdict: WithinMargin}, Supported},
		{experiment.Alike, yes(Costs), Contradicted},
		{experiment.Alike, yes(Gains), Contradicted},
		{experiment.Alike, Contrast{Verdict: Costs, PastMargin: "unsettled"}, Open},
		{experiment.Alike, Contrast{Verdict: Inconclusive}, Open},
	} {
		if got := supportOf(c.expect, c.saw); got != c.want {
			t.Errorf("expect %s, %s %s: %s, want %s", c.expect, c.saw.Verdict, c.saw.PastMargin, got, c.want)
		}
		for _, v := range []Verdict{Invalid, NotMeasured, Sealed, Failed} {
			if got := supportOf(c.expect, Contrast{Verdict: v}); got != Open {
				t.Errorf("expect %s, %s: %s", c.expect, v, got)
			}
		}
	}
}

func TestJointSupport(t *testing.T) {
	for levels, want := range map[string]Support{
		"":                          Open,
		"supported supported":       Supported,
		"contradicted contradicted": Contradicted,
		"supported contradicted":    Mixed,
		"supported open":            Open,
		"contradicted open":         Open,
	} {
		var all []Support
		for _, s := range strings.Fields(levels) {
			all = append(all, Support(s))
		}
		if got := joint(all); got != want {
			t.Errorf("%q: %s, want %s", levels, got, want)
		}
	}
}

// TestHypotheses: each claim is judged by the contrasts of its arm, and none is before the
// seal is broken.
func TestHypotheses(t *testing.T) {
	yaml := spec(8, "5%", "bare: {target: process}", "pod: {target: container}", "redo: {target: container, config: {a: 1}}") +
		"hypotheses:\n  - {claim: a small redo log is slower, arm: redo, expect: slower}\n  - {claim: a pod costs nothing, arm: pod, expect: equivalent}\n"
	r := fill(planned(t, yaml), func(arm string, round int) float64 {
		v := 1000 + float64(round%3)
		if arm == "redo" {
			return 0.7 * v
		}
		return v
	})
	var got []string
	for _, h := range Run(r).Hypotheses {
		got = append(got, fmt.Sprintf("%s %s %v", h.Arm, h.Support, h.Threads))
	}
	if want := "[redo supported [4] pod supported [4]]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	r.Trials = r.Trials[:len(r.Trials)/2]
	for _, h := range Run(r).Hypotheses {
		if h.Support != Open {
			t.Errorf("%s is %s while the run is sealed", h.Arm, h.Support)
		}
	}
}
