package main

// This file chooses the protocol of a run: slices where engine, targets, memory and disk
// allow them, windows elsewhere and where the experiment asks for them (docs/slices.md).

import (
	"cmp"
	"fmt"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/layer"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/runner"
)

// choosePlan draws the plan, with the protocol that fits. A protocol that the file asks
// for and that is not possible is a problem; nothing is taken in its place.
func choosePlan(job *runner.Job, source *dataPlan) experiment.Problems {
	e := job.Experiment
	job.Plan = experiment.NewPlan(e)
	memory, obstacle := obstacles(job, source)
	if e.Protocol.Freeze != nil && *e.Protocol.Freeze {
		if arm := neverFrozen(job); arm != "" {
			why := "the server of arm %s runs already, and tare cannot freeze it"
			if job.Targets[arm].Capabilities().Endpoint == nil {
				why = "the server of arm %s is in a cluster, and tare cannot freeze it there"
			}
			return experiment.Problems{e.Problem("protocol.freeze", why+"; leave freeze out: servers then have no load between their turns", arm)}
		}
	}
	if obstacle != nil && obstacle.Code != noTargets && e.Protocol.Kind == experiment.KindSlices {
		return experiment.Problems{e.Problem("protocol.kind", "slices are not possible: %s; write kind: windows, or leave kind out", language.English().Why(*obstacle))}
	}
	job.Plan = job.Plan.Interleave(e, interleaving(e, memory, leftIdle(job), obstacle))
	return secondBaseline(job)
}

// secondBaseline makes a target for the second measurement of the baseline, whose own has one server at a time. A
// resumed run has the protocol that it was planned with, so that the present one does not decide whether there is one.
func secondBaseline(job *runner.Job) experiment.Problems {
	baseline, _ := job.Experiment.Arm(job.Experiment.Baseline)
	place, ok := job.Targets[baseline.Name]
	if !ok || !place.Capabilities().Single || !job.Experiment.Protocol.Twice() {
		return nil
	}
	kind, _ := findTarget(baseline.Target)
	second, err := kind.make(baseline.Decode, job)
	if err != nil {
		return asProblems(baseline, err)
	}
	job.Second = second
	return nil
}

// neverFrozen is an arm whose server takes turns and cannot be frozen, "" if there is none.
func neverFrozen(job *runner.Job) string {
	for _, arm := range job.Experiment.Arms {
		if place, ok := job.Targets[arm.Name]; ok && place.Capabilities().NeverFrozen {
			return arm.Name
		}
	}
	return ""
}

// leftIdle says whether the servers run on between their turns, without load: because the file asks for it, or one of
// them cannot be frozen. All do then, as what is frozen and what is not cannot be compared.
func leftIdle(job *runner.Job) bool {
	freeze := job.Experiment.Protocol.Freeze
	return freeze != nil && !*freeze || neverFrozen(job) != ""
}

// interleaving is the protocol of an experiment that nothing or an obstacle keeps from
// slices. idle: its servers are not frozen between their turns.
func interleaving(e *experiment.Experiment, memories []layer.Memory, idle bool, obstacle *experiment.Reason) experiment.Interleaving {
	switch {
	case e.Protocol.Kind == experiment.KindWindows:
		return taken(experiment.KindWindows, because("asked"), nil)
	case obstacle != nil:
		return taken(experiment.KindWindows, obstacle, nil)
	}
	longest, period := layer.Longest(memories)
	s := e.Protocol.Slices(longest.For, period)
	s.Idle = idle
	switch {
	case e.Load.Find != nil:
		s, _ = e.Load.Find.Fit(e.Protocol, s)
	case e.Load.Rate > 0: // with guard and drain p95 would be too low (docs/results/calibration.md, C32)
		s = s.Exactly()
	}
	s.ExactAtRate = e.Load.Latency != nil
	why := because("allowed", "memory", longest.Layer)
	if e.Protocol.LeadIn != nil {
		why = because("allowed-set", "memory", longest.Layer, "time", longest.For.Round(time.Millisecond).String())
	}
	chosen := taken(experiment.KindSlices, why, &s)
	if e.Protocol.Kind == "" { // what the file asks for has no replacement
		chosen.Otherwise = e.Protocol.Longer(s)
	}
	return chosen
}

// taken is a protocol with its reason as a code and as a sentence.
func taken(kind string, why *experiment.Reason, s *interleave.Slices) experiment.Interleaving {
	return experiment.Interleaving{Kind: kind, Why: language.English().Why(*why), Reason: why, Slices: s}
}

// protocolLine says on one line how the servers take turns, in words that need no definition. Slices are the rule, so
// that only what decides their lead-in is named; of windows, the reason is.
func protocolLine(i experiment.Interleaving) string {
	if i.Slices == nil {
		return "each server is measured alone, for the whole of a trial (" + i.Why + ")"
	}
	line := fmt.Sprintf("the servers take turns of %v; the first %v of each turn are not counted", i.Slices.Slice+i.Slices.LeadIn.Round(time.Millisecond), i.Slices.LeadIn.Round(time.Millisecond))
	if i.Slices.Idle {
		line += "; between its turns a server runs without load"
	} else {
		line += "; between its turns a server is stopped"
	}
	if i.Reason == nil || i.Reason.Arguments["memory"] == "" {
		return line
	}
	name := language.English().Say("memory." + i.Reason.Arguments["memory"])
	if needed, set := i.Reason.Arguments["time"]; set {
		return line + fmt.Sprintf(" (set in the file; %s needs %s to take effect)", name, needed)
	}
	return line + fmt.Sprintf(" (%s needs that long to take effect)", name)
}

