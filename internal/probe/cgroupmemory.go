package probe

import (
	"context"
	"math"
	"path"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// cgroupMemory reads the server's cgroup. The limit is the least of all levels: one
// of the pod holds for its containers together.
func cgroupMemory() Probe {
	return Probe{
		Name: "cgroup.memory", Help: "memory of the server's cgroup, its limit, and reclaim and OOM kills at the limit", Controller: "memory",
		Metrics: []record.Metric{
			gauge(keys.CgroupMemoryUsageBytes, "bytes", "memory of the cgroup, page cache included"),
			gauge(keys.CgroupMemoryAnonymousBytes, "bytes", "anonymous memory of the cgroup"),
			gauge(keys.CgroupMemoryCacheBytes, "bytes", "page cache that is charged to the cgroup"),
			gauge(keys.CgroupMemoryHugeBytes, "bytes", "transparent huge pages of the cgroup"),
			gauge(keys.CgroupMemoryLimitBytes, "bytes", "lowest memory limit of the cgroup and its parents; absent without one"),
			cost(keys.CgroupMemoryAtLimit, "1", "allocations that reached the limit and made the kernel reclaim memory"),
			cost(keys.CgroupMemoryOverHigh, "1", "times that the cgroup was throttled above memory.high (cgroup v2)"),
			cost(keys.CgroupMemoryOOMKills, "1", "processes of the cgroup that the OOM killer killed"),
		},
		Start: func(p Place) (Read, error) {
			dirs, unified, err := p.groups("memory")
			if err != nil {
				return nil, err
			}
			files := memoryV1
			if unified {
				files = memoryUnified
			}
			return p.own("memory", usageOfMemory(), func(_ context.Context, put func(string, float64)) error {
				return files().read(p, dirs, put)
			}), nil
		},
	}
}

func usageOfMemory() []string {
	return []string{keys.CgroupMemoryUsageBytes, keys.CgroupMemoryAnonymousBytes, keys.CgroupMemoryCacheBytes, keys.CgroupMemoryHugeBytes}
}

// Memory reads what the probe of the server's cgroup does, which can be read as long as the
// cgroup exists: also when the server has ended.
func Memory(p Place) (Read, error) { return cgroupMemory().Start(p) }

// memoryFiles are where a hierarchy has what.
type memoryFiles struct {
	limit string
	// met are the files of allocations that met the limit of the container, and of its pod
	// alone; key is theirs, "" for a single number.
	met    [2]string
	key    string
	single map[string]string            // file -> metric
	keyed  map[string]map[string]string // file -> key -> metric
}

func memoryUnified() memoryFiles {
	return memoryFiles{
		limit: "memory.max", met: [2]string{"memory.events", "memory.events.local"}, key: "max",
		single: map[string]string{"memory.current": keys.CgroupMemoryUsageBytes},
		keyed: map[string]map[string]string{
			"memory.stat":   {"anon": keys.CgroupMemoryAnonymousBytes, "file": keys.CgroupMemoryCacheBytes, "anon_thp": keys.CgroupMemoryHugeBytes},
			"memory.events": {"high": keys.CgroupMemoryOverHigh, "oom_kill": keys.CgroupMemoryOOMKills},
		},
	}
}

func memoryV1() memoryFiles {
	return memoryFiles{
		limit: "memory.limit_in_bytes", met: [2]string{"memory.failcnt", "memory.failcnt"},
		single: map[string]string{"memory.usage_in_bytes": keys.CgroupMemoryUsageBytes},
		keyed: map[string]map[string]string{
			"memory.stat":        {"total_rss": keys.CgroupMemoryAnonymousBytes, "total_cache": keys.CgroupMemoryCacheBytes, "total_rss_huge": keys.CgroupMemoryHugeBytes},
			"memory.oom_control": {"oom_kill": keys.CgroupMemoryOOMKills},
		},
	}
}

// metLimit is how often allocations met the limit of the server's container or of its pod. The
// pod's limit is the sum of those of its containers, and the sandbox takes part of it, so the
// pod meets its limit first. The levels above are not the server's alone.
func (f memoryFiles) metLimit(p Place, dirs []string) (sum float64, ok bool) {
	for i, name := range f.met[:min(len(f.met), len(dirs))] {
		text, err := read(p.Root, path.Join(dirs[i], name))
		if err != nil {
			continue
		}
		v, known := keyed(text)[f.key]
		if f.key == "" {
			v, known = number(strings.TrimSpace(text))
		}
		sum, ok = sum+v, ok || known
	}
	return sum, ok
}

// read reads the server's own cgroup, the first of dirs, and the limits of all.
func (f memoryFiles) read(p Place, dirs []string, put func(string, float64)) error {
	for name, metric := range f.single {
		if v, err := single(p.Root, path.Join(dirs[0], name)); err == nil {
			put(metric, v)
		}
	}
	if limit := f.least(p, dirs); limit < unlimited {
		put(keys.CgroupMemoryLimitBytes, limit)
	}
	if met, ok := f.metLimit(p, dirs); ok {
		put(keys.CgroupMemoryAtLimit, met)
	}
	for name, keys := range f.keyed {
		text, err := read(p.Root, path.Join(dirs[0], name))
		if err != nil {
			return err
		}
		rename(keyed(text), keys, 1, put)
	}
	return nil
}

// unlimited is less than what cgroup v1 writes for "no limit", the largest
// page-aligned number; cgroup v2 writes a word.
const unlimited = float64(math.MaxInt64 >> 1)

func (f memoryFiles) least(p Place, dirs []string) float64 {
	limit := unlimited
	for _, dir := range dirs {
		if v, err := single(p.Root, path.Join(dir, f.limit)); err == nil {
			limit = min(limit, v)
		}
	}
	return limit
}
