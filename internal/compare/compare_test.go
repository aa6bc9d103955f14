package compare

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// Worked by hand: throughput ratios 0.90, 0.88, 0.92, so d = -0.105361,
// -0.127833, -0.083382; mean -0.105525, s = 0.022226; t(.975,2) = 4.302653,
// h = 4.302653*0.022226/sqrt(3) = 0.055214.
func TestRunComparesByRound(t *testing.T) {
	r := fill(planned(t, spec(3, "1%", "bare: {target: process}", "pod: {target: container}")),
		table(map[string][]float64{"bare": {1000, 1100, 900}, "pod": {900, 968, 828}}))
	c := only(t, Run(r))
	near(t, "effect", c.Effect, 100*math.Expm1(-0.105525), 1e-3)
	near(t, "baseline", c.BaselineLevel, math.Cbrt(1000*1100*900), 1e-9)
	near(t, "arm", c.ArmLevel, math.Cbrt(900*968*828), 1e-9)
	if c.Interval95 == nil {
		t.Fatal("no interval from three rounds")
	}
	near(t, "lo", c.Interval95.Lo, 100*math.Expm1(-0.105525-0.055214), 2e-3)
	near(t, "hi", c.Interval95.Hi, 100*math.Expm1(-0.105525+0.055214), 2e-3)
	near(t, "sign-flip p", c.SignFlipP, 0.25, 1e-12) // 2/2^3: all rounds point one way
	if c.Verdict != Inconclusive || c.Rounds != 3 || !c.Exploratory || c.Kind != "paired-t" || fmt.Sprint(c.Reasons) != "[early-rounds enough=6 n=3]" {
		t.Errorf("got %+v", c)
	}
}

// The rounds drift by a factor of three; the pairing takes it out.
func TestPairingRemovesDrift(t *testing.T) {
	r := fill(planned(t, spec(8, "1%", "bare: {target: process}", "pod: {target: container}")),
		func(arm string, round int) float64 {
			level := 1000 * math.Pow(1.15, float64(round))
			if arm == "pod" {
				return level * (0.95 + 0.001*float64(round%3))
			}
			return level
		})
	c := only(t, Run(r))
	near(t, "effect", c.Effect, -4.9, 0.1)
	if w := c.Interval95.Hi - c.Interval95.Lo; w > 0.3 {
		t.Errorf("the interval is %.2f points wide: drift was taken for noise", w)
	}
	if c.Exploratory || c.Verdict != Costs {
		t.Errorf("got %+v", c)
	}
}

func TestVerdictsOfRuns(t *testing.T) {
	ratios := func(rs ...float64) func(string, int) float64 {
		return func(arm string, round int) float64 {
			if arm == "bare" {
				return 1000
			}
			return 1000 * rs[(round-1)%len(rs)]
		}
	}
	for _, tc := range []struct {
		name string
		tps  func(string, int) float64
		want Verdict
	}{
		{"costs", ratios(.90, .91, .89), Costs},
		{"gains", ratios(1.10, 1.11, 1.09), Gains},
		{"within margin", ratios(.995, .996, .994), WithinMargin},
		{"equivalent", ratios(.999, 1.001, 1), Equivalent},
		{"identical", ratios(1), Equivalent},
		{"inconclusive", ratios(.95, 1.04, 1.01), Inconclusive},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := fill(planned(t, spec(9, "1%", "bare: {target: process}", "pod: {target: container}")), tc.tps)
			c := only(t, Run(r))
			if c.Verdict != tc.want || len(c.Reasons) == 0 {
				t.Errorf("got %s (%s), want %s", c.Verdict, c.Reasons, tc.want)
			}
			if (c.NewRun() != nil) != (tc.want == Inconclusive) {
				t.Errorf("a new run of %+v asked for", c.NewRun())
			}
		})
	}
}

