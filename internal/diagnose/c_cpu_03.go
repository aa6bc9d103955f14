package diagnose

import (
	"math"
	"strconv"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
)

func cCPU03() Rule {
	return Rule{
		ID: "C-CPU-03", Title: "Noisy neighbour wins CPU contention", Severity: Error,
		What: "When more threads are runnable than there are CPUs, the kernel divides CPU time by the cgroups' CPU shares. A pod without a CPU request has " +
			"the minimum (cpu.shares 2 in cgroup v1, cpu.weight 1 in cgroup v2), so its threads wait in the run queue while its neighbours run.",
		Impact:   "Lower throughput and higher latency, in proportion to the time for which its threads wait for a CPU.",
		Fix:      "Set a CPU request (a Guaranteed pod has one), or move the neighbour to another node.",
		Sources:  []string{percona2019, k8sCM, cpuWeight},
		Counters: []string{compare.WaitPerCPU().Name},
		Run:      starved,
	}
}

// waitingFrom is the time in the run queue, for each second of running, from
// which waiting counts.
const waitingFrom = 0.2

// starved tells waiting for neighbours from waiting behind the server's own
// threads: those of an arm without a neighbour stand only in their own way. Threads that
// outnumber the CPUs wait for each other in the baseline too, so what an arm waits longer than it
// has to be more than chance, by its 95 % interval over the rounds.
func starved(o *Observed) []Finding {
	if !inPod(o.Spec) || o.Spec.Has("manifests") { // whose requests are not on record
		return nil
	}
	ratio, ok := o.Arm.Waited()
	if !ok && isLive(o.Arm) {
		return waitedFor(o.Arm)
	}
	if !ok {
		return list(notRead("how long its threads waited for a CPU was not read"))
	}
	if share, _, ok := o.Arm.Throttled(); ok && share >= throttledFrom {
		return list(unknown("the CPU quota throttles it (C-CPU-01), and throttled threads count as waiting too"))
	}
	if ratio < waitingFrom {
		return list(ruledOut("its threads waited %.2f s for a CPU for each second that they ran", ratio))
	}
	if isLive(o.Arm) {
		return outrun(o, ratio)
	}
	if !o.Spec.Has("neighbour") {
		return list(unknown("its threads waited %.2f s for a CPU for each second that they ran; the record does not show whether its threads waited for each other or for other pods", ratio))
	}
	if requestsCPU(o.Spec) {
		return list(unknown("its threads waited %.2f s for a CPU for each second that they ran, although it has a CPU request", ratio))
	}
	if more, in, ok := o.Arm.WaitedMore(o.Base); ok && (in == nil || in.Lo <= 0) {
		than := phrase("%+.2f compared with %s, without an interval", more, o.Base.Name)
		if in != nil {
			than = phrase("%+.2f [%+.2f, %+.2f] compared with %s", more, in.Lo, in.Hi, o.Base.Name)
		}
		return list(unknown("its threads waited %.2f s for a CPU for each second that they ran with a neighbour on the node, %s; the difference can be chance", ratio, than))
	}
	f := seen("its threads waited %.2f s for a CPU for each second that they ran, with a neighbour on the node and no CPU request", ratio).
		fix("set a CPU request (a Guaranteed pod has one)").prescribes(cpuRequest()).explains(o, compare.SpentWaiting)
	if o.Spec.Target == "kubernetes" && (!o.Spec.Has("memory") || o.Spec.Has("memoryRequest")) {
		return list(f) // a Guaranteed pod has a memory limit, and how much is not the counters' to say
	}
	own, ok := ownCPU(o.Arm)
	if _, known := fact(o.Arm, keys.NodeAllocatableCPU); !ok && !known && o.Spec.Target == "kubernetes" {
		return list(f) // how much CPU it needs was not read, nor how much the node has
	}
	// What it would have used without waiting.
	return list(f.change("{qos: Guaranteed, cpu: %s}", o.amountOfCPU(own/1e9*(1+ratio))))
}

