package diagnose

// This file is the engine over a run: every rule that reads counters, on every
// arm at every level of the load.

import (
	"fmt"
	"slices"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/record"
)

// Observed is what a run saw of one arm at one level of the load.
type Observed struct {
	Arm  *compare.Arm
	Spec experiment.Arm
	// Base is the baseline at the same load; nil for the baseline itself.
	Base *compare.Arm
}

// Run says of each arm of a run what its counters show. Files say nothing of an
// imported run's arms, and neither does this.
func Run(run *record.Run, res *compare.Result, rules []Rule) []Finding {
	var all []Finding
	if run.Experiment == nil {
		return nil
	}
	for i := range res.Arms {
		arm := &res.Arms[i]
		spec, _ := run.Experiment.Arm(arm.Name)
		for _, r := range rules {
			if r.Run != nil && !(r.Written && isLive(arm)) && !(r.Watched && !isLive(arm)) {
				all = append(all, observe(r, &Observed{Arm: arm, Spec: spec, Base: baseOf(res, arm)})...)
			}
		}
	}
	judge(all, res, Answers(run, res, all))
	return all
}

func baseOf(res *compare.Result, arm *compare.Arm) *compare.Arm {
	for i := range res.Arms {
		if b := &res.Arms[i]; b.Baseline && !arm.Baseline && b.Threads == arm.Threads {
			return b
		}
	}
	return nil
}

// observe is one rule on one arm. A rule that crashes is unknown, as with files.
func observe(rule Rule, o *Observed) (all []Finding) {
	defer func() {
		if crash := recover(); crash != nil {
			all = list(unknown("the rule crashed: %v", crash))
		}
		for i := range all {
			all[i] = all[i].because(rule, o.Arm).inUnitOf(o.Arm)
			f := &all[i]
			f.Rule, f.Title, f.Subject, f.Threads = rule.ID, rule.Title, o.Arm.Name, o.Arm.Threads
			if f.Severity == "" {
				f.Severity = rule.Severity
			}
			if f.Verdict == Confirmed {
				f.Counters = rule.Counters
			}
		}
	}()
	all = rule.Run(o)
	if len(all) == 0 && isLive(o.Arm) { // tare did not start it
		return list(lacking(o.Arm))
	}
	return all
}

// lacking is what a rule that says nothing of a watched server has not got.
func lacking(arm *compare.Arm) Finding {
	if _, ok := rate(arm, keys.ServerCPUUserNS); !ok {
		return unknown("needs the kernel's counters of the server's process: watch it on its machine, as root or as the server's user, with --pid N where the process is not found")
	}
	return unknown("needs the settings that the server was started with, which only tare run knows")
}

// inUnitOf says statements where a watched server counts those, as the head of its report does.
func (f Finding) inUnitOf(arm *compare.Arm) Finding {
	if unit, ok := fact(arm, keys.WatchedUnit); !ok || unit != "statement" || f.ofTransactions {
		return f
	}
	f.Phrases = slices.Clone(f.Phrases)
	for i, p := range f.Phrases {
		f.Phrases[i] = p.ofStatement()
	}
	f.Says = Say(f.Phrases, "en")
	return f
}

// withoutBaseline is what a rule that compares two servers says where there is one.
func withoutBaseline(o *Observed) []Finding {
	if isLive(o.Arm) {
		return list(unknown("this rule compares a server with another one, and only one server is watched here; to measure two servers: tare versus A B"))
	}
	return nil
}

// isLive says that the server was watched while another program loaded it.
func isLive(arm *compare.Arm) bool {
	live, _ := fact(arm, keys.WatchedLive)
	return live == "true"
}

// seen is a cause that the counters show; ruledOut one that they exclude.
func seen(format string, args ...any) Finding {
	return found(Confirmed, manifest.Spot{}, format, args...)
}

func ruledOut(format string, args ...any) Finding {
	return found(RuledOut, manifest.Spot{}, format, args...)
}

// is decides a finding whose text came first.
func (f Finding) is(v Verdict) Finding {
	f.Verdict = v
	return f
}

// and adds to what a finding says.
func (f Finding) and(format string, args ...any) Finding {
	f.Says += fmt.Sprintf(format, args...)
	f.Phrases = append(slices.Clip(f.Phrases), phrase(format, args...))
	return f
}
