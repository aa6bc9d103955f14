// Package summary holds the results of a load as figures that can be merged across load
// generators.
package summary

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"sort"
	"time"

	"github.com/tarebench/tare/internal/loadgen/latency"
	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/workload"
)

// Version is the version of the JSON form; docs/load.md is its contract.
const Version = 1

// Report is the whole of a load, or of several that ran at the same time.
type Summary struct {
	Version    int       `json:"version"`
	Workload   string    `json:"workload"`
	Generators int       `json:"generators"`
	Threads    int       `json:"threads"`
	Started    time.Time `json:"started"`
	// Seconds is the length of the measured window.
	Seconds float64 `json:"seconds"`
	// Counts are those of the window: statements that were answered, by class;
	// errors that were ignored as sysbench ignores them.
	Counts record.Counts `json:"counts"`
	// ErrorCodes counts all errors; from 2000 on they are the client's own (2003
	// could not connect, 2013 lost connection, 2027 not the protocol).
	ErrorCodes map[uint16]int64 `json:"error_codes,omitempty"`
	Latency    Latency          `json:"latency"`
	// Lateness is the generator's own: from due to sent with a connection free.
	Lateness *Latency `json:"lateness,omitempty"`
	// Due and Unsent count the arrivals of an open loop.
	Due    int64 `json:"due,omitempty"`
	Unsent int64 `json:"unsent,omitempty"`
	// Tail are transactions answered after the window. Unfinished had no answer when the time to wait for one after it
	// was over, GivenUp had failed and were not tried again, because the window had ended.
	Tail       int64       `json:"tail"`
	Unfinished int         `json:"unfinished"`
	GivenUp    int         `json:"given_up,omitempty"`
	Statements []Statement `json:"statements"`
	// Kinds are the transactions by kind, where the workload has several: of tpcc
	// new_order, payment and so on.
	Kinds []Kind `json:"kinds,omitempty"`
	// Slowest is where the transactions spent their time, all of them and the
	// slowest; nil where none ended after it was known what slow is.
	Slowest *record.Slowest `json:"slowest,omitempty"`
	Outages []Outage        `json:"outages,omitempty"`
	// Unreachable says why connections could not be made again at the window's end, where
	// that was DNS or TLS.
	Unreachable string    `json:"unreachable,omitempty"`
	Network     Network   `json:"network"`
	Generator   Generator `json:"generator"`
}

// Latency is a distribution of durations.
type Latency struct {
	Histogram *record.Histogram `json:"histogram"`
	SumNS     float64           `json:"sum_ns"`
}

// Statement is the latency of one statement of the workload.
type Statement struct {
	Name string `json:"name"`
	SQL  string `json:"sql"`
	Latency
}

// Kind is the latency of one kind of transaction.
type Kind struct {
	Name string `json:"name"`
	Latency
}

// Outage is a time in which no transaction succeeded after one had failed, in
// seconds since the load began. FirstSuccess is 0 where there was none.
type Outage struct {
	LastSuccess  float64 `json:"last_success_s"`
	FirstFailure float64 `json:"first_failure_s"`
	FirstSuccess float64 `json:"first_success_s"`
}

// Network is what the kernel knows of the connections; all zero for Unix sockets.
type Network struct {
	Sockets     int     `json:"sockets"`
	RTTMicros   float64 `json:"rtt_us"`     // smoothed, median connection
	MinRTT      float64 `json:"min_rtt_us"` // smallest ever, median connection
	SlowestRTT  float64 `json:"slowest_rtt_us"`
	Retransmits int64   `json:"retransmits"`
}

// Generator is what the generator itself used, and whether it was held up.
type Generator struct {
	Loops         int     `json:"loops"`
	UserSeconds   float64 `json:"user_s"`
	SystemSeconds float64 `json:"system_s"`
	// RunQueueSeconds the loops waited for a processor.
	RunQueueSeconds float64 `json:"run_queue_s"`
	// PreemptingSeconds its loops preempted other threads, because they would have waited
	// for long; of open loops.
	PreemptingSeconds float64 `json:"preempting_s,omitempty"`
	// ThrottledSeconds a CPU quota of its cgroup kept it from running, in WatchedSeconds: the
	// window, or by slices the load of its own counted turns. Of several generators, both are of
	// the one that was throttled for the largest share: one that is saturated is a fault.
	ThrottledSeconds float64 `json:"throttled_s"`
	WatchedSeconds   float64 `json:"watched_s,omitempty"`
	// Waited says that the loops waited for a CPU for so long that latencies have it; "" where they did not.
	Waited string `json:"waited,omitempty"`
	// Busiest is the largest share of the window a loop ran or waited to run.
	Busiest float64 `json:"busiest_loop"`
	MaxRSS  int64   `json:"max_rss_bytes"`
	// SystemCalls are those of the loops in the window, WakeUps how often a loop's thread had given up its CPU.
	SystemCalls int64 `json:"system_calls,omitempty"`
	WakeUps     int64 `json:"wake_ups,omitempty"`
	// StartLateSeconds is how long after the start, which generators of one load agree
	// on, its last loop began; 0 in an open loop.
	StartLateSeconds float64 `json:"start_late_s"`
	// Invalid says why the generator, not the server, may have set the figures; ""
	// where nothing points to that.
	Invalid string `json:"invalid,omitempty"`
	// InvalidCode is Invalid as a code: quota, busy or late.
	InvalidCode string `json:"invalid_code,omitempty"`
}

