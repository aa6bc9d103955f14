package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// counted gives a trial the counters that the gates read: shares of 100 s of the
// machine's CPU time.
func counted(t *record.Trial, steal, foreign float64, thermal int) {
	add := func(key string, start, change float64) {
		t.Facts = append(t.Facts,
			record.Fact{Key: key, Value: fmt.Sprintf("%.2f", start), Phase: "start"},
			record.Fact{Key: key, Value: fmt.Sprintf("%.2f", start+change), Phase: "end"})
	}
	add("gate.machine_s", 1000, 100)
	add("gate.steal_s", 5, 100*steal)
	add("gate.foreign_s", 70, 100*foreign)
	add("gate.thermal_events", 3, float64(thermal))
}

// disturbedRun has 8 rounds on a machine that loses 3 % of its time to a hypervisor
// and 4 % to other processes throughout; disturb changes single trials.
func disturbedRun(t *testing.T, disturb func(*record.Trial)) *record.Run {
	t.Helper()
	r := fill(planned(t, spec(8, "1%", "bare: {target: process}", "pod: {target: container}")), func(arm string, round int) float64 {
		wobble := 1 + 0.002*float64(round%3)
		return map[string]float64{"bare": 1000, "pod": 900 * wobble}[arm]
	})
	for _, trial := range r.Trials {
		counted(trial, 0.03, 0.04, 0)
		disturb(trial)
	}
	return r
}

// TestOthersOfARun: what others use all the time excludes no trial, and is told.
func TestOthersOfARun(t *testing.T) {
	r := disturbedRun(t, func(*record.Trial) {})
	if o := othersOf(r); math.Abs(o.Processes-0.04) > 1e-9 || math.Abs(o.Steal-0.03) > 1e-9 || o.Busy() {
		t.Errorf("%+v", o)
	}
	for _, trial := range r.Trials {
		trial.Facts = nil
	}
	if o := othersOf(r); !math.IsNaN(o.Processes) || !math.IsNaN(o.Steal) || o.Busy() {
		t.Errorf("of a record without these facts: %+v", o)
	}
}

func at(trial *record.Trial, arm string, round int) bool {
	return trial.Header.Arm == arm && trial.Header.Round == round
}

// TestDisturbances: what disturbs a single trial voids its round; what is so all the time
// does not, and neither does anything that the arm itself does.
func TestDisturbances(t *testing.T) {
	cases := map[string]struct {
		disturb func(*record.Trial)
		gate    string // "" for none
	}{
		"steady": {func(*record.Trial) {}, ""},
		"steal":  {func(trial *record.Trial) { trial.Facts = nil; counted(trial, 0.05, 0.04, 0) }, "steal"},
		"little": {func(trial *record.Trial) { trial.Facts = nil; counted(trial, 0.035, 0.055, 0) }, ""},
		"others": {func(trial *record.Trial) { trial.Facts = nil; counted(trial, 0.03, 0.2, 0) }, "foreign"},
		"heat":   {func(trial *record.Trial) { trial.Facts = nil; counted(trial, 0.03, 0.04, 2) }, "thermal"},
		"client": {func(trial *record.Trial) {
			trial.Facts = append(trial.Facts, record.Fact{Key: keys.LoadInvalid, Value: "late"})
		}, "client"},
		"throttled": {func(trial *record.Trial) {
			for _, f := range []record.Fact{{Value: "0", Phase: "start"}, {Value: "900", Phase: "end"}} {
				f.Key = "cgroup.pod.cpu.stat.nr_throttled"
				trial.Facts = append(trial.Facts, f)
			}
		}, ""},
		"SQL errors": {func(trial *record.Trial) { trial.Window.Counts.Errors = 1000 }, ""},
		"starved":    {end(record.Starved, "OOM kill"), ""},
	}
	for name, c := range cases {
		r := disturbedRun(t, func(trial *record.Trial) {
			if at(trial, "pod", 3) {
				c.disturb(trial)
			}
		})
		again := ToRepeat(r)
		if c.gate == "" {
			if len(again) > 0 || len(Run(r).Voids) > 0 {
				t.Errorf("%s: voided by %+v", name, again)
			}
			continue
		}
		if len(again) != 1 || again[0].Round != 3 || again[0].Causes[0].Gate != c.gate || again[0].Causes[0].Arm != "pod" {
			t.Errorf("%s: %+v", name, again)
		}
	}
}

