package diagnose

import (
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/compare"
)

func kMEM10() Rule {
	return Rule{
		ID: "K-MEM-10", Title: "Memory limit reached, or the server was OOM-killed", Severity: Error,
		What: "A cgroup at its memory limit first reclaims page cache, while the allocating thread waits. When nothing is left to reclaim, the kernel kills " +
			"a process. For a database this is a crash followed by redo log recovery.",
		Impact:   "Allocation stalls; or a crash, recovery and an empty buffer pool.",
		Fix:      "Raise the memory limit to the buffer pool plus 10 %, plus the sessions, plus some hundred MiB; or reduce the buffer pool.",
		Sources:  []string{k8sKubelet, mysqlPool},
		Counters: []string{"cgroup.memory.at_limit"},
		Run:      outOfMemory,
	}
}

func outOfMemory(o *Observed) []Finding {
	if !inPod(o.Spec) {
		return nil
	}
	kills, read := 0.0, false
	for _, e := range o.Arm.Evidence {
		if strings.HasSuffix(e.Key, ".oom_kill") && !compare.Beside(e.Key) {
			// A server that died before it was ready was read only once.
			v, err := strconv.ParseFloat(e.Value, 64)
			if err != nil {
				v = e.Change
			}
			read = read || v >= 0
			kills = max(kills, v)
		}
	}
	reclaims, counted := rate(o.Arm, "cgroup.memory.at_limit")
	limit, _, limited := level(o.Arm, "cgroup.memory.limit_bytes")
	grow := func(f Finding) []Finding {
		f = f.fix("raise the memory limit or reduce the buffer pool")
		switch size, ok := fact(o.Arm, "pod.memory.limit"); {
		case o.Spec.Has("manifests"): // what is to be changed in them is theirs to say
		case o.Spec.Has("memoryLimit"):
			f = f.change("{memoryLimit: false}")
		case limited:
			f = f.change("{memory: %.0fMi}", 2*limit/(1<<20))
		case ok && strings.HasSuffix(size, "Gi"), ok && strings.HasSuffix(size, "Mi"):
			n, _ := strconv.ParseFloat(size[:len(size)-2], 64)
			f = f.change("{memory: %.0f%s}", 2*n, size[len(size)-2:])
		}
		return list(f)
	}
	switch {
	case kills > 0:
		return grow(seen("%.0f OOM kills at the memory limit", kills))
	case counted && reclaims > 1:
		return grow(seen("memory limit of %.0f MiB reached %.0f times/s, with reclaim each time", limit/(1<<20), reclaims))
	case !read && !counted:
		return unread("the memory events of its cgroup")
	case !limited:
		return list(ruledOut("no memory limit and no OOM kill"))
	}
	return list(ruledOut("no OOM kill; memory limit reached %.2f times/s", reclaims))
}
