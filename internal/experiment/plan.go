package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Trial is one planned measurement of one arm at one level of the load.
type Trial struct {
	Number  int    `json:"trial"` // from 1, in the order of execution
	Round   int    `json:"round"` // from 1
	Slot    int    `json:"slot"`  // position within the round, from 1
	Arm     string `json:"arm"`
	Threads int    `json:"threads"`
	// Again marks the second measurement of the baseline in its round. The
	// runner does not look at it: both are measured alike.
	Again bool `json:"again,omitempty"`
}

// Plan is the order in which an experiment is carried out. Every round holds
// every arm (at every level of the load) exactly once, in an order drawn afresh:
// the randomised complete blocks of Abedi & Brecht (ICPE 2017). A fixed order,
// or a fixed rotation, takes the machine's drift for an effect of the arms.
type Plan struct {
	Version int    `json:"version"`
	Seed    uint64 `json:"seed"`
	// Rounds is how many rounds are planned now; a pilot may extend it up to
	// MaxRounds (Stein's rule), and Extensions says when and why it did.
	Rounds int `json:"rounds"`
	// AA says that every round holds the baseline twice.
	AA         bool     `json:"aa,omitempty"`
	MaxRounds  int      `json:"max_rounds"`
	Extensions []string `json:"extensions,omitempty"`
	Trials     []Trial  `json:"trials"`
	// Protocol is how the arms of a round share its time; nil in older records: windows.
	Protocol *Interleaving `json:"protocol,omitempty"`
	// Changes are those of the protocol, in their order.
	Changes []Change `json:"changes,omitempty"`
	// LatencyRate is the rate of load.latency, in transactions per second; 0 until it is fixed.
	LatencyRate float64 `json:"latency_rate,omitempty"`
	// Hash fixes what is measured and how it will be judged before the first
	// trial: experiment, seed and the order of all rounds up to MaxRounds.
	Hash string `json:"hash"`
	// Sum covers what a run changes, which Hash cannot: rounds, extensions, the stored trials,
	// the fixed rate and changes of the protocol. Version 1 had none.
	Sum string `json:"sum,omitempty"`
}

// PlanVersion is the version of plan.json. 2 added Sum, 3 LatencyRate.
const PlanVersion = 3

// MostRounds is the largest number of rounds of an experiment.
const MostRounds = 1000

// NewPlan draws the order of an experiment from its seed. The same experiment
// gives the same plan on every machine.
func NewPlan(e *Experiment) Plan {
	p := Plan{
		Version: PlanVersion, Seed: e.Protocol.Seed,
		Rounds: e.Protocol.Rounds.Pilot, MaxRounds: e.Protocol.Rounds.Max, AA: e.Protocol.Twice(),
	}
	p.Hash = p.hash(e, p.trials(e, p.MaxRounds))
	p.Trials = p.trials(e, p.Rounds)
	p.Sum = p.sum()
	return p
}

// Extend is the plan with more rounds, up to the maximum. The order of the new
// rounds was fixed with the plan.
func (p Plan) Extend(e *Experiment, rounds int, why string) (Plan, error) {
	if rounds < p.Rounds || rounds > p.MaxRounds {
		return p, fmt.Errorf("extend plan: %d rounds are not between the planned %d and the maximum %d", rounds, p.Rounds, p.MaxRounds)
	}
	p.Rounds = rounds
	p.Trials = p.trials(e, rounds)
	p.Extensions = append(append([]string(nil), p.Extensions...), why)
	p.Version, p.Sum = PlanVersion, p.sum()
	return p, nil
}

// Check reports an error when the plan is not the experiment's own: one of the
// two files was changed after the plan was fixed. A plan that passes has exactly the
// trials that its number of rounds demands, so that a reader can index by round.
func (p Plan) Check(e *Experiment) error {
	if p.Version < 1 || p.Version > PlanVersion {
		return fmt.Errorf("check plan: version %d is not supported (this tare reads versions up to %d)", p.Version, PlanVersion)
	}
	// Before the order is drawn again: a number that was changed must not cost memory.
	if p.MaxRounds < 1 || p.MaxRounds > MostRounds {
		return fmt.Errorf("check plan: plan.json was changed: max_rounds is %d; 1 to %d are possible", p.MaxRounds, MostRounds)
	}
	if p.Rounds < 1 || p.Rounds > p.MaxRounds {
		return fmt.Errorf("check plan: plan.json was changed: rounds is %d; 1 to %d (max_rounds) are possible", p.Rounds, p.MaxRounds)
	}
	if err := p.bounded(e); err != nil {
		return err
	}
	all := p.trials(e, p.MaxRounds)
	if err := errors.Join(p.Protocol.check(), p.checkChanges(), p.checkRate(e)); err != nil {
		return err
	}
	if want := p.hash(e, all); p.Hash != want || p.Seed != e.Protocol.Seed {
		return fmt.Errorf("check plan: %s and plan.json do not belong together (hash %.12s, expected %.12s)", e.files(), p.Hash, want)
	}
	if err := p.checkTrials(all[:len(all)/p.MaxRounds*p.Rounds]); err != nil {
		return err
	}
	if p.Version > 1 && p.Sum != p.sum() {
		return fmt.Errorf("check plan: plan.json was changed: the checksum of its rounds, extensions and trials does not match (sum %.12s, expected %.12s)", p.Sum, p.sum())
	}
	return nil
}

