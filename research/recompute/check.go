package main

// This file is the figures of a document, and what they should be.

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// report is the part of docs/result.schema.json that is calculated again.
type report struct {
	Run struct {
		LatencyRate float64 `json:"latency_rate"`
	} `json:"run"`
	Arms []struct {
		Name       string   `json:"name"`
		Threads    int      `json:"threads"`
		Throughput *float64 `json:"throughput_mean"`
		CPUWait    *float64 `json:"cpu_wait"`
		Throttled  *struct {
			Share   float64 `json:"share"`
			Periods float64 `json:"periods"`
		} `json:"throttled"`
		Tails []struct {
			Percentile string   `json:"percentile"`
			Mean       *float64 `json:"mean_ms"`
			Cost       *float64 `json:"cost_percent"`
		} `json:"tails"`
	} `json:"arms"`
	Contrasts []struct {
		Arm      string   `json:"arm"`
		Baseline string   `json:"baseline"`
		Threads  int      `json:"threads"`
		Effect   *float64 `json:"effect_percent"`
	} `json:"contrasts"`
	Probes struct {
		Series []struct {
			Metric  string   `json:"metric"`
			Counter bool     `json:"counter"`
			Arm     string   `json:"arm"`
			Threads int      `json:"threads"`
			Window  *float64 `json:"window"`
		} `json:"series"`
	} `json:"probes"`
	Pools []struct {
		Arm     string   `json:"arm"`
		Threads int      `json:"threads"`
		Hit     *float64 `json:"hit_percent"`
		Data    *float64 `json:"data_bytes"`
	} `json:"pools"`
	Explained []struct {
		Arm     string `json:"arm"`
		Threads int    `json:"threads"`
		Budget  []struct {
			Name string   `json:"name"`
			MS   *float64 `json:"ms"`
		} `json:"budget"`
	} `json:"explained"`
}

// close is how much a figure may differ: the document has four digits of some.
const close = 6e-4

type checker struct {
	doc     *report
	trials  []trial
	checked int
	differ  []string
}

// check compares a figure with what it should be; nil and NaN are not known.
func (c *checker) check(printed *float64, want float64, what string, args ...any) {
	c.checked++
	name := fmt.Sprintf(what, args...)
	switch {
	case printed == nil && math.IsNaN(want):
	case printed == nil:
		c.differ = append(c.differ, fmt.Sprintf("%s: the report has no figure, the streams give %g", name, want))
	case math.IsNaN(want):
		c.differ = append(c.differ, fmt.Sprintf("%s: %g, which the streams do not give", name, *printed))
	case math.Abs(*printed-want) > close*math.Max(math.Abs(want), math.Abs(*printed)):
		c.differ = append(c.differ, fmt.Sprintf("%s: %g, the streams give %g", name, *printed, want))
	}
}

// of are the trials of an arm that gave a throughput; first leaves out the second trials of the
// baseline.
func (c *checker) of(arm string, threads int, first bool) (all []trial) {
	for _, t := range c.trials {
		if t.arm == arm && t.threads == threads && t.throughput() > 0 && !(first && t.again) {
			all = append(all, t)
		}
	}
	return all
}

// mean is that of what the trials give; NaN if none does.
func mean(trials []trial, of func(trial) (float64, bool)) float64 {
	sum, n := 0.0, 0
	for _, t := range trials {
		if v, ok := of(t); ok {
			sum, n = sum+v, n+1
		}
	}
	return sum / float64(n)
}

// total is a sum over the trials, and how many give it.
func total(trials []trial, name string) (sum float64, n int) {
	for _, t := range trials {
		if v, ok := t.grew(name); ok {
			sum, n = sum+v, n+1
		}
	}
	return sum, n
}