// Every arm that shares a baseline widens every interval.
func TestFamilyWidensIntervals(t *testing.T) {
	tps := func(arm string, round int) float64 {
		if arm == "bare" {
			return 1000
		}
		return 950 + 5*float64(round%4)
	}
	one := Run(fill(planned(t, spec(7, "1%", "bare: {target: process}", "a: {target: container}")), tps)).Contrasts[0]
	two := Run(fill(planned(t, spec(7, "1%", "bare: {target: process}", "a: {target: container}", "b: {target: container}")), tps)).Contrasts[0]
	if two.Kind != "paired-t-bonferroni" || two.Family != 2 {
		t.Errorf("got %q of %d", two.Kind, two.Family)
	}
	// t(.9875,6)/t(.975,6) = 2.9687/2.4469.
	ratio := (math.Log1p(two.Interval95.Hi/100) - math.Log1p(two.Interval95.Lo/100)) /
		(math.Log1p(one.Interval95.Hi/100) - math.Log1p(one.Interval95.Lo/100))
	near(t, "widening", ratio, 2.9687/2.4469, 1e-3)
}

func TestSteinAfterPilot(t *testing.T) {
	d := []float64{-.1, -.12, -.08, -.1, -.11, -.1}
	r := planned(t, strings.Replace(spec(1, "1%", "bare: {target: process}", "a: {target: container}"), "rounds: 1,", "rounds: {pilot: 4, max: 9}, precision: 1%,", 1))
	var all []Pair
	for i, v := range d {
		all = append(all, Pair{Round: i + 1, Baseline: 1, Arm: math.Exp(v)})
	}
	j := newComparison(r, outline(r))
	e := j.paired(Contrast{Pairs: all})
	// s0 of the first four is sqrt(0.0008/3); t(.975,3) = 3.182446; n = 6.
	near(t, "half-width", (e.in95.Hi-e.in95.Lo)/2, 3.182446*math.Sqrt(0.0008/3)/math.Sqrt(6), 1e-6)
	near(t, "middle", (e.in95.Hi+e.in95.Lo)/2, -.61/6, 1e-12)
	if e.kind != "stein-t" || j.paired(Contrast{Pairs: all[:4]}).kind != "paired-t" {
		t.Errorf("got kind %q", e.kind)
	}
}

func TestOutcomesAreResults(t *testing.T) {
	build := func() *record.Run {
		return fill(planned(t, spec(6, "1%", "bare: {target: process}", "pod: {target: container}")),
			func(_ string, round int) float64 { return 1000 + float64(round) })
	}
	twice := func() *record.Run {
		yaml := strings.Replace(spec(6, "1%", "bare: {target: process}", "pod: {target: container}"), "aa: false", "aa: true", 1)
		return fill(planned(t, yaml), func(string, int) float64 { return 1000 })
	}
	round := func(n int, change func(*record.Trial)) func(*record.Trial) {
		return func(tr *record.Trial) {
			if tr.Header.Round == n {
				change(tr)
			}
		}
	}
	for _, tc := range []struct {
		name    string
		run     *record.Run
		verdict Verdict
		effect  bool
		rounds  int
		reason  string
	}{
		{"never ready", each(build(), "pod", end(record.NotReady, "no answer within 60s")), NotMeasured, false, 0,
			"[not-ready ready=6 starved=0 of=[of-rounds n=6] who=[who-server]"},
		{"once starved", each(build(), "pod", round(2, end(record.Starved, ""))), Inconclusive, false, 5,
			"[starved ready=0 starved=1 of=[of-rounds n=6] who=[who-server]"},
		{"baseline never ready", each(build(), "bare", end(record.NotReady, "")), NotMeasured, false, 0, "who=[who-baseline]"},
		{"baseline never ready, twice a round", each(twice(), "bare", end(record.NotReady, "")), NotMeasured, false, 0,
			"[not-ready ready=12 starved=0 of=[of-trials n=12] who=[who-baseline]"},
		{"zero transactions", each(build(), "pod", round(1, func(tr *record.Trial) { tr.Window.Counts.Transactions = 0 })),
			Inconclusive, false, 5, "[starved ready=0 starved=1 of=[of-rounds n=6]"},
		{"one failed", each(build(), "pod", round(1, end(record.Failed, "disk full"))), Inconclusive, true, 5, "early-rounds enough=6 n=5"},
		{"all failed", each(build(), "pod", end(record.Failed, "disk full")), Failed, false, 0, "[all-failed n=6 arm=pod why=[trial-said trial="},
		{"cut off", each(build(), "pod", round(6, func(tr *record.Trial) { tr.End, tr.Incomplete = nil, "the stream has no end" })),
			Sealed, false, 5, "[rounds-complete n=5 of=6 early-look]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := only(t, Run(tc.run))
			if c.Verdict != tc.verdict || !strings.Contains(fmt.Sprint(c.Reasons), tc.reason) || c.Rounds != tc.rounds {
				t.Errorf("got %s, %d rounds: %v", c.Verdict, c.Rounds, c.Reasons)
			}
			if math.IsNaN(c.Effect) == tc.effect || (c.Interval95 != nil) != tc.effect {
				t.Errorf("effect %v, interval %v", c.Effect, c.Interval95)
			}
		})
	}
}