// From makes the report of one run.
func From(p *workload.Program, threads int, r *loop.Result) *Summary {
	w := r.Window
	out := &Summary{
		Version: Version, Workload: p.Name, Generators: 1, Threads: threads, Started: r.Started, Seconds: r.Length.Seconds(),
		Counts: record.Counts{Transactions: w.Transactions, Reads: w.Reads, Writes: w.Writes, Other: w.Other,
			Errors: w.Ignored, Reconnects: w.Reconnects},
		ErrorCodes: maps.Clone(w.Errors), Latency: exported(w.Latency), Due: w.Due, Unsent: w.Unsent,
		Tail: r.Tail.Transactions, Unfinished: r.Unfinished, GivenUp: r.GivenUp, Unreachable: mysqld.Unreachable(r.Unmade),
		Network: Network{r.Network.Sockets, micros(r.Network.RTT), micros(r.Network.Min), micros(r.Network.Slowest), r.Network.Retransmits},
		Generator: Generator{Loops: r.Loops, UserSeconds: r.Self.User.Seconds(), SystemSeconds: r.Self.System.Seconds(),
			RunQueueSeconds: r.Self.Waited.Seconds(), PreemptingSeconds: r.Self.Preempted.Seconds(), ThrottledSeconds: r.Self.Throttled.Seconds(), WatchedSeconds: r.Self.Watched.Seconds(), Busiest: r.Self.Busiest, MaxRSS: r.Self.MaxRSS, SystemCalls: r.Self.Calls.All(), WakeUps: r.Self.Calls.Sleeps, StartLateSeconds: r.Self.Late.Seconds()},
	}
	if w.Lateness != nil {
		l := exported(w.Lateness)
		out.Lateness = &l
	}
	for i, s := range p.Statements {
		out.Statements = append(out.Statements, Statement{s.Name, abbreviate(s.SQL), exported(w.Statements[i])})
	}
	for i, name := range p.Kinds {
		out.Kinds = append(out.Kinds, Kind{name, exported(w.Kinds[i])})
	}
	out.Slowest = slowest(p, w.Slowest)
	for _, o := range r.Outages {
		out.Outages = append(out.Outages, Outage{o.LastSuccess.Seconds(), o.FirstFailure.Seconds(), o.FirstSuccess.Seconds()})
	}
	out.Generator.InvalidCode, out.Generator.Invalid = out.invalid()
	out.Generator.Waited = out.Generator.waited(out.Seconds)
	return out
}

func exported(h *latency.Histogram) Latency { return Latency{h.Export(), h.Sum} }

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// abbreviate keeps a bulk insert of thousands of rows out of the report.
func abbreviate(sql string) string {
	const most = 300
	if len(sql) <= most {
		return sql
	}
	return sql[:most] + "..."
}

// Thresholds of a generator that is itself what was measured. A loop that runs or
// waits to run more than nine tenths of the time answers late; lateness counts
// when its 99th percentile is a tenth of the latencies' 95th, the lowest percentile that has a verdict. A
// tenth of the median was rejected: no verdict is about it, and it voided event runs of 50/s on a busy machine.
const (
	saturated     = 0.9
	throttledMost = 0.01
)

// lateShare is the share of n operations that have to be late before more than 1 % of all that the generator sends
// are, at 95 %: the upper limit of a binomial count, approximated by a normal distribution.
func lateShare(n int64) float64 {
	const share, quantile = 0.01, 1.645
	return min(1, share+quantile*math.Sqrt(share*(1-share)/float64(max(n, 1))))
}

