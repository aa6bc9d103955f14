package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// stacked is an experiment with three layers; more are lines below attribute:.
func stacked(rounds int, more string) string {
	return strings.Replace(spec(rounds, "1%", "bare: {target: process}", "pod: {target: container, qos: Guaranteed}"), "baseline: bare\n", "", 1) + `attribute:
  from: bare
  layers: {quota: {target: container, cpu: 1}, network: {target: container, network: {plugin: bridge}}, dummy: {target: container}}
` + more
}

// threeLayers: the quota takes 6 %, the network 3 %, both together one more, the
// dummy nothing; the pod of its own is 0.5 % slower than all of them.
func threeLayers(r *record.Run, sd float64, seed uint64) *record.Run {
	rng := rand.New(rand.NewPCG(seed, 5))
	levels := map[string]float64{"bare": 0, "pod": math.Log(0.995)}
	for _, c := range r.Experiment.Attribute.Cells() {
		v := float64(c.Set&1)*math.Log(0.94) + float64(c.Set>>1&1)*math.Log(0.97)
		if c.Set&3 == 3 {
			v += math.Log(0.99)
		}
		levels[c.Arm] = v
	}
	levels["pod"] += levels[r.Experiment.Attribute.Full()]
	return fill(r, func(arm string, round int) float64 {
		return 2000 * math.Exp(levels[arm]+0.02*math.Sin(float64(round))+sd*rng.NormFloat64())
	})
}

func attributed(t *testing.T, r *record.Run) (*Result, Attribution) {
	t.Helper()
	res := Run(r)
	if len(res.Attributions) != 1 {
		t.Fatalf("%d attributions, want 1", len(res.Attributions))
	}
	return res, res.Attributions[0]
}

// TestAttribution: known costs come back, they add up to the total exactly, and
// only the arms that were asked for are contrasts.
func TestAttribution(t *testing.T) {
	res, a := attributed(t, threeLayers(planned(t, stacked(8, "  to: pod\n")), 0, 1))
	if a.Reasons != nil || a.Rounds != 8 || a.Orders != 6 || len(res.Contrasts) != 2 {
		t.Fatalf("%+v with %d contrasts", a, len(res.Contrasts))
	}
	log := func(v float64) float64 { return math.Log(1 + v/100) }
	sum := a.Unexplained.Points
	for _, l := range a.Layers {
		sum += l.Points
	}
	want := -100 * (1 - 0.94*0.97*0.99*0.995)
	if math.Abs(sum-a.Total.Points) > 1e-12 || math.Abs(a.Total.Points-want) > 1e-6 {
		t.Errorf("the parts are %v, the total %v, want %v", sum, a.Total.Points, want)
	}
	factor := a.Total.Points / log(a.Total.Points)
	for i, want := range []float64{math.Log(0.94) + math.Log(0.99)/2, math.Log(0.97) + math.Log(0.99)/2, 0} {
		l := a.Layers[i]
		if math.Abs(l.Points-factor*want) > 1e-6 || math.Abs(l.Share-want/log(a.Total.Points)) > 1e-6 {
			t.Errorf("%s: %+v, want %v points", l.Name, l, factor*want)
		}
		if l.ShareInterval == nil || l.GivesBack == nil {
			t.Errorf("%s: share or gain is missing: %+v", l.Name, l)
		}
	}
	quota := a.Layers[0]
	// Measured in points of bare: by itself the quota takes 6, and beside the network what 0.97 has more than all.
	least, most := 100*(0.97-0.94*0.97*0.99), 100*(1-0.94)
	if math.Abs(quota.OrderHi+most) > 1e-6 || math.Abs(quota.OrderLo+least) > 1e-6 || math.Abs(quota.GivesBack.Points-least) > 1e-6 {
		t.Errorf("quota: order %v to %v, gives back %v", quota.OrderLo, quota.OrderHi, quota.GivesBack.Points)
	}
	if x := a.Interactions[0]; x.Layers != [2]string{"quota", "network"} || math.Abs(x.Points+100*0.94*0.97*(1-0.99)) > 1e-6 {
		t.Errorf("interaction is %+v", x)
	}
}

