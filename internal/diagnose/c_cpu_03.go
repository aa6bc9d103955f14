package diagnose

import (
	"strconv"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
)

func cCPU03() Rule {
	return Rule{
		ID: "C-CPU-03", Title: "Noisy neighbour wins CPU contention", Severity: Error,
		What: "When more threads are runnable than there are CPUs, the kernel divides CPU time by the cgroups' CPU shares. A pod without a CPU request has " +
			"the minimum, so its threads wait in the run queue while its neighbours run.",
		Impact:   "Lower throughput and higher latency, in proportion to the run-queue wait.",
		Fix:      "Set a CPU request (a Guaranteed pod has one), or move the neighbour to another node.",
		Sources:  []string{percona2019, k8sCM},
		Counters: []string{compare.WaitPerCPU().Name},
		Run:      starved,
	}
}

// waitingFrom is the time in the run queue, for each second of running, from
// which waiting counts.
const waitingFrom = 0.2

// starved tells waiting for neighbours from waiting behind the server's own
// threads: those of an arm without a neighbour stand only in their own way.
func starved(o *Observed) []Finding {
	if !inPod(o.Spec) || o.Spec.Has("manifests") { // whose requests are not on record
		return nil
	}
	ratio, ok := o.Arm.Waited()
	if !ok {
		return list(notRead("the run-queue wait of its threads was not read"))
	}
	if share, _, ok := o.Arm.Throttled(); ok && share >= throttledFrom {
		return list(unknown("the CPU quota throttles it (C-CPU-01), and throttled threads count as waiting too"))
	}
	if ratio < waitingFrom {
		return list(ruledOut("run-queue wait %.2f s per CPU-second", ratio))
	}
	if isLive(o.Arm) {
		return outrun(o, ratio)
	}
	if !o.Spec.Has("neighbour") {
		return list(unknown("run-queue wait %.2f s per CPU-second; the record does not show whether its threads waited for each other or for other pods", ratio))
	}
	if o.Spec.Has("cpuRequest") || o.Spec.Has("cpu") || o.Spec.Has("shape") {
		return list(unknown("run-queue wait %.2f s per CPU-second, although it has a CPU request", ratio))
	}
	f := seen("run-queue wait %.2f s per CPU-second, with a neighbour on the node and no CPU request", ratio).
		fix("set a CPU request (a Guaranteed pod has one)").explains(o, compare.SpentWaiting)
	if o.Spec.Target == "kubernetes" && (!o.Spec.Has("memory") || o.Spec.Has("memoryRequest")) {
		return list(f) // a Guaranteed pod has a memory limit, and how much is not the counters' to say
	}
	return list(f.change("{qos: Guaranteed, cpu: max}"))
}

// outrun decides for a server that tare did not start by what the kernel shows: its CPU
// shares, and what everything outside its cgroup ran meanwhile, the clients included.
func outrun(o *Observed, ratio float64) []Finding {
	others, ok := othersRan(o.Arm)
	text, ok2 := fact(o.Arm, record.CPUShares)
	shares, err := strconv.ParseFloat(text, 64)
	if !ok || !ok2 || err != nil {
		return list(notRead("run-queue wait %.2f s per CPU-second; the CPU shares of its cgroup or the CPU time of other processes were not read", ratio))
	}
	if others < othersBusy || shares > sharesOfNothing {
		return list(unknown("run-queue wait %.2f s per CPU-second, with %.0f CPU shares, while other processes used %.2f CPUs; whether it waits for them or for its own threads is not known", ratio, shares, others))
	}
	return list(seen("run-queue wait %.2f s per CPU-second: its cgroup has %.0f CPU shares (no CPU request), and other processes used %.2f CPUs", ratio, shares, others).
		fix("set a CPU request"))
}

// othersBusy is the CPUs that others use from which they count as neighbours;
// sharesOfNothing are the CPU shares of a container without a CPU request.
const (
	othersBusy      = 0.25
	sharesOfNothing = 2
)

// othersRan is the CPU time that everything outside the server's cgroup used, in CPUs.
func othersRan(arm *compare.Arm) (cpus float64, ok bool) {
	own, ok := rate(arm, "cgroup.cpu.usage_ns")
	if !ok {
		return 0, false
	}
	for _, name := range []string{"host.cpu.user_ns", "host.cpu.system_ns"} {
		v, ok := rate(arm, name)
		if !ok {
			return 0, false
		}
		cpus += v
	}
	return (cpus - own) / 1e9, true
}