// outrun decides for a server that tare did not start by what the kernel shows: its CPU
// shares, and what everything outside its cgroup ran meanwhile, the clients included.
func outrun(o *Observed, ratio float64) []Finding {
	others, ok := othersRan(o.Arm)
	text, ok2 := fact(o.Arm, keys.ServerCPUShares)
	shares, err := strconv.ParseFloat(text, 64)
	if !ok || !ok2 || err != nil {
		return list(notRead("its threads waited %.2f s for a CPU for each second that they ran; the CPU shares of its cgroup or the CPU time of other processes were not read", ratio))
	}
	own, _ := ownCPU(o.Arm)
	busy, counted := nodeBusy(o.Arm)
	if beside := besideIt(o.Arm); beside >= othersBusy {
		return list(unknown("its threads waited %.2f s for a CPU for each second that they ran, while other processes used %.2f CPUs, %.2f of them in the server's own cgroup, whose CPU shares do not decide between the two; whether it waits for them or for its own threads is not known", ratio, others, beside))
	}
	if others < max(othersBusy, othersPart*own/1e9) || shares > sharesOfNothing || counted && busy < nodeFull {
		return list(unknown("its threads waited %.2f s for a CPU for each second that they ran, with %.0f CPU shares, while other processes used %.2f CPUs; whether it waits for them or for its own threads is not known", ratio, shares, others))
	}
	return list(seen("its threads waited %.2f s for a CPU for each second that they ran: its cgroup has %.0f CPU shares (no CPU request), and other processes used %.2f CPUs", ratio, shares, others).
		fix("set a CPU request"))
}

// othersBusy is the CPUs that others use from which they count as neighbours, and othersPart
// the part of the server's own use: threads of a server that has nearly all of the machine wait
// for each other. sharesOfNothing are the CPU shares of a container without a CPU request.
const (
	othersBusy      = 0.25
	othersPart      = 0.25
	sharesOfNothing = 2
)

// ownCPU is the CPU time of the server in ns a second: of its process, or, where that was not read, of its
// cgroup. A cgroup can be that of a whole slice or container, whose other processes are others.
func ownCPU(arm *compare.Arm) (ns float64, ok bool) {
	user, ok := rate(arm, keys.ServerCPUUserNS)
	system, ok2 := rate(arm, keys.ServerCPUSystemNS)
	if ok && ok2 {
		return user + system, true
	}
	return rate(arm, keys.CgroupCPUUsageNS)
}

// besideIt is the CPU time of other processes of the server's cgroup, in CPUs; 0 where it is not known.
func besideIt(arm *compare.Arm) float64 {
	own, ok := ownCPU(arm)
	all, ok2 := rate(arm, keys.CgroupCPUUsageNS)
	if !ok || !ok2 {
		return 0
	}
	return max(0, all-own) / 1e9
}

// othersRan is the CPU time that everything but the server used, in CPUs.
func othersRan(arm *compare.Arm) (cpus float64, ok bool) {
	own, ok := ownCPU(arm)
	if !ok {
		return 0, false
	}
	for _, name := range []string{keys.HostCPUUserNS, keys.HostCPUSystemNS} {
		v, ok := rate(arm, name)
		if !ok {
			return 0, false
		}
		cpus += v
	}
	return max(0, cpus-own) / 1e9, true // the ends of the two are not read at the same time
}

// FullMachine is what everything but the server ran, and the machine's CPUs, if the machine had no idle CPU and others
// used at least as much of it as a neighbour does (othersBusy).
func FullMachine(arm *compare.Arm) (others, cpus float64, full bool) {
	for _, part := range []string{keys.HostCPUUserNS, keys.HostCPUSystemNS, keys.HostCPUIRQNS, keys.HostCPUIdleNS, keys.HostCPUStealNS} {
		if ns, ok := rate(arm, part); ok {
			cpus += ns / 1e9
		}
	}
	others, ok := othersRan(arm)
	busy, counted := nodeBusy(arm)
	return others, math.Round(cpus), ok && counted && busy >= nodeFull && others >= othersBusy
}

