package compare

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/record"
)

func TestGates(t *testing.T) {
	at := func(lo, hi float64) Contrast { return Contrast{Arm: "pod", Rounds: 6, Interval95: &Interval{lo, hi}} }
	withdrawn := func(why string, lo, hi float64) Contrast {
		return Contrast{Arm: "pod", Rounds: 6, Verdict: Inconclusive, Interval95: &Interval{lo, hi}, Interval90: &Interval{lo, hi}, Reasons: []Reason{reason(why)}}
	}
	early := at(-33, -28)
	early.Rounds = 2
	for _, c := range []struct {
		gate           string
		on             Contrast
		failed, strict bool
	}{
		{"throughput<-3%", at(-5, -3.5), true, true},
		{"throughput<-3%", at(-5, -2), false, true},
		{"throughput < -3 %", at(-2, 1), false, false},
		{"throughput<-3%", at(-5, -3), false, true}, // an end that is the bound does not meet the condition
		{"throughput<-3%", at(-3, 1), false, false},
		{"throughput>+2.5%", at(3, 4), true, true},
		{"throughput>+2.5%", at(2.5, 4), false, true},
		{"throughput>+2.5%", at(-1, 2.5), false, false},
		{"throughput>+2.5%", at(1, 4), false, true},
		{"throughput<-3%", Contrast{Arm: "pod", Reasons: []Reason{reason("early-look")}}, false, true},
		{"throughput<-20%", early, false, true},  // fewer rounds than a verdict needs
		{"throughput>+2.5%", early, false, true}, // not passed either
		{"throughput<-3%", Contrast{Arm: "pod", Rounds: 1, Busy: true, Reasons: []Reason{reason("busy-machine")}}, false, true},
		{"throughput<-3%", Contrast{Arm: "pod", Verdict: Failed, Reasons: []Reason{reason("all-failed")}}, true, true},
		// No trial failed.
		{"throughput<-3%", Contrast{Arm: "pod", Verdict: NotMeasured, Reasons: []Reason{reason(capacityShort)}}, false, true},
		{"p99>3%", Contrast{Arm: "pod", Verdict: NotMeasured, Reasons: []Reason{Misfit{Code: "long"}.sentence(), reason("misfit-windows")}}, false, true},
		{"p99>3%", Contrast{Arm: "pod", Verdict: NotMeasured, Reasons: []Reason{reason("all-failed")}}, true, true},
		{"throughput<-3%", Contrast{Arm: "pod", Verdict: Invalid, Reasons: []Reason{reason("other-test")}}, false, true},
		// The verdict was taken back, so the interval decides nothing.
		{"throughput<-3%", Contrast{Arm: "pod", Interval95: &Interval{-86, -10}, Busy: true, Reasons: []Reason{reason("busy-machine")}}, false, true},
		{"throughput<-3%", withdrawn(othersExplain, -6, -5), false, true},
		{"throughput<-3%", withdrawn("within-noise-floor", -6, -5), false, true},
		{"throughput<-3%", withdrawn("variant-disagrees", -6, -5), false, true},
		{"throughput<-3%", withdrawn("variant-disagrees", -0.5, 0.5), false, true}, // nothing is ruled out either
		{"throughput>+2.5%", Contrast{Arm: "pod", Interval95: &Interval{-1, 1}, Busy: true, Reasons: []Reason{reason("busy-machine")}}, false, true},
	} {
		g, err := ParseGate(c.gate)
		if err != nil {
			t.Fatal(err)
		}
		if o := g.Of(c.on, nil, 0.01, false); o.Failed != c.failed || len(o.Reasons) == 0 {
			t.Errorf("%s on %v: %+v", c.gate, c.on.Interval95, o)
		}
		if o := g.Of(c.on, nil, 0.01, true); o.Failed != c.strict {
			t.Errorf("%s on %v, strictly: %+v", c.gate, c.on.Interval95, o)
		}
	}
}

