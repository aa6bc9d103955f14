package main

import "testing"

// TestFewArrivals: `tare check` names the percentiles that the random arrivals of a window may be too few for.
func TestFewArrivals(t *testing.T) {
	const (
		p99  = "a p99 needs 1,000 in every trial)"
		both = "a p95 needs 200 and " + p99
	)
	for mean, want := range map[float64]string{
		200:  " (about 200 transactions in each trial, more or fewer at random: " + both, // half of the trials have fewer
		240:  " (about 240 transactions in each trial, more or fewer at random: " + both,
		250:  " (about 250 transactions in each trial, more or fewer at random: " + p99,
		1000: " (about 1000 transactions in each trial, more or fewer at random: " + p99,
		1100: "",
	} {
		if got := fewArrivals(mean); got != want {
			t.Errorf("%v: %q, want %q", mean, got, want)
		}
	}
}