// waitedFor decides for a server whose threads were not read: its pod is on another machine,
// whose kubelet tells what the container and the node used. Statements that took longer than
// the CPU time of the whole server and everything that it timed itself have waited, for a CPU
// or for its own mutexes. On a node without idle CPUs, most of which others use, a container
// with the minimum of shares waits for them.
func waitedFor(arm *compare.Arm) []Finding {
	others, ok := othersRan(arm)
	own, ok2 := ownCPU(arm)
	busy, ok3 := nodeBusy(arm)
	text, ok4 := fact(arm, keys.ServerCPUShares)
	shares, err := strconv.ParseFloat(text, 64)
	waited, ok5 := waitedUntimed(arm)
	if !ok || !ok2 || !ok3 || !ok4 || !ok5 || err != nil || own <= 0 {
		return list(notRead("how long its threads waited for a CPU was not read"))
	}
	if share, _, ok := arm.Throttled(); ok && share >= throttledFrom {
		return list(unknown("the CPU quota throttles it (C-CPU-01), and throttled threads count as waiting too"))
	}
	if shares > sharesOfNothing || busy < nodeFull || others*1e9 < own || waited < own {
		return list(notRead("how long its threads waited for a CPU was not read; its container has %.0f CPU shares and used %.2f CPUs, other processes of the node used %.2f, and %.0f %% of the node's CPU time was used", shares, own/1e9, others, 100*busy))
	}
	return list(seen("statements waited %.1f s per CPU-second for what the server does not time, such as a CPU: its container has %.0f CPU shares (no CPU request), other processes used %.2f CPUs, and %.0f %% of the node's CPU time was used",
		waited/own, shares, others, 100*busy).fix("set a CPU request"))
}

// nodeFull is the share of a node's CPU time from which no CPU is left for a container with
// the minimum of shares.
const nodeFull = 0.9

// nodeBusy is the share of the CPU time of the server's machine that was used.
func nodeBusy(arm *compare.Arm) (share float64, ok bool) {
	user, ok := rate(arm, keys.HostCPUUserNS)
	system, ok2 := rate(arm, keys.HostCPUSystemNS)
	idle, ok3 := rate(arm, keys.HostCPUIdleNS)
	if !ok || !ok2 || !ok3 || user+system+idle <= 0 {
		return 0, false
	}
	return (user + system) / (user + system + idle), true
}

// waitedUntimed is the time of statements beyond the server's CPU time and beyond what the
// server times: commits, row locks, table locks and files, all threads' together. It is in ns
// a second, and too small rather than too large. It is not known where statements commit by
// themselves (autocommit): no digest then has the time that they wait for the logs' fsyncs. Nor is it
// known of a MariaDB that does not time the fsyncs of its redo log (10.8 and later).
func waitedUntimed(arm *compare.Arm) (ns float64, ok bool) {
	ns, ok = rate(arm, keys.MySQLStatementsTimeNS)
	synced := 0.0
	for _, log := range []string{"redo", "binlog"} {
		v, timed := rate(arm, "mysql.file."+log+".sync_ns")
		if !timed && log == "redo" && isMariaDB(arm) {
			return 0, false
		}
		synced += v
	}
	if commits, _ := rate(arm, keys.MySQLCommitTimeNS); compare.Autocommitted(commits, synced, ns) {
		return 0, false
	}
	own, _ := ownCPU(arm)
	ns -= own
	for _, waited := range []struct { // in a fixed order: a sum of floats depends on it
		metric string
		scale  float64
	}{
		{keys.MySQLCommitTimeNS, 1}, {keys.MySQLStatementsLockNS, 1}, {keys.MySQLInnoDBRowLockTime, 1e6}, {keys.MySQLFileDataReadNS, 1},
	} {
		if v, read := rate(arm, waited.metric); read {
			ns -= v * waited.scale
		}
	}
	return ns, ok && ns > 0
}
