package compare

import (
	"math"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Void is a trial that an external factor disturbed, and what
// became of its round. Throttling, OOM kills, SQL errors and changes of level are
// outcomes of the arm and never void a trial: that would censor the very arm that
// is under suspicion.
type Void struct {
	record.Cause
	Disposition Disposition
}

// Disposition is what became of a void round.
type Disposition string

const (
	// RunAgain: the round was set aside and measured again.
	RunAgain Disposition = "run-again"
	// Counted: the round stands. The budget is spent, or the gates are off or under
	// suspicion. To leave it out was rejected: the order is random, so that disturbed
	// rounds widen the interval and bend nothing, whereas without them a comparison
	// shrinks to what a shared machine happens to leave, seen as few as 2 rounds of 6.
	Counted Disposition = "counted"
)

// Gates compare a trial with the run's median: what is so all the time is the
// machine as it is, hits all arms alike, and belongs to the scope of the result.
const (
	stealLimit   = 0.01 // share of the machine's CPU time
	foreignLimit = 0.02
	suspicion    = 0.01 // chance below which one arm has too many of the voids
)

// gate is a condition on a trial.
type gate struct {
	name string
	// of is what was seen of every trial that the gate stops, by number.
	of func(*record.Run) map[int]record.Sign
}

func gates() []gate {
	return []gate{
		{"client", clientGate},
		{"steal", shareGate(keys.GateStealS, stealLimit)},
		{"foreign", shareGate(keys.GateForeignS, foreignLimit)},
		{"thermal", thermalGate},
		{"sentinel", sentinelGate},
	}
}

// gatesOf are those that apply to a run. What disturbs the machine from outside meets all
// arms of a round of slices alike, in the same cycles, and biases nothing; a client that
// cannot keep up with one arm does.
func gatesOf(r *record.Run) []gate {
	if r.Plan.Sliced() {
		return gates()[:1]
	}
	return gates()
}

// Gates are the names of all gates, in the order in which they are told of.
func Gates() []string {
	var names []string
	for _, g := range gates() {
		names = append(names, g.name)
	}
	return names
}

// causes are the trials on record that a gate stops.
func causes(r *record.Run) []record.Cause {
	if r.Imported != nil {
		return nil
	}
	var all []record.Cause
	for _, g := range gatesOf(r) {
		stopped := g.of(r)
		for _, t := range r.Trials {
			if why, ok := stopped[t.Header.Trial]; ok && kind(t) != incomplete && kind(t) != failed {
				h := t.Header
				all = append(all, record.Cause{Trial: h.Trial, Round: h.Round, Arm: h.Arm, Threads: h.Threads, Gate: g.name, Sign: why})
			}
		}
	}
	return all
}

func clientGate(r *record.Run) map[int]record.Sign {
	found := map[int]record.Sign{}
	for _, t := range r.Trials {
		if fault := loadFault(t); fault != "" {
			found[t.Header.Trial] = record.Sign{Detail: fault}
		} else if t.AtRate != nil && heldAtRate(t.AtRate) {
			found[t.Header.Trial] = record.Sign{Detail: heldUpAtRate(t.AtRate)}
		}
	}
	return found
}

func sentinelGate(r *record.Run) map[int]record.Sign {
	found := map[int]record.Sign{}
	for trial := range slowMachine(r) {
		found[trial] = record.Sign{}
	}
	return found
}

// shareGate stops trials in which a counter took more of the machine's CPU time
// than its median over the run and a limit.
func shareGate(key string, limit float64) func(*record.Run) map[int]record.Sign {
	return func(r *record.Run) map[int]record.Sign {
		return above(shares(r, key), limit)
	}
}

// shares are what a counter took of the machine's CPU time, by the number of the trial.
func shares(r *record.Run, key string) map[int]float64 {
	all := map[int]float64{}
	for _, t := range r.Trials {
		machine, of := t.Change(keys.GateMachineS), t.Change(key)
		if t.Gated() && machine > 0 && !math.IsNaN(of) {
			all[t.Header.Trial] = of / machine
		}
	}
	return all
}

func thermalGate(r *record.Run) map[int]record.Sign {
	events := map[int]float64{}
	for _, t := range r.Trials {
		if v := t.Change(keys.GateThermalEvents); t.Gated() && !math.IsNaN(v) {
			events[t.Header.Trial] = v
		}
	}
	return above(events, 0)
}

// above is what was seen of the trials that exceed the median by more than a limit.
func above(byTrial map[int]float64, limit float64) map[int]record.Sign {
	var all []float64
	for _, v := range byTrial {
		all = append(all, v)
	}
	middle, found := stats.Median(all), map[int]record.Sign{}
	for trial, v := range byTrial {
		if v-middle > limit {
			found[trial] = record.Sign{Seen: v, Median: middle}
		}
	}
	return found
}

// voids are all void trials with their disposition: those of rounds set aside first.
func voids(r *record.Run) []Void {
	var all []Void
	for _, v := range r.Voids {
		for _, c := range v.Causes {
			all = append(all, Void{c, RunAgain})
		}
	}
	for _, c := range causes(r) {
		all = append(all, Void{c, Counted})
	}
	return all
}

// hits are the void trials of each arm: by the attempt, 0 for the one that counts, and by
// the trial, once however many gates saw it.
func hits(r *record.Run) map[string]map[[2]int]bool {
	all := map[string]map[[2]int]bool{}
	count := func(c record.Cause, attempt int) {
		if all[c.Arm] == nil {
			all[c.Arm] = map[[2]int]bool{}
		}
		all[c.Arm][[2]int{attempt, c.Trial}] = true
	}
	for i, v := range r.Voids {
		for _, c := range v.Causes {
			count(c, i+1)
		}
	}
	for _, c := range causes(r) {
		count(c, 0)
	}
	return all
}

// Suspect names the arm that has more of the void trials than chance gives it, ""
// for none: then a gate sees what the arm does, which is a finding and no reason to
// clean (docs/method.md).
func Suspect(r *record.Run) string {
	if r.Imported != nil {
		return ""
	}
	trials, hits := map[string]int{}, hits(r)
	for _, t := range r.Plan.Trials {
		trials[t.Arm]++
	}
	all := 0
	for _, h := range hits {
		all += len(h)
	}
	for _, arm := range r.Experiment.Arms {
		n := len(hits[arm.Name])
		if n > 0 && stats.AtLeast(n, all, float64(trials[arm.Name])/float64(len(r.Plan.Trials))) < suspicion {
			return arm.Name
		}
	}
	return ""
}

// ToRepeat are the void rounds of a finished plan that the budget still allows,
// in their order.
func ToRepeat(r *record.Run) []record.Void {
	budget := r.Experiment.Protocol.Reruns() - len(r.Voids)
	if budget <= 0 || Suspect(r) != "" {
		return nil
	}
	all := Disturbed(r)
	return all[:min(len(all), budget)]
}

// Disturbed are the rounds on record that an external factor disturbed, in their order, whether they
// will be run again or are counted.
func Disturbed(r *record.Run) []record.Void {
	byRound := map[int]*record.Void{}
	for _, c := range causes(r) {
		if byRound[c.Round] == nil {
			byRound[c.Round] = &record.Void{Round: c.Round}
		}
		byRound[c.Round].Causes = append(byRound[c.Round].Causes, c)
	}
	var all []record.Void
	for round := 1; round <= r.Plan.Rounds; round++ {
		if v := byRound[round]; v != nil {
			all = append(all, *v)
		}
	}
	return all
}
