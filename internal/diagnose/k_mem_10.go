package diagnose

import (
	"math"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
)

func kMEM10() Rule {
	return Rule{
		ID: "K-MEM-10", Title: "Memory limit reached, or the server was OOM-killed", Severity: Error,
		What: "A cgroup at its memory limit first reclaims page cache, while the allocating thread waits. When nothing is left to reclaim, the kernel kills " +
			"a process. For a database this is a crash followed by redo log recovery.",
		Impact:   "Allocation stalls; or a crash, recovery and an empty buffer pool.",
		Fix:      "Raise the memory limit to the buffer pool plus 10 %, plus the sessions, plus some hundred MiB; or reduce the buffer pool.",
		Sources:  []string{k8sKubelet, mysqlPool},
		Counters: []string{keys.CgroupMemoryAtLimit},
		Run:      outOfMemory,
	}
}

func outOfMemory(o *Observed) []Finding {
	kills, read := killed(o.Arm)
	for _, e := range o.Arm.Evidence {
		if killsOfServer(e.Key) {
			v, err := strconv.ParseFloat(e.Value, 64)
			if err != nil {
				v = e.Change
			}
			read = read || v >= 0
			kills = max(kills, v)
		}
	}
	reclaims, counted := rate(o.Arm, keys.CgroupMemoryAtLimit)
	limit, _, limited := level(o.Arm, keys.CgroupMemoryLimitBytes)
	grow := func(f Finding) []Finding {
		f = f.fix("raise the memory limit or reduce the buffer pool")
		switch size, ok := fact(o.Arm, keys.PodMemoryLimit); {
		case o.Spec.Has("manifests"), !inPod(o.Spec): // what is to be changed is not in the experiment
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
	case counted && reclaims > 1 && onlyCache(o.Arm, limit):
		if waited, read := rate(o.Arm, keys.CgroupPressureMemorySomeNS); read {
			return list(ruledOut("memory limit of %.0f MiB reached %.0f times/s; tasks waited for memory for %.1f %% of the time", limit/(1<<20), reclaims, 100*waited/1e9))
		}
		return list(unknown("memory limit of %.0f MiB reached %.0f times/s, but the page cache has more than %.0f %% of it: whether the server waits for the reclaim is not known", limit/(1<<20), reclaims, 100*cacheFrom))
	case counted && reclaims > 1:
		return grow(seen("memory limit of %.0f MiB reached %.0f times/s, with reclaim each time", limit/(1<<20), reclaims))
	case !inPod(o.Spec): // tare gives a plain process no limit; what tare itself runs in may have one
		return nil
	case unreadAfter(o.Arm) != "":
		return list(unknown("the server ended while it was watched, and the memory counters of its cgroup could not be read afterwards: %s", unreadAfter(o.Arm)))
	case !read && !counted:
		return unread("the memory events of its cgroup")
	case !counted:
		return list(notRead("no OOM kill; how often the memory limit was reached was not read"))
	case !limited:
		return list(ruledOut("no memory limit and no OOM kill"))
	}
	return list(ruledOut("no OOM kill; memory limit reached %.2f times/s", reclaims))
}

// killsOfServer is whether a fact counts the OOM kills of the server's pod or container. The
// levels above them (kubepods and its QoS classes) count the kills of every pod below them on
// cgroup v2 (Documentation/admin-guide/cgroup-v2.rst, memory.events is hierarchical).
func killsOfServer(key string) bool {
	own := strings.Contains(key, keys.CgroupPodPrefix) || strings.Contains(key, keys.CgroupContainerPrefix)
	return own && strings.HasSuffix(key, ".oom_kill") && !compare.Beside(key)
}

// cacheFrom is the part of the limit that page cache takes from which reclaim finds clean pages at
// once: files that are read or written once (binary logs, backups) fill any limit, and each charge
// then counts as one that met it (Documentation/admin-guide/cgroup-v2.rst, memory.events: max).
// pressureFrom is the part of the time that tasks wait for memory from which they do wait.
const (
	cacheFrom    = 0.10
	pressureFrom = 0.01
)

// onlyCache is whether what is reclaimed at the limit is page cache, and no wait was measured.
// The cache that cgroups count includes tmpfs, which cannot be reclaimed without swap.
func onlyCache(arm *compare.Arm, limit float64) bool {
	if kind, _ := fact(arm, keys.ContainerDataFilesystem); kind == "tmpfs" {
		return false
	}
	cache, _, ok := level(arm, keys.CgroupMemoryCacheBytes)
	waited, _ := rate(arm, keys.CgroupPressureMemorySomeNS)
	return ok && limit > 0 && cache > cacheFrom*limit && waited < pressureFrom*1e9
}

// killed is how many processes of a running server's cgroup the kernel killed while it was
// watched.
func killed(arm *compare.Arm) (kills float64, read bool) {
	perSecond, ok := rate(arm, keys.CgroupMemoryOOMKills)
	if !ok || !isLive(arm) {
		return 0, false
	}
	seconds := 0.0
	for _, t := range arm.Trials {
		if t.Window != nil {
			seconds += t.Window.Seconds
		}
	}
	return math.Round(perSecond * seconds), true
}

// unreadAfter is why the counters of a server that has ended are older than its end.
func unreadAfter(arm *compare.Arm) string {
	for _, t := range arm.Trials {
		for _, f := range t.Facts {
			if f.Key == keys.WatchedMemory && f.Unknown != "" {
				return f.Unknown
			}
		}
	}
	return ""
}
