package main

// This file is the intervals that results are judged by, each of 95 %.

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/stats"
)

// agreement is the largest difference of runs that agree, in log-points.
const agreement = 0.1

// interval is a mean with its interval.
type interval struct{ mean, lo, hi float64 }

// estimate is that of independent values (Student's t).
func estimate(x []float64) interval {
	lo, hi := stats.TInterval(x, 0.05)
	return interval{stats.Mean(x), lo, hi}
}

// welch is the difference of two means, a less b, with the interval of B. L. Welch (Biometrika 34, 1947), which is one
// of several that hold together (Bonferroni). Each sample has at least two values.
func welch(a, b []float64, several int) interval {
	va, vb := stats.Variance(a)/float64(len(a)), stats.Variance(b)/float64(len(b))
	df := (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	d, half := stats.Mean(a)-stats.Mean(b), 0.0
	if va+vb > 0 {
		half = distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1-0.025/float64(several)) * math.Sqrt(va+vb)
	}
	return interval{d, d - half, d + half}
}

// agrees says that a difference is shown to be smaller than agreement: an interval that contains 0 alone shows nothing.
func (e interval) agrees() bool { return e.lo >= -agreement && e.hi <= agreement }

func (e interval) overlaps(f interval) bool { return e.lo <= f.hi && f.lo <= e.hi }

func (e interval) contains(x float64) bool { return e.lo <= x && x <= e.hi }

// String is a change of logarithms in percent.
func (e interval) String() string {
	return fmt.Sprintf("%.1f %% [%.1f, %.1f]", stats.Percent(e.mean), stats.Percent(e.lo), stats.Percent(e.hi))
}

// bounds prints the interval of a result, which a comparison without a verdict lacks.
func bounds(in *[2]report.Number) string {
	if in == nil {
		return "not determined"
	}
	return fmt.Sprintf("[%.2f, %.2f]", in[0], in[1])
}