// throughput is a geometric mean over the rounds that the arm and the other of its change have in common; over all
// trials, where it is in no change or in changes over different rounds.
func (c *checker) throughput(arm string, threads int) float64 {
	trials, rounds := c.of(arm, threads, false), map[int]bool(nil)
	for _, d := range c.doc.Contrasts {
		if d.Effect == nil || d.Threads != threads || d.Arm != arm && d.Baseline != arm {
			continue
		}
		both := c.inBoth(d.Arm, d.Baseline, threads)
		if rounds != nil && !maps.Equal(rounds, both) {
			return math.Exp(mean(c.of(arm, threads, false), logThroughput))
		}
		rounds, trials = both, c.of(arm, threads, true)
	}
	return math.Exp(mean(trials, func(t trial) (float64, bool) {
		v, _ := logThroughput(t)
		return v, rounds == nil || rounds[t.round]
	}))
}

func logThroughput(t trial) (float64, bool) { return math.Log(t.throughput()), true }

// inBoth are the rounds in which two arms have a trial.
func (c *checker) inBoth(arm, base string, threads int) map[int]bool {
	all, both := map[int]bool{}, map[int]bool{}
	for _, t := range c.of(base, threads, true) {
		all[t.round] = true
	}
	for _, t := range c.of(arm, threads, true) {
		if all[t.round] {
			both[t.round] = true
		}
	}
	return both
}

func (c *checker) arms() {
	for _, a := range c.doc.Arms {
		where := fmt.Sprintf("%s x%d", a.Name, a.Threads)
		c.check(a.Throughput, c.throughput(a.Name, a.Threads), "%s: throughput", where)
		trials := c.of(a.Name, a.Threads, true)
		if wait := mean(trials, trial.waitPerCPU); !math.IsNaN(wait) {
			c.check(a.CPUWait, wait, "%s: run-queue wait", where)
		}
		periods, n := total(trials, "cgroup.cpu.nr_periods")
		if held, m := total(trials, "cgroup.cpu.nr_throttled"); periods > 0 && n == m && a.Throttled != nil {
			c.check(&a.Throttled.Periods, periods, "%s: CFS periods", where)
			c.check(&a.Throttled.Share, math.Min(1, held/periods), "%s: share of throttled periods", where)
		}
		for _, tail := range a.Tails {
			c.check(tail.Mean, math.Exp(mean(trials, c.logPercentile(tail.Percentile))), "%s: p%s", where, tail.Percentile)
			c.tailCost(a.Name, a.Threads, tail.Percentile, tail.Cost)
		}
	}
}

// tailCost is the change of a percentile from the baseline over the rounds that both have.
func (c *checker) tailCost(arm string, threads int, name string, printed *float64) {
	if printed == nil || len(c.doc.Contrasts) == 0 {
		return
	}
	of, base := c.logPercentile(name), map[int]float64{}
	for _, t := range c.of(c.doc.Contrasts[0].Baseline, threads, true) {
		if v, ok := of(t); ok {
			base[t.round] = v
		}
	}
	cost := mean(c.of(arm, threads, true), func(t trial) (float64, bool) {
		v, ok := of(t)
		was, both := base[t.round]
		return v - was, ok && both
	})
	c.check(printed, 100*math.Expm1(cost), "%s x%d: cost of p%s", arm, threads, name)
}

// logPercentile is the logarithm of a percentile of a trial, in ms: at the fixed rate where the run has one.
func (c *checker) logPercentile(name string) func(trial) (float64, bool) {
	return func(t trial) (float64, bool) {
		w := t.window
		if c.doc.Run.LatencyRate > 0 {
			w = t.atRate
		}
		if w == nil || w.Latency == nil || w.Latency.Histogram == nil {
			return 0, false
		}
		var p float64
		if _, err := fmt.Sscan(name, &p); err != nil {
			return 0, false
		}
		counts := w.Latency.Histogram.Counts
		all, seen := int64(0), int64(0)
		for _, b := range counts {
			all += b[1]
		}
		for _, b := range counts {
			if seen += b[1]; float64(seen) >= p/100*float64(all) {
				return math.Log(float64(b[0]) / 1e6), true
			}
		}
		return 0, false
	}
}