func (r *Summary) invalid() (code, why string) {
	g := r.Generator
	switch {
	case g.ThrottledSeconds > throttledMost*g.WatchedSeconds:
		return "quota", fmt.Sprintf("the CPU quota of the load generator stopped it for %.2f s of %.2f s; more than 1 %% of the time makes latencies too long", g.ThrottledSeconds, g.WatchedSeconds)
	case g.Busiest > saturated:
		return "busy", fmt.Sprintf("a thread of the load generator was on a CPU or waited for one for %.0f %% of the window, and above 90 %% it reads answers late", 100*g.Busiest)
	}
	if r.Lateness != nil {
		late, latencies := r.Lateness.Histogram, r.Latency.Histogram
		p99, _ := late.Percentile(99)
		p95, _ := latencies.Percentile(95)
		// Of few operations, some more than 1 % can be late by chance.
		certain, _ := late.Percentile(100 * (1 - lateShare(late.Total())))
		if certain > p95/10 && certain > int64(100*time.Microsecond) {
			return "late", fmt.Sprintf("1 %% of the operations were sent more than %.3f ms after they were due, which is more than a tenth of the p95 latency (%.3f ms)", float64(p99)/1e6, float64(p95)/1e6)
		}
	}
	return "", ""
}

// Merge gives what one generator that did the work of all would have measured:
// counts and histograms add up exactly. The window's length is the longest of the
// parts', which are the same where they started together.
func Merge(parts []*Summary) (*Summary, error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("merge reports: no report is given")
	}
	sum := *parts[0]
	sum.ErrorCodes = maps.Clone(sum.ErrorCodes)
	sum.Latency, sum.Statements = copyOf(sum.Latency), append([]Statement{}, sum.Statements...)
	for i := range sum.Statements {
		sum.Statements[i].Latency = copyOf(sum.Statements[i].Latency)
	}
	sum.Slowest = sum.Slowest.Merge(nil) // a copy
	sum.Kinds = append([]Kind(nil), sum.Kinds...)
	for i := range sum.Kinds {
		sum.Kinds[i].Latency = copyOf(sum.Kinds[i].Latency)
	}
	if sum.Lateness != nil {
		l := copyOf(*sum.Lateness)
		sum.Lateness = &l
	}
	outages := [][]Outage{parts[0].Outages}
	for _, p := range parts[1:] {
		if err := sum.add(p); err != nil {
			return nil, err
		}
		outages = append(outages, p.Outages)
		sum.Unreachable = cmp.Or(sum.Unreachable, p.Unreachable)
	}
	sum.Outages = overlap(outages)
	sum.Generator.Waited = sum.Generator.waited(sum.Seconds)
	return &sum, nil
}

func copyOf(l Latency) Latency {
	h := &record.Histogram{Scheme: l.Histogram.Scheme, Counts: append([][2]int64{}, l.Histogram.Counts...)}
	return Latency{h, l.SumNS}
}

func (r *Summary) add(p *Summary) error {
	if p.Version != r.Version || p.Workload != r.Workload || len(p.Statements) != len(r.Statements) || len(p.Kinds) != len(r.Kinds) || (p.Lateness == nil) != (r.Lateness == nil) {
		return fmt.Errorf("merge reports: %s (version %d) and %s (version %d) are not parts of one load", r.Workload, r.Version, p.Workload, p.Version)
	}
	if r.ErrorCodes == nil {
		r.ErrorCodes = map[uint16]int64{}
	}
	for code, n := range p.ErrorCodes {
		r.ErrorCodes[code] += n
	}
	r.Generators += p.Generators
	r.Threads += p.Threads
	r.Seconds = max(r.Seconds, p.Seconds)
	if p.Started.Before(r.Started) {
		r.Started = p.Started
	}
	c, d := &r.Counts, p.Counts
	c.Transactions, c.Reads, c.Writes = c.Transactions+d.Transactions, c.Reads+d.Reads, c.Writes+d.Writes
	c.Other, c.Errors, c.Reconnects = c.Other+d.Other, c.Errors+d.Errors, c.Reconnects+d.Reconnects
	r.Due, r.Unsent = r.Due+p.Due, r.Unsent+p.Unsent
	r.Tail, r.Unfinished, r.GivenUp = r.Tail+p.Tail, r.Unfinished+p.Unfinished, r.GivenUp+p.GivenUp
	r.Slowest = r.Slowest.Merge(p.Slowest)
	r.Network.add(p.Network)
	r.Generator.add(p.Generator)
	if err := r.Latency.add(p.Latency); err != nil {
		return err
	}
	if r.Lateness != nil {
		if err := r.Lateness.add(*p.Lateness); err != nil {
			return err
		}
	}
	for i := range r.Statements {
		if err := r.Statements[i].Latency.add(p.Statements[i].Latency); err != nil {
			return err
		}
	}
	for i := range r.Kinds {
		if err := r.Kinds[i].Latency.add(p.Kinds[i].Latency); err != nil {
			return err
		}
	}
	return nil
}

