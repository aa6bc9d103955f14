package diagnose

import "github.com/tarebench/tare/internal/keys"

func kMEM09() Rule {
	return Rule{
		ID: "K-MEM-09", Title: "Transparent huge pages are set to \"always\"", Severity: Note,
		What: "With \"always\" the kernel backs normal allocations with huge pages, compacts memory to create them and splits them again. A buffer pool can " +
			"benefit. A server with many small allocations uses more memory.",
		Impact: "Allocation stalls during compaction and higher memory use; sometimes a gain. Measure it.",
		Fix: "Run `echo madvise > /sys/kernel/mm/transparent_hugepage/enabled` on the node and measure the effect. Use explicit huge pages (large_pages) " +
			"for the buffer pool.",
		Sources:  []string{"Linux, Documentation/admin-guide/mm/transhuge.rst: https://docs.kernel.org/admin-guide/mm/transhuge.html"},
		Counters: []string{keys.CgroupMemoryHugeBytes, keys.HostCompactionStalls},
		Run:      hugePages,
	}
}

// hugeFrom is the part of a server's memory in huge pages from which they count.
const hugeFrom = 0.05

func hugePages(o *Observed) []Finding {
	mode, ok := fact(o.Arm, keys.HostMemoryTHP)
	huge, _, ok2 := level(o.Arm, keys.CgroupMemoryHugeBytes)
	all, _, ok3 := level(o.Arm, keys.CgroupMemoryAnonymousBytes)
	if !ok || !ok2 || !ok3 || all <= 0 {
		return unread("the huge pages of its cgroup")
	}
	stalls, counted := rate(o.Arm, keys.HostCompactionStalls)
	if counted && huge/all < hugeFrom && stalls < 1 {
		return list(ruledOut("%.1f %% of its memory is in transparent huge pages (%s), no compaction stalls", 100*huge/all, mode))
	}
	if mode != "always" {
		return list(ruledOut("transparent huge pages only where a process asks for them (%s)", mode))
	}
	if !counted && huge/all < hugeFrom {
		return unread("the compaction stalls of the machine")
	}
	f := seen("transparent huge pages are set to %s: %.0f %% of its memory is in them", mode, 100*huge/all).fix("set madvise on the node")
	if counted {
		f = f.and(", %.1f compaction stalls/s", stalls)
	}
	if o.Spec.Target == "container" {
		f = f.change("{hugePages: never}")
	}
	return list(f)
}
