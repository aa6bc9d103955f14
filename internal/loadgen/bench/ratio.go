package main

import (
	"fmt"
	"math"

	"github.com/tarebench/tare/internal/stats"
)

// ratio is the geometric mean of some pairs' ratios, with the 95 % interval that a report gives the
// rounds of an experiment: Student's t on the logarithms. One pair has no interval.
type ratio struct {
	Ratio    float64     `json:"ratio"`
	Interval *[2]float64 `json:"interval,omitempty"`
	Pairs    int         `json:"pairs"`
}

func ratioOf(x []float64) ratio {
	logs := make([]float64, len(x))
	for i, v := range x {
		logs[i] = math.Log(v)
	}
	r := ratio{Ratio: math.Exp(stats.Mean(logs)), Pairs: len(x)}
	if len(x) > 1 {
		lo, hi := stats.TInterval(logs, 0.05)
		r.Interval = &[2]float64{math.Exp(lo), math.Exp(hi)}
	}
	return r
}

func (r ratio) String() string {
	if r.Interval == nil {
		return fmt.Sprintf("%.3f", r.Ratio)
	}
	return fmt.Sprintf("%.3f [%.3f, %.3f]", r.Ratio, r.Interval[0], r.Interval[1])
}
