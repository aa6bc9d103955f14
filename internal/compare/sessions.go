package compare

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Sessions is two runs compared: every arm that both have, the later against the
// earlier. The trials of two sessions were not drawn into common rounds, so they
// are independent samples, and whatever else changed between the sessions is in
// the difference as well.
type Sessions struct {
	Margin    float64 // of the earlier run
	Contrasts []Contrast
	// Throughputs are the means of both runs, in the order of the contrasts.
	Throughputs []Throughputs
	// Tails are p95 and p99 of each contrast, in the same order; empty where they were not measured, and in a run whose
	// result is not to be looked at yet.
	Tails [][]SessionTail
	// Changed are the facts that each run holds still and that differ between them.
	Changed []Change
	// Others is what others used of the machines of both runs, where it limits the conclusions; else it is among the warnings.
	Others   []Reason
	Warnings []Reason

	others inRuns
}

// Throughputs are the means of the throughput of an arm's trials in the earlier and in the later run; NaN where it
// was not measured, and in a run whose result is not to be looked at yet.
type Throughputs struct{ Before, After float64 }

// Change is a fact of the earlier and of the later run; "" where one has it not.
type Change struct{ Key, Before, After string }

// Between compares two runs. Arms are matched by name and level of the load; an
// error says that there is none to match. Where others used mostOthers of a machine or more, there is no verdict; 0 is the
// usual limit, whatever the runs declared.
func Between(before, after *record.Run, mostOthers float64) (*Sessions, error) {
	first, second := outline(before), outline(after)
	s := &Sessions{Margin: first.Margin, Changed: changed(before, after), others: othersBetween(before, after, mostOthers)}
	var shared [][2]*Arm
	for i := range second.Arms {
		arm := &second.Arms[i]
		if base := (comparison{res: first}).arm(arm.Name, arm.Threads); base != nil {
			shared = append(shared, [2]*Arm{base, arm})
		}
	}
	s.Warnings = alone(first, second)
	shared, pooled := poolServers(before, after, shared)
	if len(shared) == 0 {
		err := fmt.Errorf("compare runs: no arm of one is in the other with as many threads (%s; %s)", armNames(first), armNames(second))
		if before.Imported != nil && after.Imported != nil {
			err = fmt.Errorf("%w; to compare logs of different arms, import them as one run: tare import before=LOG after=LOG", err)
		}
		return nil, err
	}
	for _, pair := range shared {
		c := s.contrast(pair[0], pair[1], len(shared))
		if first.Sealed || second.Sealed {
			c = c.bare(Sealed, reason("run-not-finished"), reason("early-look"))
			c.ArmLevel, c.BaselineLevel = math.NaN(), math.NaN()
		} else if why := notAlike(before, after, pair[0], pair[1]); why != nil {
			c = c.bare(Invalid, *why)
		} else if why := onNodesOfRuns([2]*record.Run{before, after}, pair[0], pair[1]); why != nil {
			c = c.bare(Invalid, *why, reason("name-node-of-runs"))
		} else {
			c = c.onBusyMachines(s.others)
		}
		c.thin = thinTails([2]*record.Run{before, after}, pair)
		s.Contrasts = append(s.Contrasts, c)
		s.Throughputs = append(s.Throughputs, throughputsOf(c, pair[0], pair[1]))
		s.Tails = append(s.Tails, s.tails(c, pair, len(shared), first.LatencyRate == second.LatencyRate))
	}
	s.movedNodes(shared)
	s.Warnings = append(s.Warnings, reason("two-sessions"), reason("one-run-each"))
	s.Warnings = append(s.Warnings, pooled...)
	if said, warns := s.others.used(before, after); warns {
		s.Others = said
	} else {
		s.Warnings = append(s.Warnings, said...)
	}
	return s, nil
}

// throughputsOf is the throughput of both runs, where it may be looked at.
func throughputsOf(c Contrast, before, after *Arm) Throughputs {
	if c.Verdict == Sealed {
		return Throughputs{math.NaN(), math.NaN()}
	}
	return Throughputs{before.Mean, after.Mean}
}

// alone names the arms of each run that the other has not: nothing of them is compared.
func alone(before, after *Result) (said []Reason) {
	for i, runs := range [][2]*Result{{before, after}, {after, before}} {
		var arms []Reason
		for _, a := range runs[0].Arms {
			if (comparison{res: runs[1]}).arm(a.Name, a.Threads) == nil {
				arms = append(arms, reason("arm-at").name("arm", a.Name).count("threads", a.Threads))
			}
		}
		if len(arms) > 0 {
			said = append(said, reason("arms-of-one-run").part("run", reason([]string{"earlier-run", "later-run"}[i])).part("arms", arms...))
		}
	}
	return said
}

