package diagnose

import (
	"math"
	"strconv"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
)

func cCPU01() Rule {
	return Rule{
		ID: "C-CPU-01", Title: "CPU quota throttles the server (CFS throttling)", Severity: Error,
		What: "A CPU limit is a quota per CFS period of 100 ms. When the server's threads have used it up, all of them are throttled until the next period, " +
			"including a thread that holds a lock.",
		Impact: "Stalls of up to 100 ms: high p95 and p99 latency, and throughput limited by the quota.",
		Fix: "Raise the CPU limit up to what fits on the node, or use whole CPUs on a node with the static CPU manager (no CFS quota from Kubernetes 1.33 on), or remove the CPU limit, or reduce " +
			"concurrency.",
		Sources:  []string{cfsIssue, k8sCM, quotaPinned},
		Counters: []string{keys.CgroupCPUNrThrottled, keys.CgroupCPUThrottledNS},
		Run:      throttled,
	}
}

// throttledFrom is the share of periods from which throttling counts: below, it is
// the start of a server or a burst in an idle second.
const throttledFrom = 0.01

func throttled(o *Observed) []Finding {
	share, periods, ok := o.Arm.Throttled()
	if !inPod(o.Spec) && (!ok || share < throttledFrom) {
		return nil // tare gives a plain process no quota; a container or a unit that tare itself runs in may have one
	}
	if !ok {
		if o.Arm.Unlimited() {
			return list(ruledOut("its cgroups have no CPU quota"))
		}
		return list(notRead("cpu.stat of its cgroup was not read"))
	}
	if share < throttledFrom {
		return list(ruledOut("throttled in %.1f %% of %.0f CFS periods", 100*share, periods))
	}
	return list(seen("throttled in %.0f %% of %.0f CFS periods", 100*share, periods).liftsQuota(o).explains(o, compare.SpentThrottled))
}

// liftsQuota is the fix of a quota that is too small, and the arm without it.
func (f Finding) liftsQuota(o *Observed) Finding {
	f = f.fix("raise or remove the CPU limit").prescribes(prescription{fields: []string{"cpu", "quota"}})
	switch {
	case o.Spec.Has("manifests"), !inPod(o.Spec): // what is to be changed is not in the experiment
		return f
	case o.Spec.Has("quota"):
		return f.change("{quota: false}")
	}
	limit, _, ok := podCPULimit(o.Arm)
	if o.Spec.Target == "kubernetes" && o.Spec.Has("cpuRequest") {
		if _, given := fact(o.Arm, keys.PodAskedCPULimit); given { // what sets a limit where the arm asks for none sets it again
			return f.change("{cpu: %d}", max(1, int(math.Ceil(2*limit))))
		}
		return f.change("{cpu: null}")
	}
	if written, has := o.Spec.Setting("cpu"); !ok && has {
		limit, _, _ = amount(written)
	}
	return f.change("{cpu: %s}", o.amountOfCPU(2*limit))
}

// amountOfCPU is the CPU of an arm that needs more: max, or as many whole CPUs as would do where the record does not have
// the size of a node, because nodes cannot be listed, which max needs.
func (o *Observed) amountOfCPU(enough float64) string {
	if _, known := fact(o.Arm, keys.NodeAllocatableCPU); known || o.Spec.Target != "kubernetes" {
		return "max"
	}
	return strconv.Itoa(max(1, int(math.Ceil(enough))))
}

// inPod says that the arm's servers are in a pod, with the cgroups of one.
func inPod(spec experiment.Arm) bool {
	return spec.Target == "container" || spec.Target == "kubernetes" && !spec.Has("bare")
}