// TestGateOfRun: a condition on a percentile is judged by the interval of its change; without one, and where the
// comparison has no verdict, it is open.
func TestGateOfRun(t *testing.T) {
	throughput := Contrast{Arm: "pod", Threads: 8, Rounds: 8, Interval95: &Interval{-2, 1}}
	busy := throughput
	busy.Busy, busy.Reasons = true, []Reason{reason("busy-machine")}
	for _, c := range []struct {
		gate           string
		on             Contrast
		change         *Interval
		code           string
		failed, strict bool
	}{
		{"p99>20%", throughput, &Interval{25, 40}, "gate-tail-within", true, true},
		{"p99>20%", throughput, &Interval{10, 40}, "gate-tail-open", false, true},
		{"p99 > 20 %", throughput, &Interval{-5, 20}, "gate-tail-ruled-out", false, false},
		{"p95>20%", throughput, &Interval{25, 40}, "gate-tail-missing", false, true},
		{"p99>20%", throughput, nil, "gate-no-tail", false, true},
		{"p99>20%", busy, &Interval{25, 40}, "gate-no-verdict", false, true},
		{"throughput<-3%", throughput, &Interval{25, 40}, "gate-ruled-out", false, false},
	} {
		run := &Result{Arms: []Arm{{Name: "pod", Threads: 16}, {Name: "pod", Threads: 8, Tails: []Tail{{Percentile: "99", CostInterval: c.change, Rounds: 8}}}}}
		g, err := ParseGate(c.gate)
		if err != nil {
			t.Fatal(err)
		}
		if o := g.OfRun(run, c.on, false); o.Failed != c.failed || o.Reasons[0].Code != c.code {
			t.Errorf("%s on %v: %+v", c.gate, c.change, o)
		}
		if o := g.OfRun(run, c.on, true); o.Failed != c.strict {
			t.Errorf("%s on %v, strictly: %+v", c.gate, c.change, o)
		}
	}
}