// TestLadder: a chain gives each layer its step, and no figure for what was not
// measured.
func TestLadder(t *testing.T) {
	_, a := attributed(t, threeLayers(planned(t, stacked(6, "  order: [network, quota, dummy]\n")), 0.001, 1))
	if !a.Ladder || a.Orders != 1 || len(a.Interactions) != 0 || a.Unexplained != nil {
		t.Errorf("%+v", a)
	}
	for _, l := range a.Layers {
		if l.OrderLo != l.OrderHi || (l.GivesBack != nil) != (l.Name == "dummy") {
			t.Errorf("%+v", l)
		}
	}
}

// TestNoAttribution: one arm without a number, unequal or unfinished takes the sum
// away and says why; a round with a failure is only left out.
func TestNoAttribution(t *testing.T) {
	run := func(change func(*record.Run)) Attribution {
		r := threeLayers(planned(t, stacked(6, "")), 0.001, 1)
		change(r)
		_, a := attributed(t, r)
		return a
	}
	for want, a := range map[Verdict]Attribution{
		Sealed: run(func(r *record.Run) { r.Trials = r.Trials[:20] }),
		Inconclusive: run(func(r *record.Run) {
			for _, t := range r.Trials {
				if t.Header.Arm == "network" && t.Header.Round == 2 {
					end(record.Starved, "")(t)
				}
			}
		}),
		Invalid: run(func(r *record.Run) {
			each(r, "network-dummy", func(t *record.Trial) {
				t.Facts = append(t.Facts, record.Fact{Key: "load.invalid", Value: "late"})
			})
		}),
		NotMeasured: run(func(r *record.Run) { each(r, "quota", end(record.NotReady, "")) }),
	} {
		if a.Verdict != want || a.Reasons == nil || len(a.Layers) != 0 {
			t.Errorf("want %s, got %+v", want, a)
		}
	}
	a := run(func(r *record.Run) {
		for _, t := range r.Trials {
			if t.Header.Arm == "quota-dummy" && t.Header.Round == 3 {
				end(record.Failed, "disk")(t)
			}
		}
	})
	if a.Reasons != nil || a.Rounds != 5 {
		t.Errorf("%d rounds, %v", a.Rounds, a.Reasons)
	}
}

// TestShareIsRefused: a loss that is not certain is not divided.
func TestShareIsRefused(t *testing.T) {
	r := planned(t, stacked(6, ""))
	rng := rand.New(rand.NewPCG(3, 3))
	_, a := attributed(t, fill(r, func(string, int) float64 { return 2000 * math.Exp(0.01*rng.NormFloat64()) }))
	for _, l := range a.Layers {
		if l.ShareInterval != nil {
			t.Errorf("%s owns %v of nothing: %+v", l.Name, l.Share, l.ShareInterval)
		}
	}
}

