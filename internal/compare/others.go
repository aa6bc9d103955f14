package compare

// This file is what other processes and other virtual machines took of the machine while the arms were
// loaded, and what that does to verdicts.

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Others is what others took of a machine's CPU time while the arms were loaded: shares from 0 to 1, NaN
// where no trial tells. Gates look for trials that differ from the others of their run; what is so all the
// time is part of every figure.
type Others struct {
	// CPU is whose CPU time the shares are of. Of two that were watched it is the busier one.
	CPU CPUOf
	// Unwatched: nothing was read on the machine of the servers in at least one trial, so that what else ran there is
	// not known.
	Unwatched bool
	// UnwatchedWhy is why, of the first such trial; nil where it was read.
	UnwatchedWhy *Reason
	// Nodes are the names of the servers' nodes, where the CPU time is of a machine that they were on; empty for servers that
	// are in no cluster.
	Nodes     []string
	Processes float64 // that are not tare's, nor the arms'
	Steal     float64 // other virtual machines of the host
	// Limit is the share from which on a comparison has no verdict.
	Limit float64
	// ByArm has an entry for every arm and level whose trials were watched, in the order of Result.Arms.
	ByArm []ArmOthers
	// Busiest are the processes that used most, by name.
	Busiest []BusyProcess
}

// CPUOf is whose CPU time others used.
type CPUOf string

// The machines on which others are counted.
const (
	OfServers CPUOf = ""     // tare's own, with the servers on it
	OfLoad    CPUOf = "load" // tare's own, with the load generators alone
	OfNode    CPUOf = "node" // that of servers elsewhere, by the probes beside them
)

// ArmOthers is what the machine did while one arm had its load: shares of its CPU time, and of the time; NaN
// where unknown. Pressure is the time in which at least one task waited for the resource, the arm's own tasks
// among them (Documentation/accounting/psi.rst).
type ArmOthers struct {
	Arm                           string
	Threads                       int
	Processes, Most, Steal        float64 // Most is that of the second in which other processes used most
	CPUPressure, Memory, IO, Disk float64
}

// BusyProcess is a share of the machine's CPU time by the name of the processes that used it.
type BusyProcess struct {
	Name  string
	Share float64
}

// othersOf is the share of others in a run, without that of each arm.
func othersOf(r *record.Run) Others {
	o := Others{Processes: shareOf(r, keys.GateForeignS), Steal: shareOf(r, keys.GateStealS), Limit: experiment.OthersLimit}
	if r.Experiment != nil {
		o.Limit = r.Experiment.Protocol.MostOthers()
	}
	o.Busiest = busiest(r)
	node := nodeOthers{}
	here := slices.ContainsFunc(r.Trials, (*record.Trial).ServerSeen)
	for _, t := range r.Trials {
		switch {
		case t.ServerSeen() && othersKnown(t):
		case t.ServerMaybeHere(): // its probes are on tare's machine, too
		case elsewhereByAddress(t) || !node.add(t):
			if o.Unwatched = true; o.UnwatchedWhy == nil {
				o.UnwatchedWhy = unwatchedWhy(r, t)
			}
		}
	}
	if !here && !math.IsNaN(o.Share()) {
		o.CPU = OfLoad
	}
	if beside := node.shares(o.Limit); beside.Share() > o.Share() || math.IsNaN(o.Share()) && !math.IsNaN(beside.Share()) {
		beside.Unwatched, beside.UnwatchedWhy = o.Unwatched, o.UnwatchedWhy
		o = beside
	}
	switch o.CPU {
	case OfServers:
		o.Nodes = nodesWhere(r, (*record.Trial).ServerSeen)
	case OfNode:
		o.Nodes = nodesWhere(r, func(t *record.Trial) bool { return !t.ServerSeen() })
	}
	return o
}

// othersKnown says whether the trial tells what other processes used. In a pod or container, the processes of the machine
// cannot be seen, and its own servers would be among the others.
func othersKnown(t *record.Trial) bool {
	return !slices.ContainsFunc(t.Facts, func(f record.Fact) bool { return f.Key == keys.GateForeignS && f.Value == "" && f.Unknown != "" })
}