// TestNewRun: an open question comes with what another run needs for a verdict, a verdict that stands
// with nothing. The numbers rise with the probability, and the one of this run is below them.
func TestNewRun(t *testing.T) {
	for _, c := range []struct {
		pod     float64
		verdict Verdict
	}{{990, Inconclusive}, {800, Costs}, {1300, Gains}} {
		r := fill(planned(t, spec(6, "1%", "bare: {target: process}", "pod: {target: container}")), func(arm string, round int) float64 {
			if arm == "pod" {
				return c.pod * math.Exp(0.02*float64(1-2*(round%2)))
			}
			return 1000
		})
		got := only(t, Run(r))
		if got.Verdict != c.verdict || (got.NewRun() != nil) != (c.verdict == Inconclusive) {
			t.Fatalf("%g: %s with %+v, want %s", c.pod, got.Verdict, got.NewRun(), c.verdict)
		}
		if n := got.NewRun(); n != nil && !(6 < n.Even && n.Even < n.Rounds && n.Rounds < n.Sure && n.Same < 0.5 && n.AtMost > n.Same) {
			t.Errorf("%+v", n)
		}
	}
}

// TestFirstReason: what the first trial of a kind said is quoted, and one that said nothing is passed over.
func TestFirstReason(t *testing.T) {
	r := equalArms(t, 6)
	n := 0
	each(r, "pod", func(tr *record.Trial) {
		switch n++; n {
		case 1:
			tr.End, tr.Window, tr.Incomplete = nil, nil, "the stream has no end"
		case 3:
			end(record.NotReady, "")(tr)
		case 4:
			end(record.ServerLost, "killed by hand")(tr)
		case 5:
			end(record.NotReady, "no answer within 60s")(tr)
		}
	})
	pod := &Run(r).Arms[1]
	if got := fmt.Sprint(firstSaid(pod, numberless)); !strings.Contains(got, "killed by hand") {
		t.Errorf("the first reason of all without a number: %s", got)
	}
	if got := fmt.Sprint(firstOutcome(pod, record.ServerLost)); !strings.Contains(got, "killed by hand") {
		t.Errorf("the first server that was lost: %s", got)
	}
	if got := firstOutcome(pod, record.Starved); got != nil {
		t.Errorf("no trial starved: %v", got)
	}
}

// TestIntervalsBeyondMeaning: two rounds that disagree give bounds such as -3173.6 % or billions, which look
// like findings. They are not determined, of throughput and of percentiles.
func TestIntervalsBeyondMeaning(t *testing.T) {
	for name, rounds := range map[string][2][]float64{
		"billions": {{1000, 1e-5}, {1e-5, 1e9}},
		"-3173.6":  {{1000, 1000}, {1000, 500}},
	} {
		r := fill(planned(t, spec(2, "1%", "bare: {target: process}", "pod: {target: container}")),
			table(map[string][]float64{"bare": rounds[0], "pod": rounds[1]}))
		c := only(t, Run(r))
		if c.Interval95 != nil || c.Interval90 != nil || c.Verdict != Inconclusive || c.Reasons[0].Code != "interval-of-few-rounds" || !c.Exploratory {
			t.Errorf("%s: %+v", name, c)
		}
	}
	for ratio, want := range map[float64]bool{99: true, 101: false, math.Inf(1): false, math.NaN(): false} {
		in := Interval{-math.Log(ratio), 0}
		if in.determined() != want || (in.shown() != nil) != want {
			t.Errorf("bounds that differ by a factor of %v: determined %v, want %v", ratio, in.determined(), want)
		}
	}
	for _, c := range []struct {
		name   string
		lo, hi float64 // ratios to the baseline
		want   bool
	}{
		{"a cost between -342 and 75 %", 0.25, 4.42, false},
		{"a cost between 80 and 99 %", 0.01, 0.2, true},
		{"a gain of 400 to 9000 %", 5, 91, true},
		{"a cost between -200 and 68 %", 0.32, 3, true},
	} {
		in := Interval{math.Log(c.lo), math.Log(c.hi)}
		if in.useful() != c.want || (in.shown() != nil) != c.want {
			t.Errorf("%s: useful %v", c.name, in.useful())
		}
	}
	if mean, in := (stopping{}).geometric(byRounds{1: 0, 2: 1}); math.Abs(mean-math.Exp(0.5)) > 1e-9 || in != nil {
		t.Errorf("a mean of %v with bounds that differ by a factor of a hundred thousand: %v", mean, in)
	}
	tail := Tail{Percentile: "95", byRound: byRounds{1: 1, 2: 3}}
	tail.against(Tail{byRound: byRounds{1: 0, 2: 0}}, &Arm{}, comparison{run: &record.Run{}, res: &Result{Margin: 0.01}})
	if tail.CostInterval != nil || tail.Verdict != "" || math.IsNaN(tail.Cost) {
		t.Errorf("%+v", tail)
	}
}