// TestAttributionAfterAPilot: with Stein's rule the spread is the pilot's.
func TestAttributionAfterAPilot(t *testing.T) {
	yaml := strings.Replace(stacked(6, ""), "rounds: 6", "precision: 1%, rounds: {pilot: 4, max: 12}", 1)
	e, err := experiment.Parse("x", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := experiment.NewPlan(e).Extend(e, 12, "test")
	if err != nil {
		t.Fatal(err)
	}
	noise := func(round int) float64 { // none in the pilot but a trace, much after it
		if round <= 4 {
			return 1e-6 * float64(round)
		}
		return 0.05 * float64(round%2)
	}
	_, a := attributed(t, fill(&record.Run{Experiment: e, Plan: plan}, func(arm string, round int) float64 {
		if strings.Contains(arm, "quota") {
			return 2000 * math.Exp(noise(round))
		}
		return 2000
	}))
	if w := a.Layers[0].Interval.Hi - a.Layers[0].Interval.Lo; !(w < 0.01) {
		t.Errorf("the interval is %v wide: %s", w, fmt.Sprint(a.Layers[0]))
	}
}

// TestAttributionOfAnOpenRun: after few rounds the interval is the whole line, which is no figure.
func TestAttributionOfAnOpenRun(t *testing.T) {
	r := planned(t, strings.Replace(stacked(3, ""), "rounds: 3", "rounds: {open: true, max: 8}", 1))
	run := threeLayers(r, 0.001, 1)
	run.Trials = slices.DeleteFunc(run.Trials, func(t *record.Trial) bool { return t.Header.Round > 3 })
	_, a := attributed(t, run)
	if a.Verdict != Inconclusive || len(a.Reasons) == 0 || a.Reasons[0].Code != "too-few-for-open-looks" || len(a.Layers) > 0 {
		t.Errorf("%+v", a)
	}
}

// TestNoSharesWithoutFixedRounds: shares and interactions have intervals for a number of rounds
// that was fixed before the run; the parts have those of the rule that ended it.
func TestNoSharesWithoutFixedRounds(t *testing.T) {
	for rule, given := range map[string]bool{"rounds: 8": true, "rounds: {looks: [8, 14]}": false, "rounds: {open: true, max: 8}": false} {
		r := planned(t, strings.Replace(stacked(8, ""), "rounds: 8", rule, 1))
		if r.Plan.Rounds < 8 {
			longer, err := r.Plan.Extend(r.Experiment, 8, "test")
			if err != nil {
				t.Fatal(err)
			}
			r.Plan = longer
		}
		_, a := attributed(t, threeLayers(r, 0.001, 1))
		if len(a.Reasons) > 0 || len(a.Layers) != 3 {
			t.Fatalf("%s: %+v", rule, a)
		}
		shares := a.Layers[0].ShareInterval != nil
		if interactions := len(a.Interactions) > 0; shares != given || interactions != given || a.Layers[0].Interval.Lo >= a.Layers[0].Interval.Hi {
			t.Errorf("%s: shares %v, interactions %v, %+v", rule, shares, interactions, a.Layers[0])
		}
	}
}

// TestSharesOfTheTotal: a layer that changes throughput the other way than the total, or by several times as much, has no share.
func TestSharesOfTheTotal(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		shown  bool
	}{{0.2, 0.6, true}, {-0.1, 0.3, true}, {0.9, 1.4, true}, {-8, -2.93, false}, {-0.4, -0.02, false}, {2.93, 8, false}, {-6, 6, false}, {0, -1e-12, true}} {
		if got := shareOfTotal(stats.Ratio{Value: (c.lo + c.hi) / 2, Lo: c.lo, Hi: c.hi, Bounded: true}); (got != nil) != c.shown {
			t.Errorf("%v to %v: %v", c.lo, c.hi, got)
		}
	}
	if got := shareOfTotal(stats.Ratio{Value: 0.5, Lo: math.NaN(), Hi: math.NaN()}); got != nil {
		t.Error(got)
	}
}

// TestLayersOfDependentRounds: where the quota becomes slower from round to round, its part is wider than
// with the same rounds in another order, and the attribution says so.
func TestLayersOfDependentRounds(t *testing.T) {
	ordered := []float64{0, -0.002, -0.004, -0.006, -0.008, -0.010, -0.012, -0.014}
	shuffled := []float64{-0.006, -0.012, 0, -0.008, -0.002, -0.014, -0.004, -0.010}
	of := func(quota []float64) Attribution {
		r := planned(t, stacked(8, ""))
		slow := map[string]bool{}
		for _, c := range r.Experiment.Attribute.Cells() {
			slow[c.Arm] = c.Set&1 != 0
		}
		_, a := attributed(t, fill(r, func(arm string, round int) float64 {
			if slow[arm] {
				return 1000 * math.Exp(-0.1+quota[round-1])
			}
			return 1000
		}))
		return a
	}
	drifts, stands := of(ordered), of(shuffled)
	if drifts.Serial == nil || drifts.Serial.P > 0.05 || stands.Serial != nil {
		t.Fatalf("%+v %+v", drifts.Serial, stands.Serial)
	}
	width := func(i Interval) float64 { return i.Hi - i.Lo }
	if r := width(drifts.Layers[0].Interval) / width(stands.Layers[0].Interval); math.Abs(r-drifts.Serial.Factor) > 1e-6 {
		t.Errorf("the part is %g times as wide, said to be %g times", r, drifts.Serial.Factor)
	}
}
