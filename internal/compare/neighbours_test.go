package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/keys"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

func fiveArms() string {
	return spec(8, "1%", "bare: {target: process}", "bare-busy: {target: process, neighbour: &b {cpu: 1, request: 100m}}",
		"besteffort: {target: container, qos: BestEffort}", "besteffort-busy: {target: container, qos: BestEffort, neighbour: *b}",
		"guaranteed-busy: {target: container, qos: Guaranteed, cpu: 1, memory: 1Gi, neighbour: {request: 100m, cpu: 1}}",
		"other: {target: container, qos: BestEffort, neighbour: {cpu: 2}}")
}

// TestNeighbours: arms are paired by their settings, and both changes are those of the
// simulated servers.
func TestNeighbours(t *testing.T) {
	truth := map[string]float64{"bare": 1000, "bare-busy": 500, "besteffort": 990, "besteffort-busy": 396, "guaranteed-busy": 900, "other": 99}
	r := fill(planned(t, fiveArms()), func(arm string, round int) float64 { return truth[arm] * (1 + float64(round)/100) })
	type row struct {
		Arm, Alone, Peer string
		Taken, Apart     float64
	}
	var got []row
	for _, b := range Run(r).Neighbours {
		o := row{Arm: b.Arm, Alone: b.Alone, Peer: b.Peer}
		if b.Taken != nil {
			o.Taken = math.Round(b.Taken.Effect*10) / 10
		}
		if b.Apart != nil {
			o.Apart = math.Round(b.Apart.Effect*10) / 10
		}
		got = append(got, o)
	}
	want := []row{
		{"bare-busy", "bare", "", -50, 0},
		{"besteffort-busy", "besteffort", "bare-busy", -60, -20.8},
		{"guaranteed-busy", "", "bare-busy", 0, 80},
		{"other", "besteffort", "", -90, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestNeighboursOfABrokenArm: a trial without a number leaves no change to compute.
func TestNeighboursOfABrokenArm(t *testing.T) {
	r := fill(planned(t, fiveArms()), func(string, int) float64 { return 100 })
	for _, trial := range r.Trials {
		if trial.Header.Arm == "besteffort" && trial.Header.Round == 3 {
			trial.Window, trial.End.Outcome = nil, record.NotReady
		}
	}
	for _, b := range Run(r).Neighbours {
		if b.Alone == "besteffort" && b.Taken != nil {
			t.Errorf("%s: %+v", b.Arm, b.Taken)
		}
	}
}

// TestNeighboursAfterAPilot: the interval is Stein's, which is of the pilot's spread alone.
func TestNeighboursAfterAPilot(t *testing.T) {
	yaml := strings.Replace(fiveArms(), "rounds: 8,", "precision: 1%, rounds: {pilot: 4, max: 12},", 1)
	r := planned(t, yaml)
	longer, err := r.Plan.Extend(r.Experiment, 8, "test")
	if err != nil {
		t.Fatal(err)
	}
	r.Plan = longer
	spread := []float64{-.02, .02, -.01, .01, 0, 0, 0, 0}
	fill(r, func(arm string, round int) float64 {
		if arm == "bare-busy" {
			return 500 * math.Exp(spread[round-1])
		}
		return 1000
	})
	const family = 5 // contrasts, of which it is one
	lo, hi := stats.SteinInterval(spread, 4, 0.05/family)
	for _, b := range Run(r).Neighbours {
		if b.Arm != "bare-busy" {
			continue
		}
		near(t, "half-width", (math.Log1p(b.Taken.Interval95.Hi/100)-math.Log1p(b.Taken.Interval95.Lo/100))/2, (hi-lo)/2, 1e-6)
		return
	}
	t.Error("no change of bare-busy")
}

// TestNeighboursHoldTogether: in at most 5 % of simulated runs does any of the intervals
// miss its truth (Bonferroni).
func TestNeighboursHoldTogether(t *testing.T) {
	const runs = 1000
	truth := map[string]float64{"bare": 1000, "bare-busy": 500, "besteffort": 990, "besteffort-busy": 396, "guaranteed-busy": 900, "other": 99}
	rng, missed := rand.New(rand.NewPCG(17, 1)), 0
	base := planned(t, fiveArms())
	for range runs {
		r := *base
		fill(&r, func(arm string, _ int) float64 { return truth[arm] * math.Exp(.03*rng.NormFloat64()) })
		any := false
		j := newComparison(&r, outline(&r))
		for _, b := range j.neighbours() {
			for _, c := range []struct {
				change *Change95
				from   string
			}{{b.Taken, b.Alone}, {b.Apart, b.Peer}} {
				if effect := 100 * (truth[b.Arm]/max(1, truth[c.from]) - 1); c.change != nil && (effect < c.change.Interval95.Lo || effect > c.change.Interval95.Hi) {
					any = true
				}
			}
		}
		if any {
			missed++
		}
	}
	t.Logf("one interval or more missed its truth in %d of %d runs", missed, runs)
	if missed > 65 || missed < 10 { // 50 expected at most, standard error 7; the intervals depend on each other
		t.Errorf("%d of %d", missed, runs)
	}
}

// TestNeighboursOfAnInvalidArm: what may not be compared with the baseline is compared with
// no other arm: a client that could not keep up, and a variable that nothing declares.
func TestNeighboursOfAnInvalidArm(t *testing.T) {
	truth := map[string]float64{"bare": 1000, "bare-busy": 500, "besteffort": 990, "besteffort-busy": 396, "guaranteed-busy": 900, "other": 99}
	for name, change := range map[string]func(*record.Trial){
		"saturated client": func(tr *record.Trial) {
			tr.Facts = append(tr.Facts, record.Fact{Key: keys.LoadInvalid, Value: "busy", Phase: "end"})
		},
		"undeclared variable": func(tr *record.Trial) {
			tr.Facts[0].Value = "0"
		},
	} {
		for _, bad := range []string{"besteffort", "besteffort-busy"} {
			r := fill(planned(t, fiveArms()), func(arm string, round int) float64 { return truth[arm] * (1 + float64(round)/100) })
			for _, tr := range r.Trials {
				tr.Facts = append(tr.Facts, record.Fact{Key: "mysql.variable.sync_binlog", Value: "1", Phase: "start"})
			}
			each(r, bad, change)
			res := Run(r)
			for _, c := range res.Contrasts {
				if (c.Verdict == Invalid) != (c.Arm == bad) {
					t.Errorf("%s of %s: %s is %s", name, bad, c.Arm, c.Verdict)
				}
			}
			for _, b := range res.Neighbours {
				if b.Taken != nil && (b.Arm == bad || b.Alone == bad) || b.Apart != nil && (b.Arm == bad || b.Peer == bad) {
					t.Errorf("%s of %s: %s: taken %+v, apart %+v", name, bad, b.Arm, b.Taken, b.Apart)
				}
			}
			if bare := res.Neighbours[0]; bare.Arm != "bare-busy" || bare.Taken == nil {
				t.Errorf("%s of %s takes the change of the other arms: %+v", name, bad, bare)
			}
		}
	}
}

// TestChangesHaveTheChecksOfContrasts: a change between two arms of which neither is the baseline is not established
// where two equal servers differ as much (A/A), nor where it depends on a single round.
func TestChangesHaveTheChecksOfContrasts(t *testing.T) {
	change := func(aa float64, b func(round int) float64) (*Result, *Change95) {
		r := planned(t, strings.Replace(spec(8, "1%", "bare: {target: process}", "a: {target: container}", "b: {target: container, cpu: 1}"), "aa: false", "aa: true", 1))
		at := -1
		fill(r, func(arm string, round int) float64 {
			at++
			noise := math.Exp(0.002 * math.Sin(float64(7*round+at)))
			switch {
			case arm == "b":
				return b(round) * noise
			case r.Plan.Trials[at].Again:
				return aa * noise
			}
			return 1000 * noise
		})
		res := Run(r)
		pair := ArmPair{"a", "b", res.Contrasts[0].Threads}
		return res, ChangesBetween(r, res, []ArmPair{pair})[pair]
	}
	faster := func(int) float64 { return 1030 }
	oneRound := func(round int) float64 {
		if round == 4 {
			return 1300
		}
		return 1160
	}
	for name, c := range map[string]struct {
		aa   float64
		b    func(int) float64
		want Verdict
	}{
		"equal servers are alike": {1000, faster, Gains}, "A/A of 5 %": {1050, faster, Inconclusive}, "A/A of 1 %": {1010, faster, Gains},
	} {
		res, got := change(c.aa, c.b)
		if got == nil || got.Verdict != c.want || res.NoiseFloors[0].Alarm != (c.aa != 1000) {
			t.Errorf("%s: %+v, alarm %v", name, got, res.NoiseFloors[0].Alarm)
		}
		if b := res.Contrasts[1]; got != nil && b.Verdict != got.Verdict {
			t.Errorf("%s: against the baseline %s, against an equal arm %s", name, b.Verdict, got.Verdict)
		}
	}
	for _, of := range []func(int) float64{oneRound} {
		res, got := change(1000, of)
		if b := res.Contrasts[1]; got == nil || b.Verdict != got.Verdict {
			t.Errorf("one round of another level: %+v, and against the baseline %s %v", got, b.Verdict, b.Reasons)
		}
	}
}

// TestNeighboursHaveVerdictsByTheRulesOfContrasts: a change between two arms of which neither is the baseline has no
// verdict from fewer rounds than a contrast needs, nor one that what other processes used can have made, and a
// wider interval where its rounds depend on each other.
func TestNeighboursHaveVerdictsByTheRulesOfContrasts(t *testing.T) {
	apart := func(rounds int, foreign float64, of func(round int) float64) Change95 {
		r := fill(planned(t, strings.Replace(fiveArms(), "rounds: 8,", fmt.Sprintf("rounds: %d,", rounds), 1)), func(arm string, round int) float64 {
			if arm == "besteffort-busy" {
				return 1000 * math.Exp(of(round))
			}
			return 1000
		})
		for _, trial := range r.Trials {
			counted(trial, 0, foreign, 0)
		}
		for _, b := range Run(r).Neighbours {
			if b.Arm == "besteffort-busy" && b.Apart != nil {
				return *b.Apart
			}
		}
		t.Fatal("no change of besteffort-busy")
		return Change95{}
	}
	order := []int{3, 0, 6, 1, 7, 4, 2, 5}
	mixed := func(round int) float64 { return -0.05 + 0.001*float64(order[round-1]) }
	inOrder := func(round int) float64 { return -0.05 + 0.001*float64(round-1) }
	few, enough, beside, dependent := apart(3, 0, mixed), apart(8, 0, mixed), apart(8, 0.08, mixed), apart(8, 0, inOrder)
	for name, c := range map[string]struct {
		change Change95
		want   Verdict
	}{"3 rounds": {few, Inconclusive}, "8 rounds": {enough, Costs}, "8 rounds beside others that use 8 %": {beside, Inconclusive}} {
		if c.change.Verdict != c.want {
			t.Errorf("%s: %+v, want %s", name, c.change, c.want)
		}
	}
	width := func(in Interval) float64 { return in.Hi - in.Lo }
	if ratio := width(dependent.Interval95) / width(enough.Interval95); !(ratio > 2) {
		t.Errorf("the interval of rounds that depend on each other is %g times as wide", ratio)
	}
}