// files are the names of those files of a run that say what is measured.
func (e *Experiment) files() string {
	if e.WorkloadFile != nil {
		return "experiment.yaml, workload.yaml"
	}
	if e.Script != nil {
		return "experiment.yaml, workload.lua"
	}
	return "experiment.yaml"
}

// checkTrials compares the stored trials with those that the seed gives.
func (p Plan) checkTrials(want []Trial) error {
	if len(p.Trials) != len(want) {
		return fmt.Errorf("check plan: plan.json was changed: it holds %d trials; %d rounds have %d", len(p.Trials), p.Rounds, len(want))
	}
	for i, t := range p.Trials {
		if t != want[i] {
			return fmt.Errorf("check plan: plan.json was changed: trial %d is not the one that the seed gives", i+1)
		}
	}
	return nil
}

func (p Plan) trials(e *Experiment, rounds int) []Trial {
	var all []Trial
	for round := 1; round <= rounds; round++ {
		var cells []Trial
		for _, arm := range e.Arms {
			for _, threads := range e.Load.Threads {
				cells = append(cells, Trial{Round: round, Arm: arm.Name, Threads: threads})
			}
		}
		if p.AA {
			for _, threads := range e.Load.Threads {
				cells = append(cells, Trial{Round: round, Arm: e.Baseline, Threads: threads, Again: true})
			}
		}
		cells = inOrder(cells, e.Protocol, round)
		for i := range cells {
			cells[i].Slot, cells[i].Number = i+1, len(all)+1
			all = append(all, cells[i])
		}
	}
	return all
}

// inOrder draws the order of a round. It does not depend on how many rounds there
// are: each round, and each set of Williams', has a generator of its own.
func inOrder(cells []Trial, p Protocol, round int) []Trial {
	if p.Order != Balanced {
		rng := rand.New(rand.NewPCG(p.Seed, uint64(round)))
		rng.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		return cells
	}
	set := williams(len(cells))
	number, within := (round-1)/len(set), (round-1)%len(set)
	rng := rand.New(rand.NewPCG(p.Seed, 1<<32+uint64(number)))
	names, orders := rng.Perm(len(cells)), rng.Perm(len(set))
	out := make([]Trial, len(cells))
	for slot, k := range set[orders[within]] {
		out[slot] = cells[names[k]]
	}
	return out
}

// hash is over the experiment, its workload file or script, the order of all rounds and the protocol.
func (p Plan) hash(e *Experiment, all []Trial) string {
	head := e.Source
	if e.WorkloadFile != nil {
		// Between the two a byte that is in no YAML file: where one ends is part of the hash.
		head = slices.Concat(head, []byte{0}, e.WorkloadFile.Text)
	}
	if e.Script != nil {
		head = slices.Concat(head, []byte{0}, e.Script.Text)
	}
	if p.Protocol == nil {
		return hashOf(head, all)
	}
	return hashOf(head, struct {
		Trials   []Trial
		Protocol *Interleaving
	}{all, p.Protocol})
}

// sum is the checksum of what an extension, a change of the protocol and the fixed rate change.
func (p Plan) sum() string {
	return hashOf([]byte(p.Hash), struct {
		Rounds     int
		Extensions []string
		Trials     []Trial
		Changes    []Change `json:",omitempty"`
		Rate       float64  `json:",omitempty"`
	}{p.Rounds, append([]string{}, p.Extensions...), p.Trials, p.Changes, p.LatencyRate})
}

func hashOf(head []byte, v any) string {
	h := sha256.New()
	h.Write(head)
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // integers and strings always encode
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}