func (c *checker) contrasts() {
	for _, d := range c.doc.Contrasts {
		if d.Effect == nil {
			continue
		}
		base := map[int]float64{}
		for _, t := range c.of(d.Baseline, d.Threads, true) {
			base[t.round] = t.throughput()
		}
		effect := mean(c.of(d.Arm, d.Threads, true), func(t trial) (float64, bool) {
			b, ok := base[t.round]
			return math.Log(t.throughput() / b), ok
		})
		c.check(d.Effect, 100*math.Expm1(effect), "%s against %s x%d: effect", d.Arm, d.Baseline, d.Threads)
	}
}

// metrics are the rows of the table of system metrics.
func (c *checker) metrics() {
	for _, s := range c.doc.Probes.Series {
		want := mean(c.of(s.Arm, s.Threads, true), func(t trial) (float64, bool) {
			if s.Metric == "server.wait_per_cpu_s" {
				return t.waitPerCPU()
			}
			if !s.Counter {
				return t.mean(s.Metric)
			}
			change, ok := t.grew(s.Metric)
			_, _, seconds, _ := t.ends()
			return change / seconds, ok
		})
		c.check(s.Window, want, "%s x%d: %s", s.Arm, s.Threads, s.Metric)
	}
}

func (c *checker) pools() {
	for _, p := range c.doc.Pools {
		trials := c.of(p.Arm, p.Threads, true)
		hit := mean(trials, func(t trial) (float64, bool) {
			missed, ok := t.grew("mysql.innodb_buffer_pool_reads")
			asked, ok2 := t.grew("mysql.innodb_buffer_pool_read_requests")
			return 100 * (1 - missed/asked), ok && ok2 && asked > 0
		})
		c.check(p.Hit, hit, "%s x%d: hit rate", p.Arm, p.Threads)
		if p.Data != nil {
			i := slices.IndexFunc(trials, func(t trial) bool { _, ok := t.number("data.bytes"); return ok })
			if i < 0 {
				c.check(p.Data, math.NaN(), "%s x%d: size of the data", p.Arm, p.Threads)
				continue
			}
			size, _ := trials[i].number("data.bytes")
			c.check(p.Data, size, "%s x%d: size of the data", p.Arm, p.Threads)
		}
	}
}

// budgets are the parts of a transaction that one counter gives.
func (c *checker) budgets() {
	counters := map[string]struct {
		name  string
		scale float64
	}{"on a CPU": {"server.session.run_ns", 1e-6}, "row locks": {"mysql.innodb_row_lock_time", 1}}
	for _, e := range c.doc.Explained {
		trials := c.of(e.Arm, e.Threads, true)
		if slices.ContainsFunc(trials, func(t trial) bool { return t.window.Capacity != nil || t.facts["load.member.1.tps"] != "" }) {
			continue
		}
		for _, p := range e.Budget {
			what := fmt.Sprintf("%s x%d: %s of a transaction", e.Arm, e.Threads, p.Name)
			from, one := counters[p.Name]
			switch {
			case p.Name == "a transaction":
				c.check(p.MS, mean(trials, func(t trial) (float64, bool) {
					run, ok := t.grew("server.session.run_ns")
					return latencyOf(t), ok && run > 0 && latencyOf(t) > 0
				}), "%s", what)
			case one:
				c.check(p.MS, mean(trials, func(t trial) (float64, bool) {
					run, ok := t.grew("server.session.run_ns")
					v, _ := t.grew(from.name)
					return v * from.scale / timed(t), ok && run > 0 && latencyOf(t) > 0
				}), "%s", what)
			}
		}
	}
}

func latencyOf(t trial) float64 {
	if t.window.Latency == nil {
		return 0
	}
	return t.window.Latency.Mean
}

// timed are the transactions that have a latency: fewer, where an INSERT of many rows counts as many.
func timed(t trial) float64 {
	n := t.transactions()
	if t.window.Latency.Histogram == nil {
		return n
	}
	timed := int64(0)
	for _, b := range t.window.Latency.Histogram.Counts {
		timed += b[1]
	}
	if share := float64(timed) / float64(t.window.Counts.Transactions); share > 0 && share < 0.5 {
		return n * share
	}
	return n
}