func armNames(r *Result) string {
	var names []string
	for _, a := range r.Arms {
		if n := fmt.Sprintf("%s at %d threads", a.Name, a.Threads); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ")
}

// bare is a contrast without figures.
func (c Contrast) bare(v Verdict, reasons ...Reason) Contrast {
	c.Effect, c.Interval95, c.Interval90, c.Kind, c.PastMargin = math.NaN(), nil, nil, "", ""
	return c.say(v, reasons...)
}

// contrast is Welch's, as for imported trials, with what forbids it.
func (s *Sessions) contrast(base, arm *Arm, family int) Contrast {
	c := Contrast{
		Arm: arm.Name, Baseline: base.Name, Threads: arm.Threads, FamilyName: FamilyRuns, Family: family, SignFlipP: math.NaN(), Effect: math.NaN(),
		Rounds: min(len(logs(arm)), len(logs(base))),
	}
	c.levels(logs(base), logs(arm))
	for _, forbids := range []func(*Contrast, *Arm, Reason) bool{withoutTrials, withoutNumbers, withoutSomeNumbers, saturated} {
		for i, a := range []*Arm{base, arm} {
			if forbids(&c, a, reason([]string{"earlier-run", "later-run"}[i])) {
				return c
			}
		}
	}
	x, y := logs(base), logs(arm)
	wider, depends := [2]float64{1, 1}, []Reason(nil)
	for i, of := range [][]float64{x, y} {
		if base.stopping.imported || arm.stopping.imported {
			break // their order is not known
		}
		if serial := ofRun(of, error95/float64(family)); serial != nil && serial.P <= serialLevel {
			wider[i] = serial.Factor
			depends = append(depends, reason(runDepends).part("run", reason([]string{"earlier-run", "later-run"}[i])).num("rho", serial.Rho).num("p", serial.P).num("factor", serial.Factor))
		}
	}
	e := welchWider(x, y, family, wider[0], wider[1])
	c.Effect, c.Kind = stats.Percent(e.mean), e.kind
	c.Exploratory = c.Rounds < Enough(c.Kind, family)
	if !e.haveInterval {
		return c.say(Inconclusive, reason("rounds-of-runs").count("before", len(logs(base))).count("after", len(logs(arm))), reason("two-rounds-of-runs"))
	}
	if !e.in95.useful() {
		c.Kind = ""
		return c.say(Inconclusive, notDetermined(c.Rounds, true, e.in95))
	}
	in95, in90, margin := e.in95.percent(), e.in90.percent(), 100*s.Margin
	c.Interval95, c.Interval90 = &in95, &in90
	v := c.verdict(margin)
	c.PastMargin = pastMargin(v, in95, margin)
	return c.say(v, append(append(because(v, c, margin, false), reason("independent-samples")), depends...)...)
}

// withoutTrials is an arm of which one of the runs has nothing but failures.
func withoutTrials(c *Contrast, a *Arm, run Reason) bool {
	n := a.count(failed)
	if n == 0 || n < len(a.Trials) {
		return false
	}
	*c = c.say(Failed, reason("in-run").part("run", run).part("what", reason("all-failed").count("n", n).name("arm", a.Name).part("why", firstSaid(a, failed)...)))
	return true
}

// withoutNumbers is an arm whose trials had results in one of the runs, and no number.
func withoutNumbers(c *Contrast, a *Arm, run Reason) bool {
	if a.count(measured) > 0 || a.count(numberless) == 0 {
		return false
	}
	*c = c.say(NotMeasured, a.withoutIn(run))
	return true
}

// withoutSomeNumbers is an arm of which some trials have none. An interval over the others would be that of the trials in
// which it was well.
func withoutSomeNumbers(c *Contrast, a *Arm, run Reason) bool {
	if a.count(numberless) == 0 {
		return false
	}
	*c = c.say(Inconclusive, a.withoutIn(run), reason(roundsBiased))
	return true
}

func (a *Arm) withoutIn(run Reason) Reason {
	return reason("in-run").part("run", run).part("what", a.without(a.count(numberless), false).part("why", firstSaid(a, numberless)...))
}

// saturated is an arm whose load generator could not keep up in one of the runs.
func saturated(c *Contrast, a *Arm, run Reason) bool {
	for _, t := range a.numbers() {
		if loadFault(t) != "" {
			*c = c.say(Invalid, reason("client-saturated-in-run").part("run", run).part("why", reason("client-in-trial").count("trial", t.Header.Trial).part("why", clientFault(t))))
			return true
		}
	}
	return false
}

// notAlike is what forbids comparing an arm of two runs: other data, load or windows, or what only logs show.
func notAlike(before, after *record.Run, base, arm *Arm) *Reason {
	return cmp.Or(otherLoad(before, after), otherImport(before, after, base, arm))
}

// workloadFile stands for the workload file. No field of an experiment names it, so a reason does.
const workloadFile = ""

// otherLoad names the first thing of data, load and windows that differs.
func otherLoad(a, b *record.Run) *Reason {
	if a.Experiment == nil || b.Experiment == nil {
		return nil
	}
	x, y := a.Experiment, b.Experiment
	for _, d := range []struct {
		name          string
		before, after any
	}{
		{"data.tables", x.Data.Tables, y.Data.Tables}, {"data.rows", x.Data.Rows, y.Data.Rows}, {"data.scale", x.Data.Scale, y.Data.Scale},
		{"data.from", ownData(x), ownData(y)}, {"data.schema", x.Data.Schema, y.Data.Schema},
		{"load.workload", x.Load.Name(), y.Load.Name()}, {workloadFile, fileSum(x), fileSum(y)},
		{"load.engine", x.Load.Engine, y.Load.Engine},
		{"load.rate", x.Load.Rate, y.Load.Rate}, {"load.limit", x.Load.Limit, y.Load.Limit}, {"load.reconnect.delay", x.Load.Reconnect.Delay, y.Load.Reconnect.Delay}, {"load.find", search(x), search(y)},
		{"load.options", fmt.Sprint(x.Load.Options), fmt.Sprint(y.Load.Options)},
		{"protocol.kind", kindOf(a), kindOf(b)},
		{"protocol.warmup", x.Protocol.Warmup.String(), y.Protocol.Warmup.String()},
		{"protocol.measure", x.Protocol.Measure.String(), y.Protocol.Measure.String()},
		{"protocol.slice", turn(a), turn(b)}, {"protocol.leadIn", leadIn(x), leadIn(y)}, {"protocol.freeze", frozen(a), frozen(b)},
	} {
		if d.before != d.after {
			r := reason("runs-not-alike").name("before", fmt.Sprint(d.before)).name("after", fmt.Sprint(d.after))
			if d.name == workloadFile {
				r = r.part("key", reason("workload-file"))
			} else {
				r = r.name("key", d.name)
			}
			return &r
		}
	}
	return nil
}

// changed compares what was the same in all trials of a run with the same of the
// other: another server, kernel or machine. How each arm is run is in its name.
func changed(before, after *record.Run) []Change {
	x, y := still(before), still(after)
	var all []Change
	for key, v := range x {
		if w, ok := y[key]; ok && v != w {
			all = append(all, Change{key, v, w})
		}
	}
	slices.SortFunc(all, func(a, b Change) int { return strings.Compare(a.Key, b.Key) })
	return all
}

// still are the facts with one value in all trials that have them, at their end too where they are read twice. What is
// read at the end only is how a trial went. The nodes of pods are told by arm.
func still(r *record.Run) map[string]string {
	values, moving, before := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, t := range r.Trials {
		for _, f := range t.Facts {
			v, seen := values[f.Key]
			moving[f.Key] = moving[f.Key] || f.Unknown != "" || seen && v != f.Value
			before[f.Key] = before[f.Key] || f.Phase != "end"
			values[f.Key] = f.Value
		}
	}
	for key := range moving {
		if moving[key] || !before[key] || key == keys.PodNode || perStartKey(key) || isCgroup(key) {
			delete(values, key)
		}
	}
	return values
}

// ownData names where data of the user's come from; "" where the workload makes them.
func ownData(e *experiment.Experiment) string {
	switch d := e.Data.From; {
	case d == nil:
		return ""
	case d.Clone != nil:
		return fmt.Sprintf("%s:%d", d.Clone.Host, d.Clone.Port)
	default:
		return d.Directory + d.Dump // one of the two
	}
}

// search names the condition of a search for the capacity; "" without one.
func search(e *experiment.Experiment) string {
	if e.Load.Find == nil {
		return ""
	}
	return fmt.Sprintf("p%v: %s", e.Load.Find.Percentile, e.Load.Find.Limit)
}

// kindOf is the protocol that a run had, whatever its experiment asked for.
func kindOf(r *record.Run) string {
	if r.Plan.Sliced() {
		return experiment.KindSlices
	}
	return experiment.KindWindows
}

// turn is the counted part of a turn, 0 by windows.
func turn(r *record.Run) time.Duration {
	if !r.Plan.Sliced() {
		return 0
	}
	return r.Plan.Current().Slices.Slice
}

// leadIn is what the experiment asks for; "" where tare computes it from the layers of all arms: it is
// then as long as they need, and longer makes no difference.
func leadIn(e *experiment.Experiment) string {
	if e.Protocol.LeadIn == nil {
		return ""
	}
	return e.Protocol.LeadIn.String()
}

// frozen says whether servers stand still between their turns; so do those of windows, of which one runs at a time.
func frozen(r *record.Run) bool { return !r.Plan.Sliced() || !r.Plan.Current().Slices.Idle }

// fileSum is the beginning of the SHA-256 sum of an experiment's workload file or script.
func fileSum(e *experiment.Experiment) string {
	text := cmp.Or(e.WorkloadFile, e.Script)
	if text == nil {
		return ""
	}
	sum := sha256.Sum256(text.Text)
	return hex.EncodeToString(sum[:6])
}