// shareOf is what a counter took of the machine's CPU time in all trials together.
func shareOf(r *record.Run, key string) float64 {
	var all, of float64
	for _, t := range r.Trials {
		if machine, took := t.Change(keys.GateMachineS), t.Change(key); t.Gated() && machine > 0 && !math.IsNaN(took) {
			all, of = all+machine, of+math.Max(0, took)
		}
	}
	if all == 0 {
		return math.NaN()
	}
	return of / all
}

func busiest(r *record.Run) []BusyProcess {
	var machine float64
	used := map[string]float64{}
	for _, t := range r.Trials {
		if all, named := t.Change(keys.GateMachineS), t.Busiest(); t.Gated() && all > 0 && named != nil {
			machine += all
			for _, b := range named {
				used[b.Name] += b.CPU
			}
		}
	}
	var all []BusyProcess
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if share := used[name] / machine; share >= leastShare {
			all = append(all, BusyProcess{name, share})
		}
	}
	slices.SortStableFunc(all, func(a, b BusyProcess) int { return cmp.Compare(b.Share, a.Share) })
	return all[:min(len(all), mostNamed)]
}

// So many processes are named, from such a share of the machine's CPU time on.
const (
	mostNamed  = 3
	leastShare = 0.01
)

// byArm is what each arm had beside it, from the probes: by slices they count in the arm's own turns.
func byArm(arms []Arm) (all []ArmOthers) {
	for i := range arms {
		a := &arms[i]
		machine := 0.0
		for _, part := range machineTime() {
			machine += a.total(part)
		}
		o := ArmOthers{
			Arm: a.Name, Threads: a.Threads,
			Processes: a.total(keys.HostCPUOthersNS) / machine, Steal: a.total(keys.HostCPUStealNS) / machine, Most: mostOthers(a.Trials),
			CPUPressure: a.ofTime(keys.HostPressureCPUSomeNS), Memory: a.ofTime(keys.HostPressureMemorySomeNS),
			IO: a.ofTime(keys.HostPressureIOSomeNS), Disk: a.ofTime(keys.DiskBusyNS),
		}
		if machine > 0 {
			all = append(all, o)
		}
	}
	return all
}

// machineTime are the counters that add up to the CPU time of the machine.
func machineTime() []string {
	return []string{keys.HostCPUUserNS, keys.HostCPUSystemNS, keys.HostCPUIRQNS, keys.HostCPUIdleNS, keys.HostCPUStealNS}
}

// total is a counter's change in all windows of an arm; NaN where it is not known.
func (a *Arm) total(name string) float64 {
	if c, ok := a.Counter(name); ok {
		return c.Total
	}
	return math.NaN()
}

// ofTime is the share of the time that a counter of nanoseconds grew by.
func (a *Arm) ofTime(name string) float64 {
	if c, ok := a.Counter(name); ok {
		return math.Min(1, c.PerSecond/1e9)
	}
	return math.NaN()
}

// mostOthers is the share of the sample in which other processes used most.
func mostOthers(trials []*record.Trial) float64 {
	most := math.NaN()
	for _, t := range trials {
		grew := map[int]float64{}
		others := map[int]float64{}
		for r := range Readings(t) {
			switch {
			case !r.InWindow || math.IsNaN(r.Grew):
			case r.Name == keys.HostCPUOthersNS:
				others[r.Sample] += r.Grew
			case slices.Contains(machineTime(), r.Name):
				grew[r.Sample] += r.Grew
			}
		}
		for sample, used := range others {
			if all := grew[sample]; all > 0 {
				most = fmax(most, math.Min(1, used/all))
			}
		}
	}
	return most
}

// Share is that of other processes and other virtual machines together; NaN where neither is known.
func (o Others) Share() float64 {
	switch {
	case math.IsNaN(o.Processes):
		return o.Steal
	case math.IsNaN(o.Steal):
		return o.Processes
	}
	return o.Processes + o.Steal
}

// Busy says that no comparison on this machine has a verdict.
func (o Others) Busy() bool { return o.Limit > 0 && o.Share() >= o.Limit }

