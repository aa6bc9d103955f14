package compare

// This file is what the probes' metrics did in the time of one trial. Every table, rule and
// sentence about a metric is made of these readings: two ways of reading samples would be two
// figures for one counter.

import (
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Reading is a metric of a trial at one reading of its probe.
type Reading struct {
	*record.Metric
	Sample int // index in Trial.Samples
	// At is the trial's own time, which stands still while another server has its turn;
	// Since is that of the reading before.
	At, Since time.Duration
	Value     float64
	// Grew is what a counter grew by since then; NaN at the first reading, and where it fell,
	// because it was started again.
	Grew  float64
	First bool
	// InWindow says that both readings are of the measured window.
	InWindow bool
}

// PerSecond is what a counter grew by in a second since the reading before; NaN where that is
// not known.
func (r Reading) PerSecond() float64 {
	if r.At <= r.Since {
		return math.NaN()
	}
	return r.Grew / (r.At - r.Since).Seconds()
}

// Readings are those of all declared metrics of a trial, in the order of time, and of
// [WaitPerCPU]. A sample has what changed only (docs/record.md), so a metric that it lacks is
// as it was: a counter grew by 0. Probes are not all read for every sample; one was read if the
// sample has any metric of it (groupOf), and all were at both ends of the window.
func Readings(t *record.Trial) iter.Seq[Reading] {
	return func(yield func(Reading) bool) {
		c := newCourse(t)
		for i := range t.Samples {
			if !c.next(t, i, yield) {
				return
			}
		}
	}
}

// course is where the readings of a trial have come to.
type course struct {
	begin    int // the first sample of the window; -1 without one
	declared map[string]*record.Metric
	names    record.Columns
	now      []lastReading
	waiting  Waiting
	ratio    *record.Metric
	waited   lastReading // of ratio
}

// lastReading is what a metric was when it was read last.
type lastReading struct {
	metric *record.Metric // nil of one that is not declared
	group  string
	known  bool
	value  float64 // in the latest sample
	before float64 // when it was read last
	at     time.Duration
	read   bool
}

func newCourse(t *record.Trial) *course {
	ratio := WaitPerCPU()
	c := &course{declared: map[string]*record.Metric{}, ratio: &ratio, begin: windowBegin(t)}
	others := othersToo(t)
	for i := range t.Metrics {
		if m := &t.Metrics[i]; !others[m.Name] {
			c.declared[m.Name] = m
		}
	}
	return c
}

// useOf are the metrics of what a cgroup used, by its controller.
func useOf() map[string][]string {
	return map[string][]string{
		"cpuacct": {keys.CgroupCPUUsageNS},
		"memory":  {keys.CgroupMemoryUsageBytes, keys.CgroupMemoryAnonymousBytes, keys.CgroupMemoryCacheBytes, keys.CgroupMemoryHugeBytes},
		"blkio":   {keys.CgroupIOReads, keys.CgroupIOWrites, keys.CgroupIOReadBytes, keys.CgroupIOWriteBytes},
	}
}

// othersToo are metrics of a process in the root cgroup, which holds everything that runs on the
// machine. Newer records do not have them (probe.Place).
func othersToo(t *record.Trial) map[string]bool {
	all := map[string]bool{}
	for _, f := range t.Facts {
		if f.Key != keys.ServerCgroup || !strings.Contains(f.Source, "/proc/") || !ofProcess(t) {
			continue
		}
		for line := range strings.Lines(f.Value) { // hierarchy:controllers:path, cgroups(7)
			parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
			if len(parts) != 3 || parts[2] != "/" {
				continue
			}
			for controller := range strings.SplitSeq(parts[1], ",") {
				for _, name := range useOf()[controller] {
					all[name] = true
				}
			}
		}
	}
	return all
}

// ofProcess says that the server was in no container.
func ofProcess(t *record.Trial) bool {
	return slices.ContainsFunc(t.Facts, func(f record.Fact) bool { return strings.HasPrefix(f.Key, keys.CgroupOwnPrefix) })
}

// windowBegin is the first sample of the window; -1 without one.
func windowBegin(t *record.Trial) int {
	return slices.IndexFunc(t.Samples, func(s record.Sample) bool { return !s.Warmup })
}

// next goes on to a sample; false where the reader wants no more.
func (c *course) next(t *record.Trial, i int, yield func(Reading) bool) bool {
	s := &t.Samples[i]
	columns, values := c.names.Of(s.Values)
	for k := len(c.now); k < len(c.names.Names); k++ {
		name := c.names.Names[k]
		c.now = append(c.now, lastReading{metric: c.declared[name], group: groupOf(name)})
	}
	groups := map[string]bool{}
	for k, v := range values {
		m := &c.now[columns[k]]
		m.value, m.known = v, true
		groups[m.group] = true
		c.waiting.Read(c.names.Names[columns[k]], v)
	}
	edge := i == c.begin || i == len(t.Samples)-1
	for k := range c.now {
		if m := &c.now[k]; m.metric != nil && m.known && (edge || groups[m.group]) && !yield(c.reading(m, i, s.At)) {
			return false
		}
	}
	if v, ok := c.waiting.Next(); ok {
		c.waited.metric, c.waited.value = c.ratio, v
		return yield(c.reading(&c.waited, i, s.At))
	}
	return true
}

// reading is the latest of a metric, which it moves on.
func (c *course) reading(m *lastReading, sample int, at time.Duration) Reading {
	r := Reading{Metric: m.metric, Sample: sample, At: at, Since: m.at, Value: m.value, Grew: math.NaN(), First: !m.read}
	if m.read && m.metric.Counter && m.value >= m.before {
		r.Grew = m.value - m.before
	}
	r.InWindow = !r.First && c.begin >= 0 && sample > c.begin
	m.before, m.at, m.read = m.value, at, true
	return r
}
