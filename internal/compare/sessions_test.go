package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/record"
)

// session is a run of 8 rounds with arms at the given levels, and the baseline twice in each round.
func session(t *testing.T, seed uint64, levels map[string]float64) *record.Run {
	t.Helper()
	r := planned(t, strings.Replace(spec(8, "1%", "bare: {target: process}", "pod: {target: container}"), "aa: false", "aa: true", 1))
	rng := rand.New(rand.NewPCG(seed, 3))
	rounds := map[int]float64{} // what the machine does to all trials of a round
	return fill(r, func(arm string, round int) float64 {
		if _, ok := rounds[round]; !ok {
			rounds[round] = 0.005 * rng.NormFloat64()
		}
		return levels[arm] * math.Exp(rounds[round]+0.002*rng.NormFloat64())
	})
}

func fact(r *record.Run, key, value string) *record.Run {
	for _, t := range r.Trials {
		t.Facts = append(t.Facts, record.Fact{Key: key, Value: value, Phase: "start"})
	}
	return r
}

// TestBetween: each arm of the later run against itself in the earlier.
func TestBetween(t *testing.T) {
	before := fact(session(t, 1, map[string]float64{"bare": 1000, "pod": 900}), "server.version", "8.4.0")
	after := fact(session(t, 2, map[string]float64{"bare": 1000, "pod": 855}), "server.version", "8.4.1")
	s, err := Between(before, after, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Contrasts) != 2 || s.Contrasts[1].Verdict != Costs || math.Abs(s.Contrasts[1].Effect+5) > 1 || s.Contrasts[0].Verdict == Costs {
		t.Errorf("%+v", s.Contrasts)
	}
	if s.Contrasts[0].Kind != "welch-bonferroni" || len(s.Warnings) != 2 {
		t.Errorf("kind %s, warnings %q", s.Contrasts[0].Kind, s.Warnings)
	}
	for _, c := range s.Contrasts { // the levels give the change, also where the rounds differ
		near(t, "change of the levels", 100*(c.ArmLevel/c.BaselineLevel-1), c.Effect, 1e-9)
	}
	if d := cmp.Diff([]Change{{"server.version", "8.4.0", "8.4.1"}}, s.Changed); d != "" {
		t.Error(d)
	}
}

// TestBetweenRefuses: what was not asked the same, is unfinished or has no arm in
// common is not compared.
func TestBetweenRefuses(t *testing.T) {
	levels := map[string]float64{"bare": 1000, "pod": 900}
	other := session(t, 2, levels)
	other.Experiment.Load.Workload = "oltp_write_only"
	short := session(t, 2, levels)
	short.Trials = short.Trials[:9]
	for want, after := range map[Verdict]*record.Run{Invalid: other, Sealed: short} {
		s, err := Between(session(t, 1, levels), after, 0)
		if err != nil || s.Contrasts[0].Verdict != want || s.Contrasts[0].Interval95 != nil {
			t.Errorf("want %s: %+v, %v", want, s, err)
		}
	}
	for _, differ := range []struct {
		key    string
		change func(*record.Run)
	}{
		{"data.scale", func(r *record.Run) { r.Experiment.Data.Scale = 10 }},
		{"data.schema", func(r *record.Run) { r.Experiment.Data.Schema = "shop" }},
		{"data.from", func(r *record.Run) { r.Experiment.Data.From = &experiment.OwnData{Dump: "/shop.sql"} }},
		{"load.rate", func(r *record.Run) { r.Experiment.Load.Rate = 500 }},
		{"load.limit", func(r *record.Run) { r.Experiment.Load.Limit = 500 }},
		{"load.find", func(r *record.Run) { r.Experiment.Load.Find = &experiment.Find{Percentile: 99} }},
		{"protocol.kind", func(r *record.Run) { r.Plan.Protocol = &experiment.Interleaving{Slices: &interleave.Slices{}} }},
	} {
		after := session(t, 2, levels)
		differ.change(after)
		s, err := Between(session(t, 1, levels), after, 0)
		if err != nil || s.Contrasts[0].Verdict != Invalid || s.Contrasts[0].Reasons[0].Names["key"][0] != differ.key {
			t.Errorf("%s differs: %+v, %v", differ.key, s, err)
		}
	}
	strangers := planned(t, spec(6, "1%", "bare: {target: process}", "x: {target: process}"))
	strangers.Experiment.Load.Threads = []int{99}
	if _, err := Between(session(t, 1, levels), strangers, 0); err == nil || !strings.Contains(err.Error(), "bare at 4 threads") {
		t.Errorf("arms that do not match: %v", err)
	}
}

// TestOtherTurns: another lead-in than the computed one and servers that are not frozen are another
// measurement: without a lead-in the cost of a quota appears as four fifths of it (docs/slices.md).
func TestOtherTurns(t *testing.T) {
	run := func() *record.Run { return session(t, 1, map[string]float64{"bare": 1000, "pod": 900}) }
	slices := func(idle bool) *record.Run {
		r := run()
		r.Plan.Protocol = &experiment.Interleaving{Kind: experiment.KindSlices, Slices: &interleave.Slices{Slice: time.Second, Cycles: 1, Idle: idle}}
		return r
	}
	none, noLeadIn := experiment.Duration(0), run()
	noLeadIn.Experiment.Protocol.LeadIn = &none
	for key, runs := range map[string][2]*record.Run{"protocol.leadIn": {run(), noLeadIn}, "protocol.freeze": {slices(false), slices(true)}} {
		if why := otherLoad(runs[0], runs[1]); why == nil || !strings.Contains(why.String(), "key="+key) {
			t.Errorf("%s: %v", key, why)
		}
	}
	if why := otherLoad(run(), run()); why != nil {
		t.Errorf("equal runs: %v", why)
	}
}