// of is what an arm had beside it; nil where it was not watched.
func (o Others) of(arm string, threads int) *ArmOthers {
	for i := range o.ByArm {
		if a := &o.ByArm[i]; a.Arm == arm && a.Threads == threads {
			return a
		}
	}
	return nil
}

// yields is the difference of the shares of other processes beside two arms from which on the arm with the
// larger one yields to them.
const yields = 0.05

// busyMachine takes a verdict back that others can have made: any on a busy machine, and below its limit that of
// a difference which is no larger than what others used. The interval is that of equal conditions: both arms met
// the same load, which decides by how much they differ.
func (j comparison) busyMachine(c Contrast) Contrast {
	o := j.res.Others
	if !o.Busy() {
		if c.Interval95 == nil || !c.Verdict.change() || !o.explains(*c.Interval95) {
			return c
		}
		c.PastMargin = ""
		return c.say(Inconclusive, o.explanation())
	}
	c.PastMargin, c.Busy, c.newRun = "", true, nil
	reasons := []Reason{o.reason()}
	if c.Interval95 == nil { // why there is none is still true
		return c.say(Inconclusive, append(reasons, c.Reasons...)...)
	}
	if arm, base := j.res.Others.of(c.Arm, c.Threads), j.res.Others.of(c.Baseline, c.Threads); arm != nil && base != nil && arm.Processes-base.Processes >= yields {
		c.Yields = [2]float64{arm.Processes, base.Processes}
		reasons = append(reasons, reason("yields").name("arm", c.Arm).name("base", c.Baseline).num("beside", 100*arm.Processes).num("was", 100*base.Processes))
	}
	return c.say(Inconclusive, reasons...)
}

// declared says that the plan allows any load beside the arms: how they compare there is the question.
func (o Others) declared() bool { return o.Limit > experiment.OthersLimit }

// explained are the changes in % that an arm would have which met all that others used, or none of it, where the
// baseline met the opposite. Arms in different cgroups share the CPUs with a third party in different ways: of two
// servers that are equal on a quiet machine, one had half of this change (docs/results/calibration.md, Busy machines).
func (o Others) explained() (slower, faster float64) {
	left := 1 - math.Min(o.Share(), 0.99)
	return 100 * (left - 1), 100 * (1/left - 1)
}

// othersExplain is the reason that takes a verdict back below the limit of a busy machine.
const othersExplain = "others-explain"

// explanation is that reason.
func (o Others) explanation() Reason {
	lo, hi := o.explained()
	return reason(othersExplain).part("of", o.cpuTime()).num("share", 100*o.Share()).num("lo", lo).num("hi", hi)
}

// change says that the verdict is a cost or a gain.
func (v Verdict) change() bool { return v == Costs || v == Gains }

// explains says that a change, of throughput or of a time, is no larger than what others used can make it, where the
// plan does not declare them. A time becomes longer by the ratio by which throughput becomes lower, and the other way
// round.
func (o Others) explains(in95 Interval) bool {
	slower, faster := o.explained()
	return !o.declared() && (in95.Hi < 0 && in95.Hi >= slower || in95.Lo > 0 && in95.Lo <= faster)
}

// verdict is that of an interval which is no contrast's, with what others take back.
func (o Others) verdict(v Verdict, in95 Interval) Verdict {
	if o.Busy() || v.change() && o.explains(in95) {
		return Inconclusive
	}
	return v
}

// BusyMachine is the code of the reason why nothing on a machine that others used has a verdict, or a figure among those
// of other runs.
const BusyMachine = "busy-machine"

// reason is why nothing on this machine has a verdict.
func (o Others) reason() Reason {
	return reason(BusyMachine).part("of", o.cpuTime()).num("share", 100*o.Share()).num("limit", 100*o.Limit)
}

// namedReason is reason with the processes that used most: a comparison of two runs has no other place for them.
func (o Others) namedReason() Reason {
	if len(o.Busiest) == 0 {
		return o.reason()
	}
	var named []Reason
	for _, b := range o.Busiest {
		named = append(named, reason("busy-process").name("name", b.Name).num("share", 100*b.Share))
	}
	return o.reason().part("names", reason("busy-processes").part("names", named...))
}