// TestVerdictsOfTails: a tail has a verdict by the rule of throughput, with a longer time as a cost, and
// its interval allows for all tails of the run.
func TestVerdictsOfTails(t *testing.T) {
	judge := comparison{run: &record.Run{}, res: &Result{Margin: 0.01, Arms: []Arm{{Baseline: true}, {}, {}}}}
	for want, change := range map[Verdict]float64{Costs: 0.7, Gains: -0.7, Equivalent: 0} {
		base, tail := Tail{byRound: byRounds{}}, Tail{Percentile: "95", byRound: byRounds{}}
		var logs []float64
		for round, noise := range []float64{0.001, -0.001, 0.0005, -0.0005, 0, 0} {
			base.byRound[round], tail.byRound[round] = 0, change+noise
			logs = append(logs, change+noise)
		}
		tail.against(base, &Arm{}, judge)
		lo, hi := stats.TInterval(logs, 0.05/4)
		if tail.Verdict != want || tail.Family != 4 || *tail.CostInterval != (Interval{lo, hi}).percent() {
			t.Errorf("%s: %+v, interval %+v", want, tail, tail.CostInterval)
		}
		delete(tail.byRound, 5)
		if tail.against(base, &Arm{}, judge); tail.Verdict != Inconclusive || tail.CostInterval == nil {
			t.Errorf("%s, of five rounds: %+v", want, tail)
		}
	}
}

func TestTooFewRounds(t *testing.T) {
	r := equalArms(t, 1)
	c := only(t, Run(r))
	if c.Verdict != Inconclusive || c.Interval95 != nil || c.Kind != "" || !strings.HasPrefix(fmt.Sprint(c.Reasons), "[complete-rounds n=1 rounds-needed") {
		t.Errorf("got %+v", c)
	}
}

// The published seconds of a 2019 comparison of a pod with bare metal: one run
// of each arm, and one arm that lived on two levels.
func TestImportOfSingleRuns(t *testing.T) {
	r := imported([]string{"bare", "besteffort", "guaranteed"}, map[string][][]float64{
		"bare": {{22154.20, 22247.80, 21984.01}},
		"besteffort": {{10561.88, 10552.00, 10566.00, 10581.08, 12873.80, 20196.89, 18033.21, 11444.08, 10597.96,
			10566.00, 10640.07, 10579.04}},
		"guaranteed": {{20320.06, 20908.89, 20529.03, 17567.75, 18036.82, 18398.23, 18402.90, 19428.12, 19848.69, 20457.28}},
	})
	res := Run(r)
	for i, want := range []float64{22128.67, 12266.00, 19389.78} {
		near(t, "mean of "+res.Arms[i].Name, res.Arms[i].Mean, want, 0.005)
	}
	be := res.Arms[1]
	if len(be.States) != 2 {
		t.Fatalf("states of besteffort: %v", be.States)
	}
	near(t, "low level", be.States[0].Level, 10570, 30)
	near(t, "high level", be.States[1].Level, 20000, 300)
	near(t, "shares", be.States[0].Share+be.States[1].Share, 1, 1e-12)
	if len(res.Arms[0].States)+len(res.Arms[2].States) != 0 {
		t.Errorf("levels claimed of %v, %v", res.Arms[0].States, res.Arms[2].States)
	}
	near(t, "besteffort", res.Contrasts[0].Effect, -44.6, 0.05)
	near(t, "guaranteed", res.Contrasts[1].Effect, -12.4, 0.05)
	for _, c := range res.Contrasts {
		if c.Interval95 != nil || c.Verdict != Inconclusive || !strings.HasPrefix(fmt.Sprint(c.Reasons), "[one-trial-each seconds-are-not-repetitions import-more]") {
			t.Errorf("got %+v", c)
		}
	}
}