// because is a reason with its arguments: name, value, name, value.
func because(code string, arguments ...string) *experiment.Reason {
	r := &experiment.Reason{Code: code, Arguments: map[string]string{}}
	for i := 0; i+1 < len(arguments); i += 2 {
		r.Arguments[arguments[i]] = arguments[i+1]
	}
	return r
}

// noTargets is an obstacle whose problems are reported by themselves.
const noTargets = "targets"

// obstacles are the memories of all layers, and the first reason why slices are not
// possible.
func obstacles(job *runner.Job, source *dataPlan) (all []layer.Memory, why *experiment.Reason) {
	e := job.Experiment
	if job.Engine != nil && !loadgen.TakesTurns(job.Engine) {
		return nil, because("engine", "engine", job.Engine.Name(), "setting", "load: {engine: tare}")
	}
	if loadgen.Numbered(e.Load.Workload) {
		return nil, because("ledger", "workload", e.Load.Workload)
	}
	idle := leftIdle(job)
	for _, arm := range e.Arms {
		place, ok := job.Targets[arm.Name]
		if !ok {
			return nil, because(noTargets)
		}
		has := place.Capabilities()
		memories := has.Memories
		switch {
		case len(memories) == 0:
			return nil, because("frozen", "target", arm.Target, "arm", arm.Name)
		case has.NeverFrozen && (job.From != nil || has.Generators > 0) && len(e.Load.Threads) > 1:
			return nil, because("load-levels")
		case idle && has.Neighbour && len(e.Load.Threads) > 1:
			return nil, because("neighbour-levels", "arm", arm.Name)
		case !idle && has.BySignals && has.Copies > 0:
			return nil, because("signals", "arm", arm.Name)
		}
		for _, m := range memories {
			if m.WorksOn {
				return nil, because("works-on", "memory", m.Layer, "arm", arm.Name)
			}
			if m.For > experiment.MaxLeadIn && e.Protocol.LeadIn == nil {
				return nil, because("remembers", "memory", m.Layer, "arm", arm.Name, "time", m.For.String(), "most", experiment.MaxLeadIn.String())
			}
			all = append(all, m)
		}
	}
	return all, cmp.Or(sameServer(job), sole(job), openLoop(e, idle), searchBySlices(e, all), workByTheClock(job), frozenForLong(job, all, idle),
		tooLittleMemory(job, source), tooFewRequests(job), tooLittleDisk(job, source), tooLittleRoom(job), tooLittleQuota(job))
}

// sameServer names two arms with one running server: what it does in the background for one arm, it does in the turns
// of the other. The levels of the load share a server too, but no verdict is about their difference.
func sameServer(job *runner.Job) *experiment.Reason {
	for i, arm := range job.Experiment.Arms {
		own := running(job, arm)
		for _, other := range job.Experiment.Arms[:i] {
			if theirs := running(job, other); own != nil && theirs != nil && own.Is(theirs) {
				return because("same-server", "arm", other.Name, "other", arm.Name)
			}
		}
	}
	return nil
}

// openLoop is why an open loop is not possible by slices: a server that is not frozen answers between its turns, in
// which the arm's own time stands still, what is left of the queue. p95 would be up to 40 % too low
// (docs/results/calibration.md, C32). Levels of load.threads share a server, which answers the queue of one in the
// turns of another.
func openLoop(e *experiment.Experiment, idle bool) *experiment.Reason {
	l := e.Load
	for _, open := range []struct {
		field string
		given bool
	}{{"load.find", l.Find != nil}, {"load.latency", l.Latency != nil}, {"load.rate", l.Rate > 0}} {
		if idle && open.given {
			return because("open-idle", "field", open.field)
		}
	}
	if l.Rate > 0 && len(l.Threads) > 1 {
		return because("rate-levels")
	}
	return nil
}

// searchBySlices is why a search for the capacity is not possible by slices: an open loop near its capacity has a queue
// at the end of every turn.
func searchBySlices(e *experiment.Experiment, memories []layer.Memory) *experiment.Reason {
	f := e.Load.Find
	if f == nil {
		return nil
	}
	longest, period := layer.Longest(memories)
	s := e.Protocol.Slices(longest.For, period)
	switch _, fits := f.Fit(e.Protocol, s); {
	case len(e.Load.Threads) > 1:
		return because("find-levels")
	case !fits:
		return because("find-limit", "limit", f.Name())
	}
	return nil
}

// frozenForLong says which arm's members would take each other for failed: an arm that has the
// first turn of one cycle and the last of the next is frozen for the turns between.
func frozenForLong(job *runner.Job, memories []layer.Memory, idle bool) *experiment.Reason {
	if idle {
		return nil
	}
	e := job.Experiment
	longest, period := layer.Longest(memories)
	cells := databasesAtOnce(e) * max(1, len(e.Load.Threads))
	frozen := time.Duration(2*(cells-1)) * e.Protocol.Slices(longest.For, period).Turn()
	for _, arm := range e.Arms {
		if most := job.Targets[arm.Name].Capabilities().MostFrozen; most > 0 && frozen > most {
			return because("members", "arm", arm.Name, "frozen", frozen.String(), "most", most.String())
		}
	}
	return nil
}
