// A finished run as samples for Prometheus: what a dashboard's history and an
// alert are made of. Live figures of a run under way are cmd/tare's.

package export

import (
	"fmt"
	"io"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/tarebench/tare/internal/report"
)

// prometheusFile writes ratios (0.098, not 9.8 %), Prometheus's base unit. A value
// that is not known has no sample: a zero would be drawn and averaged.
func prometheusFile(w io.Writer, doc *report.Document, _ Options) error {
	registry := prometheus.NewRegistry()
	fill(registry, doc)
	families, err := registry.Gather()
	if err != nil {
		return fmt.Errorf("gather samples: %w", err)
	}
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(w, f); err != nil {
			return fmt.Errorf("write samples: %w", err)
		}
	}
	return nil
}

// samples makes gauges of one registry. The run is not a label: it would begin a new
// series with every run, and history is what the samples are for.
type samples struct{ registry *prometheus.Registry }

func (s samples) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "tare", Name: name, Help: help}, labels)
	s.registry.MustRegister(g)
	return g
}

func set(g *prometheus.GaugeVec, v *float64, labels ...string) {
	if v != nil {
		g.WithLabelValues(labels...).Set(*v)
	}
}

func fill(registry *prometheus.Registry, doc *report.Document) {
	s, workload := samples{registry}, workloadOf(doc)
	s.gauge("build_info", "Version of tare that judged the run.", "version").WithLabelValues(doc.Tare).Set(1)
	s.effects(doc, workload)
	s.levels(doc, workload)
	of := []string{"layer", "from", "to", "workload", "threads"}
	part := s.gauge("layer_cost_ratio", "Share of the baseline's throughput that one layer costs.", of...)
	lower := s.gauge("layer_cost_lower_ratio", "Lower bound of the 95 % interval of a layer's cost.", of...)
	upper := s.gauge("layer_cost_upper_ratio", "Upper bound of the 95 % interval of a layer's cost.", of...)
	for row := range layers(doc) {
		if row.Layer == totalRow {
			continue // tare_cost_ratio has it, and a sum over layers must not count it twice
		}
		labels := []string{row.Layer, row.From, row.To, workload, fmt.Sprint(row.Threads)}
		set(part, ratio(row.Cost), labels...)
		set(lower, ratio(row.Lo95), labels...)
		set(upper, ratio(row.Hi95), labels...)
	}
	rounds := s.gauge("run_rounds", "Rounds of the run, complete and planned.", "state")
	rounds.WithLabelValues("complete").Set(float64(doc.Run.RoundsComplete))
	rounds.WithLabelValues("planned").Set(float64(doc.Run.RoundsPlanned))
	if to := doc.Run.Finished; to != nil {
		s.gauge("run_finished_timestamp_seconds", "When the run's last trial ended.").WithLabelValues().Set(float64(to.UnixMilli()) / 1e3)
	}
}

func (s samples) effects(doc *report.Document, workload string) {
	of := []string{"metric", "arm", "baseline", "workload", "threads"}
	cost := s.gauge("cost_ratio", "Cost of an arm against its baseline, as a share; positive is worse.", of...)
	lower := s.gauge("cost_lower_ratio", "Lower bound of the 95 % interval of the cost.", of...)
	upper := s.gauge("cost_upper_ratio", "Upper bound of the 95 % interval of the cost.", of...)
	rounds := s.gauge("cost_rounds", "Rounds that the cost of an arm and its interval are over.", of...)
	verdict := s.gauge("verdict", "1 for the verdict that was reached.", append(of, "verdict")...)
	set(s.gauge("margin_ratio", "Cost below which a change does not matter, fixed before the run."), ratio(known(doc.Run.MarginPercent)))
	for row := range effects(doc) {
		labels := []string{row.Metric, row.Arm, row.Baseline, workload, fmt.Sprint(row.Threads)}
		set(cost, ratio(row.Cost), labels...)
		set(lower, ratio(row.Lo95), labels...)
		set(upper, ratio(row.Hi95), labels...)
		rounds.WithLabelValues(labels...).Set(float64(row.Rounds))
		verdict.WithLabelValues(append(labels, row.Verdict)...).Set(1)
	}
}

func (s samples) levels(doc *report.Document, workload string) {
	mean := s.gauge("throughput_"+unitOfMetric(doc.ThroughputUnit()), "Throughput of an arm: the geometric mean over its complete rounds, as in the reports.", "arm", "workload", "threads")
	for _, a := range doc.Arms {
		set(mean, known(a.ThroughputMean), a.Name, workload, fmt.Sprint(a.Threads))
	}
}

// unitOfMetric is a unit of throughput as the end of a metric's name, where Prometheus has units: figures of two units
// are no one metric. "new orders/min" becomes new_orders_per_minute.
func unitOfMetric(unit string) string {
	what, per, divided := strings.Cut(unit, "/")
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(what))
	switch {
	case divided && per == "s":
		return name + "_per_second"
	case divided && per == "min":
		return name + "_per_minute"
	}
	return name
}

func ratio(percent *float64) *float64 {
	if percent == nil {
		return nil
	}
	v := *percent / 100
	return &v
}
