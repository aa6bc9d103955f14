package compare

// This file finds stalls: times within a trial in which almost nothing was committed, and
// the counters that moved then more than at any other time.

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Stall is a time in a trial's window in which throughput was below StallBelow of the
// window's median. A stop between two such times is another stall.
type Stall struct {
	Arm            string
	Threads        int
	Trial          int
	Start, Seconds float64 // Start is counted from the window's beginning
	Throughput     float64 // of the stall, transactions/s
	Median         float64 // of the window's intervals, transactions/s
	// Moved are the counters of which less is better whose rate in the stall was above
	// that of every other moment of the window, the one that rose most first. Nothing else
	// is claimed of them: what rises with a stall can be its cause or its consequence.
	Moved []Moved
}

// Moved is a counter that rose in a stall.
type Moved struct {
	record.Metric
	// Member is the server of a replicated database that was read, from 1; 0 where there
	// is one server.
	Member int
	// Rate is in the metric's unit per second in the stall, Before the highest rate of the
	// rest of the window.
	Rate, Before float64
}

const (
	// StallBelow is a share of the median that noise does not reach: at a spread of a
	// third of the mean it is 2.7 standard deviations below, and the slowest of a
	// hundred ordinary seconds is above it.
	StallBelow = 0.1
	// A median of fewer intervals says little of the rest.
	stallIntervals = 5
	// mostMoved are the counters that are kept of a stall.
	mostMoved = 5
)

// stalls are those of all measured trials, in their order. Trials of slices have none: a
// server that is off commits nothing.
func (j comparison) stalls() []Stall {
	if j.res.Sealed {
		return nil
	}
	var all []Stall
	for i := range j.res.Arms {
		a := &j.res.Arms[i]
		members := a.startValue(keys.ReplicationMembers) != ""
		for _, t := range a.numbers() {
			all = append(all, stallsOf(a, t, members)...)
		}
	}
	return all
}

func stallsOf(a *Arm, t *record.Trial, members bool) []Stall {
	var window []record.Interval
	for _, i := range t.Intervals {
		if !i.Warmup && i.Length > 0 {
			window = append(window, i)
		}
	}
	if len(window) < stallIntervals || t.Window.Uncounted > 0 {
		return nil
	}
	median := stats.Median(rates(window))
	begin := window[0].End - window[0].Length
	var all []Stall
	for i := 0; i < len(window); i++ {
		if window[i].Transactions >= StallBelow*median {
			continue
		}
		s := Stall{Arm: a.Name, Threads: a.Threads, Trial: t.Header.Trial, Start: window[i].End - window[i].Length - begin, Median: median}
		done := 0.0
		for ; i < len(window) && window[i].Transactions < StallBelow*median; i++ {
			s.Seconds += window[i].Length
			done += window[i].Transactions * window[i].Length
		}
		s.Throughput = done / s.Seconds
		all = append(all, s)
	}
	for i := range all {
		all[i].Moved = moved(t, all, i, members)
	}
	return all
}

func rates(window []record.Interval) []float64 {
	var all []float64
	for _, i := range window {
		all = append(all, i.Transactions)
	}
	return all
}

// moved compares the rates between readings that touch the stall with those between all
// readings that touch none.
func moved(t *record.Trial, all []Stall, which int, members bool) []Moved {
	begin := windowBegin(t)
	if begin < 0 {
		return nil
	}
	counted, in, out := map[string]record.Metric{}, map[string]float64{}, map[string]float64{}
	begun := t.Samples[begin].At
	for r := range Readings(t) {
		rate := r.PerSecond()
		if !r.InWindow || !r.Counter || r.Direction != record.LowerIsBetter || math.IsNaN(rate) {
			continue
		}
		counted[r.Name] = *r.Metric
		from, to := (r.Since - begun).Seconds(), (r.At - begun).Seconds()
		touches := func(s Stall) bool { return from < s.Start+s.Seconds && to > s.Start }
		switch {
		case touches(all[which]):
			in[r.Name] = max(in[r.Name], rate)
		case !slices.ContainsFunc(all, touches): // else of another stall
			out[r.Name] = max(out[r.Name], rate)
		}
	}
	var found []Moved
	for name, rate := range in {
		if rate > out[name] && rate > 0 {
			m := Moved{Metric: counted[name], Rate: rate, Before: out[name]}
			if members {
				m.Member = memberOf(name)
			}
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(x, y Moved) int {
		return cmp.Or(cmp.Compare(y.Rate/math.Max(y.Before, 1e-12), x.Rate/math.Max(x.Before, 1e-12)), cmp.Compare(x.Name, y.Name))
	})
	return found[:min(len(found), mostMoved)]
}

// groupOf is what a metric is read together with: the first word of its name, of each member. The files of
// a cgroup, and the threads of a server, are read each at times of their own (probe.Probe).
func groupOf(name string) string {
	member := memberMetric.FindString(name)
	words := strings.SplitN(name[len(member):], ".", 3)
	if len(words) == 3 && (words[0] == "cgroup" || words[0] == "server") {
		return member + words[0] + "." + words[1]
	}
	return member + words[0]
}

// memberMetric begins the names of metrics of further members.
var memberMetric = regexp.MustCompile(`^replication\.member\.(\d+)\.`)

// memberOf is the member that a metric was read of: the first, which the probes are beside,
// where the name has none.
func memberOf(name string) int {
	m := memberMetric.FindStringSubmatch(name)
	if m == nil {
		return 1
	}
	n, err := strconv.Atoi(m[1])
	if err != nil { // more digits than a number has
		return 1
	}
	return n
}