// stolen disturbs one trial of each given round, and makes it 5 % slower.
func stolen(t *testing.T, rounds map[int]string) *record.Run {
	t.Helper()
	return disturbedRun(t, func(trial *record.Trial) {
		if rounds[trial.Header.Round] == trial.Header.Arm {
			trial.Facts = nil
			counted(trial, 0.2, 0.04, 0)
			slower(trial, 0.95)
		}
	})
}

func slower(trial *record.Trial, by float64) {
	trial.Window.Counts.Transactions = int64(by * float64(trial.Window.Counts.Transactions))
	for i := range trial.Intervals {
		trial.Intervals[i].Transactions *= by
	}
}

// variantOf is one of a contrast's variants.
func variantOf(t *testing.T, c Contrast, name string) Variant {
	t.Helper()
	for _, v := range c.Variants {
		if v.Part.Code == name {
			return v
		}
	}
	t.Fatalf("no variant %q in %+v", name, c.Variants)
	return Variant{}
}

// A trial that two gates saw is one trial.
func TestVoidTrialsAreCountedOnce(t *testing.T) {
	r := disturbedRun(t, func(trial *record.Trial) {
		if at(trial, "pod", 3) {
			trial.Facts = nil
			counted(trial, 0.05, 0.2, 0)
		}
	})
	if all := fmt.Sprint(Run(r).Warnings); !strings.Contains(all, "arms=[disturbed-of-arm n=0 arm=bare disturbed-of-arm n=1 arm=pod] fates=[rounds-counted n=1 why=[repeats-pending dir=]] gates=[disturbed-by n=1 gate=[gate-steal] disturbed-by n=1 gate=[gate-foreign]]") {
		t.Errorf("%s", all)
	}
}

// TestVoidBudget: rounds that it does not pay for count, which is said, and the effect
// without them is shown with the verdict with its interval and its rounds.
func TestVoidBudget(t *testing.T) {
	r := stolen(t, map[int]string{2: "pod", 5: "bare", 7: "bare"})
	if again := ToRepeat(r); len(again) != 2 || again[0].Round != 2 || again[1].Round != 5 {
		t.Fatalf("a quarter of 8 rounds is 2: %+v", again)
	}
	if all := fmt.Sprint(Run(r).Warnings); !strings.Contains(all, "rounds-counted n=3 why=[repeats-pending") {
		t.Errorf("interrupted before they were run again: %s", all)
	}
	r.Voids = []record.Void{{Round: 1, Causes: []record.Cause{{Trial: 1, Round: 1, Arm: "bare", Threads: 4, Gate: "steal"}}}, {Round: 4}}
	if again := ToRepeat(r); len(again) > 0 {
		t.Errorf("the budget is spent: %+v", again)
	}
	res := Run(r)
	c := only(t, res)
	if len(c.Pairs) != 8 || c.Rounds != 8 || res.RoundsComplete != 8 || len(res.Voids) != 4 || res.Voids[3].Disposition != Counted {
		t.Errorf("%d pairs, %d complete rounds, voids %+v", len(c.Pairs), res.RoundsComplete, res.Voids)
	}
	without := variantOf(t, c, withoutVoids)
	if without.Rounds != 5 || without.Interval95 == nil || !(math.Abs(without.Effect+9.8) < 0.2) {
		t.Errorf("%+v", without)
	}
	// Two slower trials of the baseline and one of the arm: where they count, the arm
	// loses less.
	if !(c.Effect > without.Effect+0.1) {
		t.Errorf("the effect is %.2f, without the void rounds %.2f: they do not count", c.Effect, without.Effect)
	}
	all := fmt.Sprint(res.Warnings)
	for _, want := range []string{
		"arms=[disturbed-of-arm n=3 arm=bare disturbed-of-arm n=1 arm=pod] fates=[rounds-repeated n=1 rounds-counted n=3 why=[repeats-spent n=2]] gates=[disturbed-by n=4 gate=[gate-steal]]",
		"undisturbed-rounds costs=[cost-of hi=", " n=5 size=9.8",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("want %q in the warnings: %s", want, all)
		}
	}
}

