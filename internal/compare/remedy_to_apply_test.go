package compare

import (
	"errors"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// TestKeptRemedy: the one with the largest certain gain is written, and one without which nothing
// serves, which has no interval, where there is no other.
func TestKeptRemedy(t *testing.T) {
	gain := func(lo float64) []Contrast { return []Contrast{{Interval95: &Interval{lo, lo + 1}}} }
	serves := Remedy{Arm: "serves", Decision: Kept, Contrasts: []Contrast{{}}}
	little, much := Remedy{Arm: "little", Decision: Kept, Contrasts: gain(1)}, Remedy{Arm: "much", Decision: Kept, Contrasts: gain(5)}
	refused := Remedy{Arm: "refused", Decision: Rejected, Contrasts: gain(9)}
	for _, c := range []struct {
		all  []Remedy
		want string
	}{
		{[]Remedy{serves}, "serves"},
		{[]Remedy{refused, serves}, "serves"},
		{[]Remedy{serves, little, much, refused}, "much"},
	} {
		if best, err := (&Result{Remedies: c.all}).KeptRemedy(""); err != nil || best.Arm != c.want {
			t.Errorf("%q, %v; want %s", best.Arm, err, c.want)
		}
	}
	if _, err := (&Result{Remedies: []Remedy{refused}}).KeptRemedy(""); err == nil {
		t.Error("a rejected remedy is kept")
	}
	res := &Result{Remedies: []Remedy{much, little, refused}}
	if best, err := res.KeptRemedy("little"); err != nil || best.Arm != "little" {
		t.Errorf("by its name: %q, %v", best.Arm, err)
	}
	if best, err := res.KeptRemedy("refused"); err == nil || !strings.Contains(err.Error(), "refused is rejected") {
		t.Errorf("a rejected one by its name: %q, %v", best.Arm, err)
	}
	if _, err := res.KeptRemedy("other"); !errors.Is(err, ErrNoneKept) {
		t.Errorf("a name that no remedy has: %v", err)
	}
}

// TestServesAtOneLevel: a change that helps at one level of the load is not kept if its server does
// not serve at another.
func TestServesAtOneLevel(t *testing.T) {
	r := twice(t, 1, 1, 3)
	measured, lost := Run(r).Arms[0].Trials, Run(r).Arms[0].Trials[:0:0]
	for _, trial := range measured {
		one := *trial
		end := *trial.End
		end.Outcome = "server-lost"
		one.End, one.Window = &end, nil
		lost = append(lost, &one)
	}
	for _, c := range []struct {
		arms []Arm
		want Decision
	}{
		{[]Arm{{Name: "bare", Baseline: true, Trials: measured}, {Name: "fix", Trials: measured}}, Kept},
		{[]Arm{{Name: "bare", Baseline: true, Trials: measured}, {Name: "fix", Trials: measured}, {Name: "fix", Threads: 64, Trials: lost}}, Undecided},
	} {
		m := Remedy{Arm: "fix", Decision: Kept}
		if m.served(c.arms, 2); m.Decision != c.want {
			t.Errorf("%s, want %s", m.Decision, c.want)
		}
	}
}

// TestServesAtALevelOfFewTrials: the level with the fewest trials says whether there are enough, whichever
// comes first; and a verdict that is decided stays as it is.
func TestServesAtALevelOfFewTrials(t *testing.T) {
	served, lost := []*record.Trial{}, []*record.Trial{}
	for range 6 {
		served = append(served, trialOf(experiment.Trial{}, 1000))
		never := trialOf(experiment.Trial{}, 1000)
		end(record.NotReady, "no answer")(never)
		lost = append(lost, never)
	}
	fix := func(threads, trials int) Arm { return Arm{Name: "fix", Threads: threads, Trials: served[:trials]} }
	bare := Arm{Name: "bare", Baseline: true, Trials: lost}
	for _, c := range []struct {
		before Decision
		arms   []Arm
		want   Decision
	}{
		{Undecided, []Arm{bare, fix(4, 6), fix(8, 6)}, Kept},
		{Undecided, []Arm{bare, fix(4, 6), fix(8, 5)}, Undecided},
		{Undecided, []Arm{bare, fix(4, 5), fix(8, 6)}, Undecided},
		{Rejected, []Arm{bare, fix(4, 6)}, Rejected},
		{Kept, []Arm{bare, {Name: "fix", Trials: lost}}, Kept},
		{Rejected, []Arm{{Name: "bare", Baseline: true, Trials: served}, {Name: "fix", Trials: lost}}, Rejected},
	} {
		m := Remedy{Arm: "fix", Decision: c.before}
		if m.served(c.arms, 6); m.Decision != c.want {
			t.Errorf("%s, %d arms: %s, want %s", c.before, len(c.arms), m.Decision, c.want)
		}
	}
}

// TestNoiseOfAnOpenRun: the interval that may be read at any time is the whole line after few rounds,
// which is no figure.
func TestNoiseOfAnOpenRun(t *testing.T) {
	r := twice(t, 1, 0.9, 1)
	r.Experiment.Protocol.Rounds.Open = true
	for rounds, want := range map[int]bool{3: false, 8: true} {
		few := *r
		few.Trials = nil
		for _, trial := range r.Trials {
			if trial.Header.Round <= rounds {
				few.Trials = append(few.Trials, trial)
			}
		}
		f := Run(&few).NoiseFloors[0]
		if got := f.Interval95 != nil && f.Interval99 != nil; got != want || f.Rounds != rounds || f.Alarm {
			t.Errorf("%d rounds: %+v", rounds, f)
		}
	}
}
