package diagnose

import "github.com/tarebench/tare/internal/keys"

func cCPU06() Rule {
	return Rule{
		ID: "C-CPU-06", Title: "CPU steal", Severity: Warning,
		What: "Steal time is time in which a CPU of this virtual machine had work, but the hypervisor ran another virtual machine. Nothing inside the " +
			"virtual machine can prevent it.",
		Impact:   "Lower throughput and unstable latency, in proportion to the steal time.",
		Fix:      "Use an instance type with dedicated CPUs, or one whose CPU credits are not used up.",
		Sources:  []string{"Linux, proc_stat(5): https://man7.org/linux/man-pages/man5/proc_stat.5.html"},
		Counters: []string{keys.HostCPUStealNS},
		Run:      stolen,
	}
}

// stolenFrom is the part of all CPUs' time from which it counts.
const stolenFrom = 0.02

func stolen(o *Observed) []Finding {
	steal, ok := rate(o.Arm, keys.HostCPUStealNS)
	if !ok {
		return unread("the CPU time of the machine")
	}
	all := steal
	for _, name := range []string{"user", "system", "irq", "idle"} {
		v, ok := rate(o.Arm, "host.cpu."+name+"_ns")
		if !ok {
			return unread("the CPU time of the machine")
		}
		all += v
	}
	if all <= 0 || steal/all < stolenFrom {
		return list(ruledOut("CPU steal %.2f %% of the machine's CPU time", 100*steal/max(all, 1)))
	}
	return list(seen("CPU steal %.1f %% of the machine's CPU time", 100*steal/all).fix("use an instance type with dedicated CPUs"))
}