// TestNoUndisturbedRoundsOnABusyMachine: where others used the machine all the time, no round is called undisturbed.
func TestNoUndisturbedRoundsOnABusyMachine(t *testing.T) {
	r := stolen(t, map[int]string{1: "bare", 2: "pod", 3: "bare"})
	r.Experiment.Protocol.OthersCPU = new(experiment.Percent(0.99))
	if all := fmt.Sprint(Run(r).Warnings); !strings.Contains(all, "undisturbed-rounds") {
		t.Fatalf("on a quiet machine: %s", all)
	}
	r.Experiment.Protocol.OthersCPU = new(experiment.Percent(0.001))
	res := Run(r)
	if !res.Others.Busy() {
		t.Fatalf("the machine is not busy: %+v", res.Others)
	}
	if all := fmt.Sprint(res.Warnings); strings.Contains(all, "undisturbed-rounds") {
		t.Error(all)
	}
}

// TestVoidsNeverShrinkAComparison: however many rounds are void, all count, and the few
// that nothing disturbed do not take the verdict back by their noise alone.
func TestVoidsNeverShrinkAComparison(t *testing.T) {
	r := stolen(t, map[int]string{1: "bare", 2: "pod", 3: "bare", 4: "pod", 5: "bare"})
	r.Experiment.Protocol.OthersCPU = new(experiment.Percent(0.99))
	r.Voids = make([]record.Void, 2)
	c := only(t, Run(r))
	if c.Rounds != 8 || c.Exploratory || c.Verdict != Costs {
		t.Errorf("%d rounds, exploratory %v, %s: %v", c.Rounds, c.Exploratory, c.Verdict, c.Reasons)
	}
	if v := variantOf(t, c, withoutVoids); v.Rounds != 3 || !v.Agrees {
		t.Errorf("%+v", v)
	}
}

// TestVariantsOfFewRounds: the effect from fewer than half of the rounds is compared with
// its own interval where that is wider; from more, against the headline's alone.
func TestVariantsOfFewRounds(t *testing.T) {
	c := Contrast{Effect: -10, Interval95: &Interval{-11, -9}, Pairs: make([]Pair, 8)}
	wide := &Interval{-22, -2}
	for _, v := range []Variant{
		{Effect: -10.9, Rounds: 8, Agrees: true},
		{Effect: -12, Interval95: wide, Rounds: 8, Agrees: false},
		{Effect: -12, Interval95: wide, Rounds: 4, Agrees: false},
		{Effect: -12, Interval95: wide, Rounds: 3, Agrees: true},
		{Effect: -12, Interval95: &Interval{-12.5, -11.5}, Rounds: 3, Agrees: false},
		{Effect: math.NaN(), Rounds: 8, Agrees: true},
	} {
		if v.agrees(c) != v.Agrees {
			t.Errorf("%+v agrees: %v", v, !v.Agrees)
		}
	}
}

// TestVariantsThatTakeNothingBack: a variant that differs from the effect leaves the verdict where the
// disturbed rounds say more than it does, or where the part alone is past the margin on its side.
func TestVariantsThatTakeNothingBack(t *testing.T) {
	costs := Contrast{Verdict: Costs, PastMargin: "yes", Effect: -10}
	gains := Contrast{Verdict: Gains, PastMargin: "yes", Effect: 10}
	same := Contrast{Verdict: Equivalent}
	unsettled := Contrast{Verdict: Costs, PastMargin: "unsettled", Effect: -10}
	for _, c := range []struct {
		of             Contrast
		code           string
		effect         float64
		interval       *Interval
		exceeds, holds bool
	}{
		{costs, withAgain, -12, nil, true, false},
		{costs, withoutVoids, -12, nil, true, false},
		{costs, withAgain, -8, nil, false, false},
		{costs, withAgain, -10, nil, false, false},
		{costs, "second-half", -12, nil, false, false},
		{gains, withAgain, 12, nil, true, false},
		{gains, withoutVoids, 8, nil, false, false},
		{gains, withAgain, 10, nil, false, false},
		{same, withAgain, -12, nil, false, false},
		{same, withAgain, 12, nil, false, false},
		{costs, "second-half", -3, &Interval{-5, -1.5}, false, true},
		{costs, "second-half", -3, &Interval{-5, -1}, false, false}, // the margin is 1 %
		{costs, "second-half", 3, &Interval{1.5, 5}, false, false},
		{costs, "second-half", -3, nil, false, false},
		{unsettled, "second-half", -3, &Interval{-5, -1.5}, false, false},
		{gains, "second-half", 3, &Interval{1.5, 5}, false, true},
		{gains, "second-half", 3, &Interval{1, 5}, false, false},
		{gains, "second-half", -3, &Interval{-5, -1.5}, false, false},
	} {
		v := Variant{Part: reason(c.code), Effect: c.effect, Interval95: c.interval}
		if v.exceeds(c.of) != c.exceeds || v.holds(c.of, 1) != c.holds {
			t.Errorf("%s of %g, %s at %g in %v: exceeds %v, holds %v", c.of.Verdict, c.of.Effect, c.code, c.effect, c.interval, v.exceeds(c.of), v.holds(c.of, 1))
		}
	}
}

