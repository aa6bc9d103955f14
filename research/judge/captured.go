package main

// This file compares what a quota costs by a built-in and by a captured workload (research/captured-cost.sh).

import (
	"fmt"
	"io"
	"math"

	"github.com/tarebench/tare/internal/report"
)

// captured: the costs' intervals overlap. Nothing is shown by workloads that differ by more than a tenth in the
// statements of a transaction, by fewer than three rounds of one, or by an interval that contains 0, as on a machine so
// busy that no server gets half a CPU.
func captured(out io.Writer, dir string) (bool, error) {
	was, err := results(dir, "builtin-*.json")
	if err != nil {
		return false, err
	}
	is, err := results(dir, "captured-*.json")
	if err != nil {
		return false, err
	}
	x, y := statements(was), statements(is)
	if !(math.Abs(y-x) <= 0.1*max(x, y)) {
		fmt.Fprintf(out, "INVALID: the captured workload did other work than the built-in one: a transaction of it has %.1f statements, one of the built-in %.1f\n", y, x)
		return false, nil
	}
	real, shownReal := quotaCost(out, "built-in workload", was)
	other, shownOther := quotaCost(out, "captured workload", is)
	if !shownReal || !shownOther {
		return false, nil
	}
	if max(real.hi, other.hi) >= 0 {
		fmt.Fprintln(out, "an interval contains 0: the cost of the quota was not measured; repeat with more rounds on a quiet machine")
		return false, nil
	}
	fmt.Fprintf(out, "the intervals %s\n", either(real.overlaps(other), "overlap", "do NOT overlap"))
	return real.overlaps(other), nil
}

// statements is how many a transaction has, over the arms of all runs.
func statements(runs []*report.Document) float64 {
	sum, n := 0.0, 0
	for _, doc := range runs {
		for _, a := range doc.Arms {
			sum, n = sum+float64(a.QueriesMean/a.ThroughputMean), n+1
		}
	}
	return sum / float64(n)
}

// quotaCost is the cost over the rounds of all runs of one workload.
func quotaCost(out io.Writer, workload string, runs []*report.Document) (cost interval, enough bool) {
	var logs []float64
	base := 0.0
	for _, doc := range runs {
		for _, c := range doc.Contrasts {
			if c.Arm != "quota" {
				continue
			}
			logs = append(logs, logRatios(c)...)
			for _, p := range c.Pairs {
				base += float64(p.Baseline)
			}
		}
	}
	if len(logs) < 3 {
		fmt.Fprintf(out, "%s: %d complete rounds are too few\n", workload, len(logs))
		return interval{}, false
	}
	cost = estimate(logs)
	fmt.Fprintf(out, "%s: %.0f transactions/s without the quota; the quota changes that by %s, %d rounds\n", workload, base/float64(len(logs)), cost, len(logs))
	return cost, true
}