// TestGateOfTwoRuns: a condition on a percentile is judged by the interval of its change between the runs, and without
// one it is open as one on throughput is; its reason counts trials of each run, that of one run its rounds.
func TestGateOfTwoRuns(t *testing.T) {
	throughput := Contrast{Arm: "pod", Threads: 8, Rounds: 6, Interval95: &Interval{-33.34, 106.11}}
	tails := []SessionTail{
		{Percentile: "95", Before: TailOf{4, 8}, After: TailOf{5, 6}, Interval: &Interval{25, 40}},
		{Percentile: "99", Before: TailOf{9, 0}, After: TailOf{9, 0}},
	}
	for gate, want := range map[string]struct {
		failed bool
		why    string
	}{
		"p95>20%":        {true, "[gate-tail-within p=95 change=[gate-change-1 hi=40 lo=25] of=[gate-trials-each n=6]]"},
		"p95>30%":        {false, "[gate-tail-open p=95 change=[gate-change-1 hi=40 lo=25] of=[gate-trials-each n=6]]"},
		"p99>20%":        {false, "[gate-no-tail p=99]"},
		"throughput<-3%": {false, "[gate-open change=[gate-change-1 hi=106.11 lo=-33.34] of=[gate-trials-each n=6]]"},
	} {
		g, err := ParseGate(gate)
		if err != nil {
			t.Fatal(err)
		}
		if o := g.Of(throughput, tails, 0.01, false); o.Failed != want.failed || fmt.Sprint(o.Reasons) != want.why {
			t.Errorf("%s: %t, %v", gate, o.Failed, o.Reasons)
		}
	}
	g, err := ParseGate("throughput<-3%")
	if err != nil {
		t.Fatal(err)
	}
	if o := g.OfRun(&Result{}, throughput, false); fmt.Sprint(o.Reasons) != "[gate-open change=[gate-change-1 hi=106.11 lo=-33.34] of=[gate-rounds n=6]]" {
		t.Errorf("of one run: %v", o.Reasons)
	}
	for _, text := range []string{"p99<20%", "p95 < -20 %"} {
		if _, err := ParseGate(text); err == nil || !strings.Contains(err.Error(), "a condition on latency has >") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestGateWithoutItsSign: a condition that every arm meets which is not much faster is a sign that was left out.
func TestGateWithoutItsSign(t *testing.T) {
	for _, text := range []string{"throughput<10%", "throughput < 0.5 %", "throughput>10%", "throughput>-3%", "throughput>0%"} {
		if _, err := ParseGate(text); err == nil || !strings.Contains(err.Error(), "did you mean throughput<-") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"throughput<0%", "throughput<+3%", "throughput<-3%", "throughput>+3%"} {
		if _, err := ParseGate(text); err != nil {
			t.Error(err)
		}
	}
}

// TestGateOfPercentileTakenBack: a change of a percentile whose verdict was taken back decides nothing, for the reason
// for which it was; that the throughput has no verdict takes nothing from it.
func TestGateOfPercentileTakenBack(t *testing.T) {
	throughput := Contrast{Arm: "pod", Rounds: 8, Verdict: Inconclusive, Interval95: &Interval{-6, -5}, Interval90: &Interval{-6, -5}, Reasons: []Reason{reason("variant-disagrees")}}
	g, err := ParseGate("p99>20%")
	if err != nil {
		t.Fatal(err)
	}
	for verdict, want := range map[Verdict]string{Inconclusive: "[gate-no-verdict why=[others-explain", Costs: "[gate-tail-within"} {
		res := &Result{Margin: 0.01, Others: Others{Processes: 0.3, CPU: OfServers}, Arms: []Arm{{Name: "pod", Tails: []Tail{
			{Percentile: "99", Rounds: 8, Verdict: verdict, CostInterval: &Interval{25, 40}, CostInterval90: &Interval{26, 39}},
		}}}}
		o := g.OfRun(res, throughput, false)
		if o.Failed != (verdict == Costs) || o.Open() != (verdict == Inconclusive) || !strings.HasPrefix(fmt.Sprint(o.Reasons), want) {
			t.Errorf("%s: %+v", verdict, o)
		}
		if o := g.OfRun(res, throughput, true); !o.Failed {
			t.Errorf("%s, strictly: %+v", verdict, o)
		}
	}
}

// TestGateFigures: an end of the interval that is not the bound does not read as it, and on the other side neither.
func TestGateFigures(t *testing.T) {
	for _, c := range []struct {
		gate   string
		in     Interval
		digits string
	}{
		{"throughput<-3%", Interval{-23.2, -3.2}, "gate-change-1"},
		{"throughput<-3%", Interval{-23.2, -3.02}, "gate-change-2"},
		{"throughput<-3%", Interval{-23.2, -2.998}, "gate-change-3"},
		{"throughput<-3%", Interval{-23.2, -3.0001}, "gate-change-6"},
		{"throughput<-3%", Interval{-23.2, -3}, "gate-change-1"}, // it is the bound
		{"throughput<-1.1%", Interval{-23.2, -1.096}, "gate-change-3"},
		{"throughput<-3.25%", Interval{-23.2, -3.23}, "gate-change-1"},
		{"throughput<-3.25%", Interval{-23.2, -3.2511}, "gate-change-1"},
	} {
		g, err := ParseGate(c.gate)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.changeOf(c.in).Code; got != c.digits {
			t.Errorf("%s, %v: %s, want %s", c.gate, c.in, got, c.digits)
		}
	}
}

// TestGateOfFailedTrials: an arm of which one run has no trial with a number fails a condition, whichever run it is and
// whatever the other lacks; one that lacks some leaves it open.
func TestGateOfFailedTrials(t *testing.T) {
	levels := map[string]float64{"bare": 1000, "pod": 900}
	run := func(outcome record.Outcome, n int) *record.Run {
		r := session(t, 1, levels)
		for _, trial := range r.Trials {
			if trial.Header.Arm == "pod" && n > 0 {
				trial.End, trial.Window = &record.End{Outcome: outcome}, nil
				n--
			}
		}
		return r
	}
	for _, c := range []struct {
		before, after *record.Run
		want          Verdict
		failed        bool
	}{
		{run("", 0), run(record.Failed, 8), Failed, true},
		{run(record.Failed, 8), run("", 0), Failed, true},
		{run("", 0), run(record.NotReady, 8), NotMeasured, true},
		{run(record.NotReady, 1), run(record.NotReady, 8), NotMeasured, true},
		{run(record.NotReady, 8), run(record.NotReady, 1), NotMeasured, true},
		{run("", 0), run(record.NotReady, 1), Inconclusive, false},
		{run(record.ServerLost, 1), run("", 0), Inconclusive, false},
	} {
		s, err := Between(c.before, c.after, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, gate := range []string{"throughput<-3%", "p99>20%"} {
			g, err := ParseGate(gate)
			if err != nil {
				t.Fatal(err)
			}
			pod := s.Contrasts[1]
			if o := g.Of(pod, s.Tails[1], s.Margin, false); pod.Arm != "pod" || pod.Verdict != c.want || pod.Interval95 != nil || o.Failed != c.failed || o.Open() == c.failed {
				t.Errorf("%s, want %s: %s, %+v", gate, c.want, pod.Verdict, o)
			}
		}
	}
	both := run(record.NotReady, 1)
	for _, trial := range both.Trials {
		if trial.Header.Arm == "bare" {
			trial.End, trial.Window = &record.End{Outcome: record.NotReady}, nil
		}
	}
	if c := only(t, Run(both)); c.Verdict != NotMeasured {
		t.Errorf("a baseline without numbers: %s, %v", c.Verdict, c.Reasons)
	}
}

func FuzzParseGate(f *testing.F) {
	for _, text := range []string{"throughput<-3%", "throughput>+2.5 %", "p99>20%", "latency<3%", "throughput<3", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if g, err := ParseGate(text); err == nil && (math.IsNaN(g.bound) || math.IsInf(g.bound, 0)) {
			t.Errorf("%q: %+v", text, g)
		}
	})
}

// TestGateSaysWhyThereIsNoInterval: the reason of an open condition on a percentile is the one that the comparison holds, and
// where it holds none, none is given.
func TestGateSaysWhyThereIsNoInterval(t *testing.T) {
	g, err := ParseGate("p99>20%")
	if err != nil {
		t.Fatal(err)
	}
	c := Contrast{Arm: "pod", Threads: 8, Rounds: 8, Interval95: &Interval{-2, 1}}
	for why, want := range map[string]string{
		Few: "gate-tail-few", Apart: "gate-tail-apart", NoBaseline: "gate-tail-no-baseline", OtherRates: "gate-tail-rates",
		Numberless: "gate-tail-numberless", OneRun: "gate-tail-one-run", OfAll: "gate-tail-of-all", "": "gate-no-tail",
	} {
		run := &Result{Arms: []Arm{{Name: "pod", Threads: 8, Tails: []Tail{{Percentile: "99", NoChange: why}}}}}
		for of, o := range map[string]GateOutcome{"one run": g.OfRun(run, c, false), "two runs": g.Of(c, []SessionTail{{Percentile: "99", NoChange: why}}, 0.01, false)} {
			if o.Failed || !o.Open() || o.Reasons[0].Code != want {
				t.Errorf("%s: %q: %+v", of, why, o)
			}
		}
	}
	if o := g.Of(c, nil, 0.01, true); !o.Failed || o.Reasons[0].Code != "gate-tail-no-run" {
		t.Errorf("strictly, without the percentile: %+v", o)
	}
}