func (l *Latency) add(o Latency) error {
	if !l.Histogram.Merge(o.Histogram) {
		return fmt.Errorf("merge histograms: schemes %s and %s differ", l.Histogram.Scheme, o.Histogram.Scheme)
	}
	l.SumNS += o.SumNS
	return nil
}

func (n *Network) add(o Network) {
	if o.Sockets > n.Sockets {
		n.RTTMicros, n.MinRTT = o.RTTMicros, o.MinRTT
	}
	n.Sockets += o.Sockets
	n.Retransmits += o.Retransmits
	n.SlowestRTT = max(n.SlowestRTT, o.SlowestRTT)
}

func (g *Generator) add(o Generator) {
	g.Loops += o.Loops
	g.UserSeconds += o.UserSeconds
	g.SystemSeconds += o.SystemSeconds
	g.RunQueueSeconds += o.RunQueueSeconds
	g.PreemptingSeconds += o.PreemptingSeconds
	if o.ThrottledSeconds*g.WatchedSeconds > g.ThrottledSeconds*o.WatchedSeconds {
		g.ThrottledSeconds, g.WatchedSeconds = o.ThrottledSeconds, o.WatchedSeconds
	}
	g.Busiest = max(g.Busiest, o.Busiest)
	g.MaxRSS += o.MaxRSS
	g.SystemCalls, g.WakeUps = g.SystemCalls+o.SystemCalls, g.WakeUps+o.WakeUps
	g.StartLateSeconds = max(g.StartLateSeconds, o.StartLateSeconds)
	if g.Invalid == "" {
		g.Invalid, g.InvalidCode = o.Invalid, o.InvalidCode
	}
}

// overlap is the time in which every generator was without service.
func overlap(parts [][]Outage) []Outage {
	common := parts[0]
	for _, next := range parts[1:] {
		var out []Outage
		for _, a := range common {
			for _, b := range next {
				if o, ok := both(a, b); ok {
					out = append(out, o)
				}
			}
		}
		common = out
	}
	sort.Slice(common, func(i, j int) bool { return common[i].FirstFailure < common[j].FirstFailure })
	return common
}

func both(a, b Outage) (Outage, bool) {
	o := Outage{max(a.LastSuccess, b.LastSuccess), max(a.FirstFailure, b.FirstFailure), a.FirstSuccess}
	if a.FirstSuccess == 0 || b.FirstSuccess != 0 && b.FirstSuccess < a.FirstSuccess {
		o.FirstSuccess = b.FirstSuccess
	}
	return o, o.FirstSuccess == 0 || o.FirstFailure < o.FirstSuccess
}

// Window is the report as the record keeps it.
func (r *Summary) Window() *record.Window {
	w := &record.Window{Seconds: r.Seconds, Counts: r.Counts, Latency: r.Latency.Record(), Slowest: r.Slowest}
	for _, s := range r.Statements {
		w.Statements = timed(w.Statements, s.Name, s.Latency)
	}
	for _, k := range r.Kinds {
		w.Kinds = timed(w.Kinds, k.Name, k.Latency)
	}
	return w
}

// timed leaves out what was never sent.
func timed(all []record.Timed, name string, l Latency) []record.Timed {
	if out := l.Record(); out != nil {
		all = append(all, record.Timed{Name: name, Latency: *out})
	}
	return all
}

// Record is a distribution as the record keeps it, in milliseconds.
func (l Latency) Record() *record.Latency {
	h := l.Histogram
	n := h.Total()
	if n == 0 {
		return nil
	}
	ms := func(ns int64) float64 { return float64(ns) / 1e6 }
	out := &record.Latency{Min: ms(h.Counts[0][0]), Max: ms(h.Counts[len(h.Counts)-1][0]),
		Sum: l.SumNS / 1e6, Mean: l.SumNS / 1e6 / float64(n), Percentiles: map[string]float64{}, Histogram: h}
	for _, p := range []float64{50, 90, 95, 99, 99.9} {
		v, _ := h.Percentile(p)
		out.Percentiles[fmt.Sprint(p)] = ms(v)
	}
	return out
}
