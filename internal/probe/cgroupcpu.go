package probe

import (
	"context"
	"io/fs"
	"path"
	"slices"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// cgroupCPU reads what a quota did to the server's cgroup and to those above it:
// a quota on the pod throttles a container that has none
// (Documentation/admin-guide/cgroup-v2.rst, cpu; scheduler/sched-bwc.rst).
func cgroupCPU() Probe {
	return Probe{
		Name: "cgroup.cpu", Help: "CPU time and throttling of the server's cgroup", Controller: "cpu",
		Metrics: []record.Metric{
			counter(keys.CgroupCPUUsageNS, "ns", "CPU time that the cgroup used; absent where it holds others than the server"),
			counter(keys.CgroupCPUNrPeriods, "1", "CFS periods of the cgroup with a quota in which a task ran"),
			cost(keys.CgroupCPUNrThrottled, "1", "CFS periods in which a quota was used up, of the cgroup or one of its parents, whichever had most"),
			cost(keys.CgroupCPUThrottledNS, "ns", "time for which the cgroup or one of its parents was throttled, whichever was so for longest, summed over CPUs"),
			gauge(keys.CgroupCPULimit, "CPU", "lowest quota of the cgroup and its parents; absent without one"),
		},
		Start: func(p Place) (Read, error) {
			dirs, unified, err := p.groups("cpu")
			if err != nil {
				return nil, err
			}
			held := &quotas{}
			if unified {
				return p.own("cpu", usageOfCPU(), func(_ context.Context, put func(string, float64)) error { return cpuUnified(p.Root, dirs, held, put) }), nil
			}
			accounts, _, err := p.groups("cpuacct")
			if err != nil || p.shared("cpuacct") {
				accounts = nil
			}
			return func(_ context.Context, put func(string, float64)) error {
				return cpuV1(p.Root, dirs, accounts, held, put)
			}, nil
		},
	}
}

func usageOfCPU() []string { return []string{keys.CgroupCPUUsageNS} }

// own leaves out the use of a cgroup that is not the server's alone.
func (p Place) own(controller string, use []string, read Read) Read {
	if !p.shared(controller) {
		return read
	}
	return func(ctx context.Context, put func(string, float64)) error {
		return read(ctx, func(name string, v float64) {
			if !slices.Contains(use, name) {
				put(name, v)
			}
		})
	}
}

// throttling is what the levels of a tree have counted.
type throttling struct {
	periods, limit float64
	throttled, ns  []float64 // of each level
}

func (t *throttling) add(stat map[string]float64, timeKey string, factor float64) {
	t.periods = max(t.periods, stat["nr_periods"])
	t.throttled = append(t.throttled, stat["nr_throttled"])
	t.ns = append(t.ns, stat[timeKey]*factor)
}

// quotas is how much a tree was throttled.
type quotas struct{ periods, ns heldUp }

// heldUp is a count of throttling of a tree. A pod and its container often have the same quota
// and are throttled at the same time, so their counts are not added: of each stretch between two
// readings the largest counts.
type heldUp struct {
	last []float64
	sum  float64
}

func (h *heldUp) grow(now []float64) float64 {
	most := 0.0
	for i, v := range now {
		if i < len(h.last) {
			v -= h.last[i]
		}
		most = max(most, v)
	}
	h.last, h.sum = now, h.sum+most
	return h.sum
}

func (t *throttling) bound(quota, period float64) {
	if l := quota / period; period > 0 && (t.limit == 0 || l < t.limit) {
		t.limit = l
	}
}

func (t *throttling) put(held *quotas, put func(string, float64)) {
	put(keys.CgroupCPUNrPeriods, t.periods)
	put(keys.CgroupCPUNrThrottled, held.periods.grow(t.throttled))
	put(keys.CgroupCPUThrottledNS, held.ns.grow(t.ns))
	if t.limit > 0 {
		put(keys.CgroupCPULimit, t.limit)
	}
}

func cpuUnified(root fs.FS, dirs []string, held *quotas, put func(string, float64)) error {
	var t throttling
	for i, dir := range dirs {
		text, err := read(root, path.Join(dir, "cpu.stat"))
		if err != nil {
			return err
		}
		stat := keyed(text)
		if usage, ok := stat["usage_usec"]; ok && i == 0 {
			put(keys.CgroupCPUUsageNS, usage*1e3)
		}
		t.add(stat, "throttled_usec", 1e3)
		if text, err := read(root, path.Join(dir, "cpu.max")); err == nil { // the root has none
			if quota, period, ok := two(text); ok {
				t.bound(quota, period)
			}
		}
	}
	t.put(held, put)
	return nil
}

func cpuV1(root fs.FS, dirs, accounts []string, held *quotas, put func(string, float64)) error {
	if len(accounts) > 0 {
		if v, err := single(root, path.Join(accounts[0], "cpuacct.usage")); err == nil {
			put(keys.CgroupCPUUsageNS, v)
		}
	}
	var t throttling
	for _, dir := range dirs {
		text, err := read(root, path.Join(dir, "cpu.stat"))
		if err != nil {
			return err
		}
		t.add(keyed(text), "throttled_time", 1)
		// Without a quota the file says -1, which is not a number here.
		quota, err := single(root, path.Join(dir, "cpu.cfs_quota_us"))
		period, err2 := single(root, path.Join(dir, "cpu.cfs_period_us"))
		if err == nil && err2 == nil {
			t.bound(quota, period)
		}
	}
	t.put(held, put)
	return nil
}
