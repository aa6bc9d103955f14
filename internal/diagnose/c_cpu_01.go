package diagnose

import (
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
)

func cCPU01() Rule {
	return Rule{
		ID: "C-CPU-01", Title: "The CPU quota throttles the server", Severity: Error,
		What: "A CPU limit is a budget for each period of 100 ms. When the server's threads have used it up, all of them stand still until the next " +
			"period, also one that holds a lock others wait for.",
		Fix:      "More CPU, up to what fits on the node; whole CPUs of its own on a node that pins; no CPU limit; or fewer threads at a time.",
		Sources:  []string{cfsIssue, k8sCM},
		Counters: []string{"cgroup.cpu.nr_throttled", "cgroup.cpu.throttled_ns"},
		Run:      throttled,
	}
}

// throttledFrom is the share of periods from which throttling counts: below, it is
// the start of a server or a burst in an idle second.
const throttledFrom = 0.01

func throttled(o *Observed) []Finding {
	if !inPod(o.Spec) {
		return nil // nothing here gives a plain process a quota
	}
	share, periods, ok := o.Arm.Throttled()
	if !ok {
		if o.Arm.Unlimited() {
			return list(ruledOut("its cgroups have no CPU quota"))
		}
		return list(unknown("the counters of its CPU quota were not read"))
	}
	if share < throttledFrom {
		return list(ruledOut("its cgroup was throttled in %.1f %% of %.0f scheduler periods", 100*share, periods))
	}
	f := seen("its cgroup was throttled in %.0f %% of %.0f scheduler periods", 100*share, periods).fix("a higher CPU limit, or none").explains(o, compare.SpentThrottled)
	switch {
	case o.Spec.Has("manifests"): // what is to be changed in them is theirs to say
		return list(f)
	case o.Spec.Has("quota"):
		return list(f.change("{quota: false}"))
	case o.Spec.Target == "kubernetes" && o.Spec.Has("cpuRequest"):
		return list(f.change("{cpu: null}"))
	}
	return list(f.change("{cpu: max}"))
}

// inPod says that the arm's servers are in a pod, with the cgroups of one.
func inPod(spec experiment.Arm) bool {
	return spec.Target == "container" || spec.Target == "kubernetes" && !spec.Has("bare")
}
