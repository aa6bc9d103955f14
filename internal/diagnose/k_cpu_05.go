package diagnose

import (
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
)

func kCPU05() Rule {
	return Rule{
		ID: "K-CPU-05", Title: "The server may use fewer CPUs than the baseline", Severity: Warning,
		What: "Exclusive CPUs are whole CPUs, and the node reserves some for the system. A server bound to exclusive CPUs runs on no others. A comparison " +
			"with a server that may use all CPUs compares CPU counts, not the effect of Kubernetes.",
		Impact:   "Measured: one exclusive CPU of two lost 47.1 % [42.7, 51.1] of the throughput compared with both.",
		Fix:      "Use the same number of CPUs in both configurations, or bind the baseline to as few.",
		Sources:  []string{k8sCM, measured},
		Counters: []string{keys.ServerCPUUserNS, keys.ServerCPUSystemNS, keys.ServerSessionWaitNS},
		Run:      fewerCPUs,
	}
}

// usedUp is the part of its CPUs' time from which a server has no more to take.
const usedUp = 0.85

// fewerCPUs says nothing of arms that may run on as many CPUs.
func fewerCPUs(o *Observed) []Finding {
	if o.Base == nil {
		return withoutBaseline(o)
	}
	// How many, whichever they were: a kubelet gives each server those that are free.
	n, ok := factAs(o.Arm, keys.ServerCPUsAllowed, compare.CountCPUs)
	m, ok2 := factAs(o.Base, keys.ServerCPUsAllowed, compare.CountCPUs)
	if !ok || !ok2 || n == 0 || n >= m {
		return nil
	}
	user, ok := rate(o.Arm, keys.ServerCPUUserNS)
	system, ok2 := rate(o.Arm, keys.ServerCPUSystemNS)
	if !ok || !ok2 {
		return list(notRead("CPUs allowed: %d (%d in %s); the CPU time that it used was not read", n, m, o.Base.Name))
	}
	used := (user + system) / 1e9
	if used < usedUp*float64(n) {
		return list(ruledOut("CPUs allowed: %d (%d in %s); CPUs used: %.2f", n, m, o.Base.Name, used))
	}
	f := seen("CPUs allowed: %d (%d in %s); CPUs used: %.2f", n, m, o.Base.Name, used).fix("use as many CPUs as %s", o.Base.Name)
	if o.Spec.Has("exclusive") {
		f = f.change("{exclusive: false, cpu: max}")
	}
	return list(f.explains(o, compare.SpentWaiting))
}
