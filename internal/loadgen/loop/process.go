package loop

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// usage is what the process had used at a time.
type usage struct {
	taken        bool
	at           time.Time
	user, system time.Duration
	throttled    time.Duration
}

func takeUsage() usage {
	u := usage{taken: true, at: time.Now(), throttled: ownThrottledTime()}
	u.user, u.system = processUsage()
	return u
}

// processUse takes the process's use at both ends of the window.
type processUse struct {
	mu         sync.Mutex
	start, end usage
}

// watch takes the use when the window begins and ends; the returned function ends
// the watch.
func (p *processUse) watch(base time.Time, j *Job) (stop func()) {
	if j.Turns != nil { // others' turns are between ours: the loops count for themselves
		return func() {}
	}
	take := func(into *usage) func() {
		return func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			*into = takeUsage()
		}
	}
	begin := time.AfterFunc(time.Until(base)+j.Warmup, take(&p.start))
	if j.Time <= 0 {
		return func() { begin.Stop() }
	}
	end := time.AfterFunc(time.Until(base)+j.Warmup+j.Time, take(&p.end))
	return func() { begin.Stop(); end.Stop() }
}

func (p *processUse) used() (user, system time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.start.taken {
		return 0, 0
	}
	if !p.end.taken {
		p.end = takeUsage()
	}
	return p.end.user - p.start.user, p.end.system - p.start.system
}

// highWater is the largest resident memory since the program began. ru_maxrss is
// no use: it survives exec and starts with what the parent had (getrusage(2)).
func highWater() int64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	line, _, _ := strings.Cut(rest, "kB")
	kib, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

// throttled is how long the quota held the process up, and over which time that was seen.
func (p *processUse) throttled() (held, watched time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.end.taken {
		p.end = takeUsage()
	}
	if !p.start.taken { // the load ended before its window
		return 0, 0
	}
	return p.end.throttled - p.start.throttled, p.end.at.Sub(p.start.at)
}

func ownThrottledTime() time.Duration { return throttledTime("/proc/self/cgroup", "/sys/fs/cgroup") }

// throttledTime reads how long the quota of the process's own cgroup held it up;
// 0 where there is none. Version 2 says throttled_usec, version 1 throttled_time
// in nanoseconds (Documentation/admin-guide/cgroup-v2.rst, scheduler/sched-bwc.rst).
func throttledTime(cgroup, root string) time.Duration {
	b, err := os.ReadFile(cgroup)
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		f := strings.SplitN(line, ":", 3)
		if len(f) != 3 || f[1] != "" && !strings.Contains(","+f[1]+",", ",cpu,") {
			continue
		}
		for _, place := range []string{"", "cpu", "cpu,cpuacct", "unified"} {
			stat, err := os.ReadFile(filepath.Join(root, place, f[2], "cpu.stat"))
			if err != nil {
				continue
			}
			if d, ok := throttledIn(string(stat)); ok {
				return d
			}
		}
	}
	return 0
}

func throttledIn(stat string) (time.Duration, bool) {
	for _, line := range strings.Split(stat, "\n") {
		name, value, _ := strings.Cut(line, " ")
		n, err := strconv.ParseInt(value, 10, 64)
		switch {
		case err != nil:
		case name == "throttled_usec":
			return time.Duration(n) * time.Microsecond, true
		case name == "throttled_time":
			return time.Duration(n), true
		}
	}
	return 0, false
}