// TestDisturbedRoundsThatSayMore: a round that was run again because a disturbance all but
// stopped the arm in it takes no cost back; one in which the arm lost nothing does.
func TestDisturbedRoundsThatSayMore(t *testing.T) {
	for by, want := range map[float64]Verdict{0.01: Costs, 2: Inconclusive} {
		r := stolen(t, nil)
		aside := record.Void{Round: 1, Causes: []record.Cause{{Trial: 1, Round: 1, Arm: "bare", Threads: 4, Gate: "steal"}}}
		for _, trial := range r.Trials {
			if trial.Header.Round == 1 {
				again := trialOf(experiment.Trial{Number: trial.Header.Trial, Round: 1, Slot: trial.Header.Slot, Arm: trial.Header.Arm, Threads: trial.Header.Threads}, 1000)
				if trial.Header.Arm == "pod" {
					slower(again, by)
				}
				aside.Trials = append(aside.Trials, again)
			}
		}
		// Another level of the load, and a round in which the arm starved, are nothing to compare with.
		for _, arm := range []string{"bare", "pod"} {
			aside.Trials = append(aside.Trials, trialOf(experiment.Trial{Number: 1, Round: 1, Arm: arm, Threads: 8}, 5000))
		}
		starved := record.Void{Round: 2, Trials: []*record.Trial{
			trialOf(experiment.Trial{Number: 3, Round: 2, Arm: "bare", Threads: 4}, 1000), trialOf(experiment.Trial{Number: 4, Round: 2, Arm: "pod", Threads: 4}, 2000),
		}}
		starved.Trials[1].End.Outcome = record.Starved
		r.Voids = []record.Void{aside, starved}
		res := Run(r)
		c := only(t, res)
		if v := variantOf(t, c, withAgain); v.Rounds != 9 || v.Agrees {
			t.Errorf("by %g: %+v", by, v)
		}
		if c.Verdict != want {
			t.Errorf("by %g: %s, want %s: %v", by, c.Verdict, want, c.Reasons)
		}
		if slices.ContainsFunc(res.Warnings, func(w Reason) bool { return w.Code == "variant-differs" }) {
			t.Errorf("by %g: a warning about the size of an effect that the disturbed rounds only exceed: %v", by, res.Warnings)
		}
	}
}

// TestSuspectGate: a gate that stops one arm again and again sees that arm's doing;
// no round is run again for it.
func TestSuspectGate(t *testing.T) {
	r := planned(t, strings.Replace(spec(20, "1%", "bare: {target: process}", "pod: {target: container}"), "aa: false", "aa: false, voids: 4", 1))
	fill(r, func(arm string, _ int) float64 { return map[string]float64{"bare": 1000, "pod": 900}[arm] })
	for _, trial := range r.Trials {
		noise := 0.0
		if trial.Header.Arm == "pod" && trial.Header.Round <= 8 {
			noise = 0.2
		}
		counted(trial, noise, 0, 0)
	}
	res := Run(r)
	c := only(t, res)
	if Suspect(r) != "pod" || len(ToRepeat(r)) > 0 || len(c.Pairs) != 20 || res.Voids[0].Disposition != Counted {
		t.Errorf("suspect %q, repeat %v, %d pairs", Suspect(r), ToRepeat(r), len(c.Pairs))
	}
	if all := fmt.Sprint(res.Warnings); !strings.Contains(all, "repeats-suspect arm=pod") {
		t.Errorf("warnings: %s", all)
	}
}
