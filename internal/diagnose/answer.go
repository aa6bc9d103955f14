package diagnose

// This file finds the arms of a run that are a remedy of another arm: whoever measured both need not
// measure the remedy once more.

import (
	"slices"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// Answer is an arm that differs from another only in what the remedy of a cause changes.
type Answer struct {
	To, Arm string
	Threads int
	// Rules are those whose remedy it is, of causes that the counters of To confirm; none where what a neighbour
	// takes from To says alone that there is something to remedy.
	Rules []string
	// Settings is the merge patch (RFC 7386) that makes the settings of Arm of those of To, as YAML.
	Settings string
	Change   compare.Change95 // of throughput, from To to Arm
	Decision compare.Decision
	// Alone is To without its neighbour, and Keeps the change of throughput from it to Arm. Twin is Arm without its
	// neighbour, and Own the change from Alone to Twin: what the remedy costs where there is no neighbour. Nil where
	// the run does not tell.
	Alone, Twin string
	Keeps, Own  *compare.Change95
}

// prescription is what a fix asks of an arm where any size will do, such as a CPU request: an arm with another size
// than Finding.Change is the remedy, too.
type prescription struct {
	fields []string                    // settings that the fix may change; those within another have a dot
	met    func(a experiment.Arm) bool // the arm has what the fix asks for; nil where counters that exclude the condition say so
}

// cpuRequest is the remedy of a server that loses the CPU to neighbours: a pod with a CPU request, of either class.
func cpuRequest() prescription {
	return prescription{fields: []string{"qos", "cpu", "cpuRequest", "memory", "memoryRequest", "shape"}, met: requestsCPU}
}

// requestsCPU: a limit without a request is the request as well.
func requestsCPU(a experiment.Arm) bool { return a.Has("cpuRequest") || a.Has("cpu") || a.Has("shape") }

// Answers are the arms of a run that are remedies of others: first those of the causes among the findings of
// Run, in their order. A comparison that something forbids has none.
func Answers(run *record.Run, res *compare.Result, findings []Finding) (all []Answer) {
	add := func(to experiment.Arm, arm string, threads int, rule string) {
		i := slices.IndexFunc(all, func(a Answer) bool { return a.To == to.Name && a.Arm == arm && a.Threads == threads })
		if i < 0 {
			with, _ := run.Experiment.Arm(arm)
			i, all = len(all), append(all, Answer{To: to.Name, Arm: arm, Threads: threads, Settings: to.ChangeTo(with)})
		}
		if rule != "" && !slices.Contains(all[i].Rules, rule) {
			all[i].Rules = append(all[i].Rules, rule)
		}
	}
	if run.Experiment == nil {
		return nil
	}
	says := saidOf(findings)
	for _, f := range findings {
		to, ok := run.Experiment.Arm(f.Subject)
		if f.Verdict != Confirmed || !ok {
			continue
		}
		for _, a := range run.Experiment.Arms {
			if a.Name != f.Subject && f.remediedBy(to, a, says[ruleArm{f.Rule, a.Name}]) {
				add(to, a.Name, f.Threads, f.Rule)
			}
		}
	}
	for _, n := range res.Neighbours {
		to, ok := run.Experiment.Arm(n.Arm)
		if !ok || n.Taken == nil || n.Taken.Verdict != compare.Costs || requestsCPU(to) {
			continue
		}
		for _, a := range run.Experiment.Arms {
			if a.Name != n.Arm && cpuRequest().metBy(to, a) {
				add(to, a.Name, n.Threads, "")
			}
		}
	}
	return withChanges(run, res, all)
}

// ruleArm is a rule and an arm.
type ruleArm struct{ rule, arm string }

// saidOf is what rules say of the arms: Confirmed where the counters show the condition at any level of the load.
func saidOf(findings []Finding) map[ruleArm]Verdict {
	says := map[ruleArm]Verdict{}
	for _, f := range findings {
		if key := (ruleArm{f.Rule, f.Subject}); says[key] != Confirmed {
			says[key] = f.Verdict
		}
	}
	return says
}

// remediedBy says that an arm, of which the rule says so much, is the finding's arm with the change, or with what the
// fix prescribes.
func (f Finding) remediedBy(to, arm experiment.Arm, says Verdict) bool {
	p := f.prescribed
	if says == Confirmed {
		return false
	}
	if p != nil && (p.met != nil || says == RuledOut) && p.metBy(to, arm) {
		return true
	}
	if f.Change == "" {
		return false
	}
	settings, err := to.Laid(f.Change)
	return err == nil && arm.Same(settings) // an error: a change that the arm cannot have
}

func (p prescription) metBy(to, arm experiment.Arm) bool {
	return (p.met == nil || p.met(arm)) && to.SameBut(arm, p.fields)
}

// withChanges adds what the run says of the answers, and leaves out those of which it says nothing.
func withChanges(run *record.Run, res *compare.Result, all []Answer) (known []Answer) {
	var asked []compare.ArmPair
	between := func(from, to string, threads int) compare.ArmPair {
		b := compare.ArmPair{From: from, To: to, Threads: threads}
		if from != "" && to != "" {
			asked = append(asked, b)
		}
		return b
	}
	type three struct{ change, keeps, own compare.ArmPair }
	changes := make([]three, len(all))
	for i := range all {
		a := &all[i]
		a.Alone, a.Twin = aloneOf(res, a.To, a.Threads), aloneOf(res, a.Arm, a.Threads)
		changes[i] = three{between(a.To, a.Arm, a.Threads), between(a.Alone, a.Arm, a.Threads), between(a.Alone, a.Twin, a.Threads)}
	}
	measured := compare.ChangesBetween(run, res, asked)
	for i, a := range all {
		c := measured[changes[i].change]
		if c == nil {
			continue
		}
		a.Change, a.Decision = *c, decided(*c)
		a.Keeps, a.Own = measured[changes[i].keeps], measured[changes[i].own]
		known = append(known, a)
	}
	return known
}

// aloneOf is the arm that has all of another but its neighbour; "" without one.
func aloneOf(res *compare.Result, arm string, threads int) string {
	for _, n := range res.Neighbours {
		if n.Arm == arm && n.Threads == threads {
			return n.Alone
		}
	}
	return ""
}

// decided is what becomes of a remedy, as with those that an experiment names: see compare.Decision.
func decided(c compare.Change95) compare.Decision {
	switch {
	case c.Rounds < compare.EnoughRounds(c.Family):
		return compare.Undecided
	case c.Verdict == compare.Gains:
		return compare.Kept
	case c.Verdict == compare.Inconclusive:
		return compare.Undecided
	}
	return compare.Rejected
}
