package experiment

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parsed(t *testing.T) *Experiment {
	t.Helper()
	e, err := Parse("good.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRoundsAreComplete: every round holds every arm at every level once, and
// no two arms share a slot.
func TestRoundsAreComplete(t *testing.T) {
	e := parsed(t)
	p := NewPlan(e)
	cells := map[string]int{}
	for i, trial := range p.Trials {
		if trial.Number != i+1 || trial.Slot != i%4+1 || trial.Round != i/4+1 {
			t.Fatalf("trial %d is %+v", i+1, trial)
		}
		cells[fmt.Sprint(trial.Round, trial.Arm, trial.Threads)]++
	}
	if len(cells) != 8*2*2 || len(p.Trials) != len(cells) {
		t.Errorf("%d trials in %d cells, want 32", len(p.Trials), len(cells))
	}
}

// TestOrderIsFair: over many seeds each arm stands in each slot equally often.
// Chi-square with 9 degrees of freedom; 27.9 is its 0.999 quantile. The control
// shows that the test can fail: the order of the file, never shuffled, does.
func TestOrderIsFair(t *testing.T) {
	e := parsed(t)
	const seeds = 4000
	chi := func(order func(seed uint64) []Trial) float64 {
		counts := map[string]float64{}
		for seed := range uint64(seeds) {
			for _, trial := range order(seed)[:4] {
				counts[fmt.Sprint(trial.Arm, trial.Threads, trial.Slot)]++
			}
		}
		sum, expected := 0.0, seeds/4.0
		for _, arm := range e.Arms {
			for _, threads := range e.Load.Threads {
				for slot := 1; slot <= 4; slot++ {
					sum += math.Pow(counts[fmt.Sprint(arm.Name, threads, slot)]-expected, 2) / expected
				}
			}
		}
		return sum
	}
	drawn := chi(func(seed uint64) []Trial {
		again := *e
		again.Protocol.Seed = seed
		return NewPlan(&again).Trials
	})
	if drawn > 27.9 {
		t.Errorf("chi-square %.1f: slots are not drawn evenly", drawn)
	}
	fixed := NewPlan(e).Trials
	if control := chi(func(uint64) []Trial { return fixed }); control < 27.9 {
		t.Errorf("chi-square %.1f: the test does not see a fixed order", control)
	}
}

// TestTheBaselineAgainstItself: runs that can carry a verdict hold the baseline
// twice in every round, shorter ones and those that refuse do not, and a plan
// made before there was such a thing is still the experiment's own.
func TestTheBaselineAgainstItself(t *testing.T) {
	for protocol, want := range map[string]bool{
		"rounds: 6, ": true, "rounds: 5, ": false, "rounds: 5, aa: true, ": true, "rounds: 9, aa: false, ": false,
		"rounds: {pilot: 4, max: 8}, precision: 1%, ": true,
	} {
		text := strings.Replace(good, "rounds: {pilot: 8, max: 40}, precision: 1%, ", protocol, 1)
		e, err := Parse("aa.yaml", []byte(strings.Replace(text, "seed: 7, aa: false", "seed: 7", 1)))
		if err != nil {
			t.Fatal(err)
		}
		p := NewPlan(e)
		again := 0
		for _, trial := range p.Trials {
			if trial.Again {
				again++
			}
			if trial.Again && trial.Arm != "bare" {
				t.Errorf("%s: %+v", protocol, trial)
			}
		}
		if p.AA != want || want && again != 2*p.Rounds || !want && again > 0 || p.Check(e) != nil {
			t.Errorf("%s: A/A is %v with %d trials, check: %v", protocol, p.AA, again, p.Check(e))
		}
		old := Plan{Version: 1, Seed: p.Seed, Rounds: p.Rounds, MaxRounds: p.MaxRounds}
		old.Hash, old.Trials = old.hash(e, old.trials(e, old.MaxRounds)), old.trials(e, old.Rounds)
		if old.Check(e) != nil {
			t.Errorf("%s: an older plan is refused: %v", protocol, old.Check(e))
		}
	}
}

func TestPlanIsAFunctionOfTheFile(t *testing.T) {
	a, b := NewPlan(parsed(t)), NewPlan(parsed(t))
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
	other, err := Parse("good.yaml", []byte(strings.Replace(good, "seed: 7", "seed: 8", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if NewPlan(other).Hash == a.Hash {
		t.Error("another seed gave the same hash")
	}
	if err := a.Check(other); err == nil {
		t.Error("a plan passed for another experiment's")
	}
}

// TestExtend: more rounds change nothing of those already run, and the hash,
// fixed before the first trial, covers them.
func TestExtend(t *testing.T) {
	e := parsed(t)
	p := NewPlan(e)
	longer, err := p.Extend(e, 12, "Stein: 12 rounds for ±1 %")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.Trials, longer.Trials[:len(p.Trials)]); diff != "" {
		t.Error(diff)
	}
	if len(longer.Trials) != 48 || longer.Check(e) != nil {
		t.Errorf("%d trials, check: %v", len(longer.Trials), longer.Check(e))
	}
	for _, rounds := range []int{7, 41} {
		if _, err := p.Extend(e, rounds, ""); err == nil {
			t.Errorf("extended to %d rounds", rounds)
		}
	}
}

// TestChangedPlanIsRefused: whatever of plan.json was changed after it was fixed, the
// plan is refused, in bounded memory, and by version 1's rules too, which had no sum.
func TestChangedPlanIsRefused(t *testing.T) {
	e := parsed(t)
	fixed := NewPlan(e)
	changes := map[string]func(*Plan){
		"a trial removed":    func(p *Plan) { p.Trials = p.Trials[:len(p.Trials)-1] },
		"a round removed":    func(p *Plan) { p.Trials = p.Trials[:len(p.Trials)-4] },
		"trials emptied":     func(p *Plan) { p.Trials = nil },
		"round 99":           func(p *Plan) { p.Trials[3].Round = 99 },
		"round -1":           func(p *Plan) { p.Trials[0].Round = -1 },
		"another arm":        func(p *Plan) { p.Trials[0].Arm = "../../x" },
		"fewer rounds":       func(p *Plan) { p.Rounds-- },
		"more rounds":        func(p *Plan) { p.Rounds++ },
		"rounds -1":          func(p *Plan) { p.Rounds = -1 },
		"rounds 99":          func(p *Plan) { p.Rounds = 99 },
		"max_rounds huge":    func(p *Plan) { p.MaxRounds = 30_000_000 },
		"max_rounds -1":      func(p *Plan) { p.MaxRounds = -1 },
		"max_rounds smaller": func(p *Plan) { p.MaxRounds = p.Rounds },
		"seed":               func(p *Plan) { p.Seed++ },
		"version":            func(p *Plan) { p.Version = PlanVersion + 1 },
	}
	for name, change := range changes {
		for version := 1; version <= PlanVersion; version++ {
			p := fixed
			p.Version, p.Trials = version, append([]Trial(nil), fixed.Trials...)
			change(&p)
			if p.Check(e) == nil {
				t.Errorf("version %d: %s: the plan passed", version, name)
			}
		}
	}
	// What only the sum can show: a round with its trials, and what an extension says.
	for name, change := range map[string]func(*Plan){
		"a whole round removed": func(p *Plan) { p.Rounds--; p.Trials = p.Trials[:len(p.Trials)-4] },
		"extensions":            func(p *Plan) { p.Extensions = []string{"because"} },
		"no sum":                func(p *Plan) { p.Sum = "" },
	} {
		p := fixed
		change(&p)
		if p.Check(e) == nil {
			t.Errorf("%s: the plan passed", name)
		}
	}
}

// TestExperimentTooLargeIsRefused: what a small file asks for is counted before it is made.
// The first one would be 20 million trials, the others tables of hundreds of megabytes.
func TestExperimentTooLargeIsRefused(t *testing.T) {
	levels := func(n int) string { return strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers(n)), "[]"), " ", ", ") }
	for name, c := range map[string]struct{ load, protocol, want string }{
		"levels":   {levels(10_000), "rounds: 1000", "large.yaml:4:17: load.threads: 10000 numbers of threads are too many; at most 1000 are possible"},
		"trials":   {levels(1000), "rounds: 1000, aa: false", "large.yaml:5:20: protocol.rounds: 1000 rounds of 2000 trials are 2000000 trials; at most 500000 are possible: use fewer rounds, arms or numbers of threads"},
		"balanced": {levels(200), "rounds: 10, order: williams", "large.yaml:5:31: protocol.order: a round has 600 trials; order williams is possible for at most 300: use order: random, or fewer arms or numbers of threads"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("large.yaml", []byte(large(c.load, c.protocol)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v\nwant %s", err, c.want)
			}
		})
	}
	// A plan can ask for more than its experiment.
	e, err := Parse("large.yaml", []byte(large(levels(1000), "rounds: 5, aa: false")))
	if err != nil {
		t.Fatal(err)
	}
	p := NewPlan(e)
	if err := p.Check(e); err != nil {
		t.Fatal(err)
	}
	p.MaxRounds = MostRounds
	if err := p.Check(e); err == nil || !strings.Contains(err.Error(), "at most 500000 trials") {
		t.Errorf("a plan of 2,000,000 trials: %v", err)
	}
	e, err = Parse("large.yaml", []byte(large(levels(150), "rounds: 2, aa: false, order: williams")))
	if err != nil {
		t.Fatal(err)
	}
	p = NewPlan(e)
	if err := p.Check(e); err != nil {
		t.Fatal(err)
	}
	p.AA = true
	if err := p.Check(e); err == nil || !strings.Contains(err.Error(), "at most 300") {
		t.Errorf("a plan with 450 trials in order williams: %v", err)
	}
}

// numbers are 1 to n.
func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

func large(threads, protocol string) string {
	return "apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: large}\n" +
		"load: {threads: [" + threads + "]}\nprotocol: {" + protocol + "}\n" +
		"baseline: a\narms: {a: {target: process}, b: {target: process}}\n"
}
