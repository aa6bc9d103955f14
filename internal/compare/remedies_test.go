package compare

import (
	"slices"
	"testing"

	"github.com/tarebench/tare/internal/keys"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
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
		{[]Contrast{c(Costs, false)}, Rejected},
		{[]Contrast{c(Gains, false), c(Costs, false)}, Rejected},
		{[]Contrast{c(Equivalent, false), c(WithinMargin, false)}, Rejected},
		{[]Contrast{c(Equivalent, false), c(Inconclusive, false)}, Undecided},
		{[]Contrast{c(Gains, false), c(Inconclusive, false)}, Kept},
		{[]Contrast{c(Sealed, false)}, Undecided},
		{[]Contrast{c(Invalid, false)}, Undecided},
	} {
		if got := decide(x.of, tailEffects{}); got != x.want {
			t.Errorf("%+v: %s, want %s", x.of, got, x.want)
		}
	}
}

// TestDecideByTails: a change that halves p95 and leaves throughput as it is is kept, and one with which
// p95 doubles is not kept for its throughput. A p95 is no verdict in a run of too few rounds.
func TestDecideByTails(t *testing.T) {
	c := func(v Verdict, exploratory bool) []Contrast {
		return []Contrast{{Verdict: v, Exploratory: exploratory, Interval95: &Interval{}}}
	}
	for _, x := range []struct {
		of    []Contrast
		tails tailEffects
		want  Decision
	}{
		{c(Equivalent, false), tailEffects{faster: 2}, Kept},
		{c(Inconclusive, false), tailEffects{faster: 1}, Kept},
		{c(Equivalent, true), tailEffects{faster: 2}, Undecided},
		{c(Equivalent, false), tailEffects{slower: 1}, Undecided},
		{c(Equivalent, false), tailEffects{faster: 1, slower: 1}, Undecided},
		{c(Gains, false), tailEffects{slower: 1}, Undecided},
		{c(Costs, false), tailEffects{faster: 2}, Rejected},
	} {
		if got := decide(x.of, x.tails); got != x.want {
			t.Errorf("%+v, %+v: %s, want %s", x.of, x.tails, got, x.want)
		}
	}
	arms := []Arm{{Name: "a", Tails: []Tail{{Verdict: Gains}, {Verdict: Costs}, {Verdict: Inconclusive}}}, {Name: "b", Tails: []Tail{{Verdict: Costs}}}}
	if got := tailsOf(arms, "a"); got != (tailEffects{1, 1}) {
		t.Errorf("%+v", got)
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
	if d := cmp.Diff(map[string]Decision{"better": Kept, "worse": Rejected}, got); d != "" {
		t.Error(d)
	}
}

// A change by which the server serves at all is kept without a ratio, from enough
// rounds on; one round in which the baseline served, or the change did not, is too many.
func TestServes(t *testing.T) {
	yaml := func(rounds int) string {
		return spec(rounds, "1%", "bare: {target: process}") + "remedies:\n  better: {rule: A-1, change: {config: {a: 1}}}\n"
	}
	for _, c := range []struct {
		rounds  int
		bare    int // rounds in which the baseline serves
		missing int // rounds in which the change does not
		want    Decision
	}{{6, 0, 0, Kept}, {5, 0, 0, Undecided}, {6, 1, 0, Undecided}, {6, 0, 1, Undecided}, {6, 0, 6, Rejected}} {
		r := fill(planned(t, yaml(c.rounds)), func(string, int) float64 { return 1000 })
		for _, trial := range r.Trials {
			round := trial.Header.Round
			if trial.Header.Arm == "bare" && round > c.bare || trial.Header.Arm == "better" && round <= c.missing {
				trial.End.Outcome, trial.Window = record.NotReady, nil
			}
		}
		if m := Run(r).Remedies[0]; m.Decision != c.want || (m.Serves != nil) != (c.want != Undecided) {
			t.Errorf("%+v: %s %q, want %s", c, m.Decision, m.Serves, c.want)
		}
	}
}

// A look before the planned rounds are done decides on nothing, also without a ratio.
func TestSealedServes(t *testing.T) {
	yaml := spec(20, "1%", "bare: {target: process}") + "remedies:\n  better: {rule: A-1, change: {config: {a: 1}}}\n"
	r := fill(planned(t, yaml), func(string, int) float64 { return 1000 })
	for _, trial := range r.Trials {
		if trial.Header.Arm == "bare" {
			trial.End.Outcome, trial.Window = record.NotReady, nil
		}
	}
	r.Trials = slices.DeleteFunc(r.Trials, func(t *record.Trial) bool { return t.Header.Round > 7 })
	if res := Run(r); !res.Sealed || res.Remedies[0].Decision != Undecided {
		t.Errorf("sealed: %v, %s", res.Sealed, res.Remedies[0].Decision)
	}
}

// A change by which the client keeps up, as nowhere without it, is kept: the verdict
// against a saturated client is invalid, so there never is a ratio.
func TestKeepsUp(t *testing.T) {
	yaml := spec(6, "1%", "bare: {target: process}") + "remedies:\n  better: {rule: A-1, change: {config: {a: 1}}}\n"
	for _, c := range []struct {
		bare, better int // rounds in which the client is held up
		lost         int // rounds in which the server with the change is lost
		want         Decision
	}{{6, 0, 0, Kept}, {5, 0, 0, Undecided}, {6, 1, 0, Undecided}, {6, 6, 0, Undecided}, {6, 0, 1, Undecided}} {
		r := fill(planned(t, yaml), func(string, int) float64 { return 1000 })
		for _, trial := range r.Trials {
			held := map[string]int{"bare": c.bare, "better": c.better}[trial.Header.Arm]
			if trial.Header.Round <= held {
				trial.Facts = append(trial.Facts, record.Fact{Key: keys.LoadInvalid, Value: "the generator was throttled"})
			}
			if trial.Header.Arm == "better" && trial.Header.Round <= c.lost {
				end(record.ServerLost, "killed by hand")(trial)
			}
		}
		if m := Run(r).Remedies[0]; m.Decision != c.want || (m.Serves != nil) != (c.want == Kept) {
			t.Errorf("%+v: %s %q, want %s", c, m.Decision, m.Serves, c.want)
		}
	}
}

// A server that was never ready was read once: what its threads waited is all of it.
func TestWaitedOfAServerThatWasNeverReady(t *testing.T) {
	never := &record.Trial{Facts: []record.Fact{{Key: keys.ServerRunNS, Value: "2e9", Phase: "end"}, {Key: keys.ServerRunQueueWaitNS, Value: "6e9", Phase: "end"}}}
	arm := Arm{Evidence: evidence([]*record.Trial{never})}
	if ratio, ok := arm.Waited(); !ok || ratio != 3 {
		t.Errorf("%v %v", ratio, ok)
	}
}
