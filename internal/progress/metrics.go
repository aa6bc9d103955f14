// Live figures in Prometheus's format.

package progress

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/tarebench/tare/internal/record"
)

// Handler serves the figures of the run. None has the arm for a label: a graph
// with a line for each arm would be the effect, and the result is sealed.
func (p *Progress) Handler(version string) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(newCollector(p, version))
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}

// sample is one figure: its description and how it is read from the state.
type sample struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(s *state, now time.Time) (value float64, known bool)
}

type collector struct {
	p       *Progress
	info    *prometheus.Desc
	trials  *prometheus.Desc
	phase   *prometheus.Desc
	samples []sample
	version string
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("tare_"+name, help, labels, nil)
}

func newCollector(p *Progress, version string) *collector {
	return &collector{
		p: p, version: version, samples: samples(),
		info:   describe("run_info", "The run under way.", "version", "workload", "plan"),
		trials: describe("run_trials", "Trials of the plan by outcome.", "state"),
		phase:  describe("run_phase", "1 for the current phase.", "phase"),
	}
}

func samples() []sample {
	const gauge, counter = prometheus.GaugeValue, prometheus.CounterValue
	always := func(f func(s *state, now time.Time) float64) func(*state, time.Time) (float64, bool) {
		return func(s *state, now time.Time) (float64, bool) { return f(s, now), true }
	}
	loaded := func(f func(i *record.Interval) float64) func(*state, time.Time) (float64, bool) {
		return func(s *state, _ time.Time) (float64, bool) {
			if s.second == nil {
				return 0, false
			}
			return f(s.second), true
		}
	}
	return []sample{
		{describe("run_rounds_planned", "Rounds that are planned now."), gauge, always(func(s *state, _ time.Time) float64 { return float64(s.plan.Rounds) })},
		{describe("run_rounds_complete", "Rounds of which every trial is done."), gauge, always(func(s *state, _ time.Time) float64 { return float64(s.roundsDone()) })},
		{describe("run_rounds_voided_total", "Rounds that were void and are repeated."), counter, always(func(s *state, _ time.Time) float64 { return float64(s.voided) })},
		{describe("run_left_seconds", "Estimated time to the end of the run."), gauge, always(func(s *state, now time.Time) float64 {
			left, _, _ := s.left(now)
			return left.Seconds()
		})},
		{describe("trial_number", "Number of the current trial in the plan; 0 while data is made."), gauge, always(func(s *state, _ time.Time) float64 { return float64(s.trial.Number) })},
		{describe("trial_throughput_transactions_per_second", "Last second of the current trial."), gauge, loaded(func(i *record.Interval) float64 { return i.Transactions })},
		{describe("trial_latency_seconds", "Response time of the current trial at the load's percentile, last second."), gauge, func(s *state, _ time.Time) (float64, bool) {
			if s.second == nil || s.second.Percentile == 0 {
				return 0, false
			}
			return s.second.Latency / 1e3, true
		}},
		{describe("load_transactions_total", "Transactions of all loads of this process, warm-up included."), counter, always(func(s *state, _ time.Time) float64 { return s.transactions })},
		{describe("load_errors_total", "Errors of all loads of this process."), counter, always(func(s *state, _ time.Time) float64 { return s.errors })},
		{describe("load_reconnects_total", "Reconnects of all loads of this process."), counter, always(func(s *state, _ time.Time) float64 { return s.reconnects })},
	}
}

// Describe is prometheus.Collector's.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	out <- c.info
	out <- c.trials
	out <- c.phase
	for _, s := range c.samples {
		out <- s.desc
	}
}

// Collect is prometheus.Collector's.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	s, now := c.p.state, time.Now()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	gauge(c.info, 1, c.version, s.workload, s.plan.Hash)
	if s.phase != "" {
		gauge(c.phase, 1, s.phase)
	}
	count := map[string]float64{"pending": float64(len(s.plan.Trials) - len(s.done))}
	for _, o := range record.Outcomes() {
		count[string(o)] = 0
	}
	for _, outcome := range s.done {
		count[string(outcome)]++
	}
	for state, n := range count {
		gauge(c.trials, n, state)
	}
	for _, m := range c.samples {
		if v, known := m.read(s, now); known {
			out <- prometheus.MustNewConstMetric(m.desc, m.kind, v)
		}
	}
}