// TestOtherWorkloadFile: of another workload file the reason names the file in every language.
func TestOtherWorkloadFile(t *testing.T) {
	before, after := session(t, 1, map[string]float64{"bare": 1000}), session(t, 2, map[string]float64{"bare": 1000})
	after.Experiment.WorkloadFile = &experiment.Text{Text: []byte("transactions: []")}
	if why := otherLoad(before, after); why == nil || !strings.Contains(why.String(), "key=[workload-file]") {
		t.Errorf("%v", why)
	}
	after.Experiment.WorkloadFile, after.Experiment.Load.Engine = nil, "another"
	if why := otherLoad(before, after); why == nil || !strings.Contains(why.String(), "key=load.engine") {
		t.Errorf("%v", why)
	}
}

// TestBetweenErrsAsPromised: two sessions without a difference are told apart in
// 5 % of cases at most, both arms together; 1000 campaigns, 99.9 %.
func TestBetweenErrsAsPromised(t *testing.T) {
	wrong := 0
	levels := map[string]float64{"bare": 1000, "pod": 900}
	for seed := range uint64(1000) {
		s, err := Between(session(t, 2*seed, levels), session(t, 2*seed+1, levels), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.Contrasts {
			if c.Interval95.Lo > 0 || c.Interval95.Hi < 0 {
				wrong++
				break
			}
		}
	}
	if rate := float64(wrong) / 1000; rate < 0.027 || rate > 0.075 {
		t.Errorf("%.1f %% of equal sessions are told apart", 100*rate)
	}
}

// ofOneServer is a run of 8 rounds of a running server in two arms, with noise of the rounds and of the trials.
func ofOneServer(t *testing.T, seed uint64, level float64, second string) *record.Run {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	rounds := map[int]float64{}
	return fill(planned(t, spec(8, "1%", "bare: {target: external, host: a}", "pod: {target: external, host: "+second+"}")), func(_ string, round int) float64 {
		if _, ok := rounds[round]; !ok {
			rounds[round] = 0.005 * rng.NormFloat64()
		}
		return level * math.Exp(rounds[round]+0.002*rng.NormFloat64())
	})
}

// TestOneServerOneAnswer: two arms that are one running server give one answer, from one value for each round; two
// servers give two.
func TestOneServerOneAnswer(t *testing.T) {
	s, err := Between(ofOneServer(t, 1, 1000, "a"), ofOneServer(t, 2, 900, "a"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Contrasts) != 1 || len(s.Throughputs) != 1 {
		t.Fatalf("%d answers, want 1: %+v", len(s.Contrasts), s.Contrasts)
	}
	c := s.Contrasts[0]
	if c.Arm != "bare" || c.Family != 1 || c.Rounds != 8 || c.Kind != welchKind || c.Verdict != Costs || math.Abs(c.Effect+10) > 1 {
		t.Errorf("%+v", c)
	}
	if level := s.Throughputs[0]; math.Abs(level.Before-1000) > 10 || math.Abs(level.After-900) > 10 {
		t.Errorf("throughputs %+v", level)
	}
	if last := s.Warnings[len(s.Warnings)-1].String(); last != "one-server-pooled arm=bare other=pod" {
		t.Errorf("warning %s", last)
	}
	if s, err = Between(ofOneServer(t, 1, 1000, "b"), ofOneServer(t, 2, 900, "b"), 0); err != nil || len(s.Contrasts) != 2 || len(s.Warnings) != 2 {
		t.Errorf("two servers: %v, %+v", err, s)
	}
	if s, err = Between(ofOneServer(t, 1, 1000, "a"), ofOneServer(t, 2, 900, "b"), 0); err != nil || len(s.Contrasts) != 2 {
		t.Errorf("one server, then two: %v, %+v", err, s)
	}
}

// TestOneServerErrsAsPromised: an unchanged server is said to have changed in 5 % of cases; 1000 pairs of runs, 99.9 %.
// Every trial as a sample of its own would be wrong in 18 %.
func TestOneServerErrsAsPromised(t *testing.T) {
	wrong := 0
	for seed := range uint64(1000) {
		s, err := Between(ofOneServer(t, 2*seed, 1000, "a"), ofOneServer(t, 2*seed+1, 1000, "a"), 0)
		if err != nil {
			t.Fatal(err)
		}
		if in := s.Contrasts[0].Interval95; in.Lo > 0 || in.Hi < 0 {
			wrong++
		}
	}
	if rate := float64(wrong) / 1000; rate < 0.027 || rate > 0.075 {
		t.Errorf("%.1f %% of unchanged servers are said to have changed", 100*rate)
	}
}