// Logs of which one arm has several have no interval either, and the reason counts both.
func TestImportOfUnequalNumbers(t *testing.T) {
	for _, c := range []struct {
		bare, pod [][]float64
		want      string
	}{
		{[][]float64{{1000}}, [][]float64{{900}, {910}}, "[trials-each na=2 nb=1 arm=pod base=bare"},
		{[][]float64{{1000}, {1010}}, [][]float64{{900}}, "[trials-each na=1 nb=2 arm=pod base=bare"},
	} {
		got := only(t, Run(imported([]string{"bare", "pod"}, map[string][][]float64{"bare": c.bare, "pod": c.pod})))
		if reasons := fmt.Sprint(got.Reasons); got.Interval95 != nil || !strings.HasPrefix(reasons, c.want) {
			t.Errorf("%s, want %s", reasons, c.want)
		}
	}
}

// x: ln of 1000, 1020, 980; y: ln of 900, 880, 910, 905. The difference of the
// means is -0.106698 with standard error 0.013692 and 3.5609 degrees of freedom;
// t(.975) = 2.916817, by Simpson's rule over the density, outside this program.
func TestImportOfSeveralRuns(t *testing.T) {
	r := imported([]string{"bare", "pod"}, map[string][][]float64{
		"bare": {{1000}, {1020}, {980}}, "pod": {{900}, {880}, {910}, {905}},
	})
	c := only(t, Run(r))
	if c.Kind != "welch" || c.Rounds != 3 || c.Verdict != Inconclusive || fmt.Sprint(c.Reasons) != "[early-trials enough=4 n=3 pairing-unknown]" {
		t.Errorf("got %+v", c)
	}
	near(t, "effect", c.Effect, -10.12028, 1e-4)
	near(t, "lo", c.Interval95.Lo, -13.63908, 1e-4)
	near(t, "hi", c.Interval95.Hi, -6.45811, 1e-4)
}

// TestWelchHasNoSignFlipTest: imported trials, and those of two runs, need the trials of Welch's interval, and no number of
// rounds for a test that they do not have.
func TestWelchHasNoSignFlipTest(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5} {
		series := map[string][][]float64{}
		for i := range n {
			series["bare"] = append(series["bare"], []float64{1000 + float64(i%3)})
			series["pod"] = append(series["pod"], []float64{900 + float64(i%3)})
		}
		res := Run(imported([]string{"bare", "pod"}, series))
		for _, w := range res.Warnings {
			if w.Code == "exploratory" {
				t.Errorf("%d logs each: %v", n, w)
			}
		}
		if c := only(t, res); c.Exploratory != (n < 4) || (c.Verdict == Costs) != (n >= 4) || strings.Contains(fmt.Sprint(c.Reasons), "exploratory") {
			t.Errorf("%d logs each: %s, exploratory %v, %v", n, c.Verdict, c.Exploratory, c.Reasons)
		}
	}
}

// Every verdict that intervals lead to names its rule and the margin.
func TestReasonNamesTheRule(t *testing.T) {
	for _, v := range []Verdict{Costs, Gains, WithinMargin, Equivalent, Inconclusive} {
		want := fmt.Sprintf("[rule-%s margin=1 pairing-unknown]", v)
		if got := fmt.Sprint(because(v, Contrast{Rounds: 4, Kind: welchKind}, 1, true)); got != want {
			t.Errorf("%s: %s, want %s", v, got, want)
		}
	}
}

// TestOpenLoopOfOneArm: where nothing is compared, no reader is told to compare.
func TestOpenLoopOfOneArm(t *testing.T) {
	r := equalArms(t, 3)
	for i, arms := range [][]string{{"open-loop"}, {"open-loop-alone"}} {
		res := Run(r)
		res.Rate = 100
		res.Arms = res.Arms[:len(res.Arms)-i]
		if said := fmt.Sprint(warnings(r, res)); !strings.Contains(said, arms[0]+" ") {
			t.Errorf("%d arms: %s", len(res.Arms), said)
		}
	}
}
