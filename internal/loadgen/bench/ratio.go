package main

import (
	"math"
	"sort"
)

// ratio is the median of some pairs' ratios with the interval that holds the true
// median with at least 95 %, from order statistics alone: no distribution is
// assumed. Below 6 pairs there is none, and the interval is the range.
type ratio struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Pairs  int     `json:"pairs"`
}

func ratioOf(x []float64) ratio {
	s := append([]float64{}, x...)
	sort.Float64s(s)
	n := len(s)
	if n == 0 {
		return ratio{}
	}
	k := rank(n)
	return ratio{Median: (s[(n-1)/2] + s[n/2]) / 2, Low: s[k], High: s[n-1-k], Pairs: n}
}

// rank is the largest k for which the interval from the k-th (from 0) to the
// k-th-last value still covers the median with 95 %: the number of values below
// the median is binomial with 1/2.
func rank(n int) int {
	k, tail := 0, 0.0
	for {
		choose := math.Exp(lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1) - float64(n)*math.Ln2)
		if tail += choose; tail > 0.025 || k >= n/2 {
			return max(k-1, 0)
		}
		k++
	}
}

func lgamma(n int) float64 {
	v, _ := math.Lgamma(float64(n))
	return v
}
