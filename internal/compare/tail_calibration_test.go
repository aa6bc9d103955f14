//go:build !race

package compare

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/tarebench/tare/internal/record"
)

const (
	tailRounds   = 8
	tailRequests = 1500  // a trial's: 15 of them lie beyond p99
	tailEffect   = 0.10  // of the arm, on the logarithm of every response time
	tailSpread   = 0.5   // of the requests of a trial, on the logarithm
	tailRound    = 0.10  // of the rounds, which both arms share
	tailTrial    = 0.03  // of the trials
	upper95      = 1.645 // the normal's quantiles
	upper99      = 2.326
)

// timedTrial is a trial whose requests take exp(N(median, tailSpread)) ms, counted to 3
// significant figures as the engine does.
func timedTrial(rng *rand.Rand, round int, median float64) (*record.Trial, []float64) {
	logs := make([]float64, tailRequests)
	counts := map[int64]int64{}
	for i := range logs {
		logs[i] = median + tailSpread*rng.NormFloat64()
		ns := math.Exp(logs[i]) * 1e6
		unit := math.Pow(10, math.Floor(math.Log10(ns))-2)
		counts[int64(math.Round(ns/unit)*unit)]++
	}
	h := &record.Histogram{Scheme: "s"}
	for value, n := range counts {
		h.Counts = append(h.Counts, [2]int64{value, n})
	}
	slices.SortFunc(h.Counts, func(a, b [2]int64) int { return int(a[0] - b[0]) })
	return &record.Trial{
		Header: record.Header{Round: round},
		Window: &record.Window{Counts: record.Counts{Transactions: tailRequests}, Latency: &record.Latency{Histogram: h}},
	}, logs
}

// TestC15Tails: the intervals of p95 and p99 each, and those of their costs together, miss the truth in
// 5 % of runs. The control takes the requests of all trials for independent: its interval of p95
// (order statistics) leaves out that all requests of a trial share its state.
func TestC15Tails(t *testing.T) {
	runs, low, high := 200, 0.005, 0.11
	if os.Getenv("TARE_CALIBRATE") != "" {
		runs, low, high = 4000, 0.04, 0.06
	}
	rng := rand.New(rand.NewPCG(15, 95))
	j := comparison{run: &record.Run{}, res: &Result{Margin: 0.01, Arms: []Arm{{Baseline: true}, {}}}}
	missed := map[string]int{}
	for range runs {
		var trials [2][]*record.Trial
		var pooled []float64
		for round := range tailRounds {
			shared := tailRound * rng.NormFloat64()
			for i := range trials {
				trial, logs := timedTrial(rng, round, shared+tailTrial*rng.NormFloat64()+float64(i)*tailEffect)
				trials[i] = append(trials[i], trial)
				if i == 0 {
					pooled = append(pooled, logs...)
				}
			}
		}
		base, arm := tails(ofWindows(trials[0]...), stopping{}), tails(ofWindows(trials[1]...), stopping{})
		j.tailsAgainst(&Arm{Tails: base}, &Arm{Tails: arm})
		either := 0
		for i, upper := range []float64{upper95, upper99} {
			name := "p" + arm[i].Percentile
			outside := func(in Interval, truth float64) int {
				if truth < in.Lo || truth > in.Hi {
					return 1
				}
				return 0
			}
			missed[name] += outside(*base[i].Interval, math.Exp(upper*tailSpread))
			if in := arm[i].CostInterval; in != nil {
				either = max(either, outside(*in, 100*math.Expm1(tailEffect)))
			}
		}
		missed["either cost"] += either
		slices.Sort(pooled)
		n := float64(len(pooled))
		half := 1.96 * math.Sqrt(n*0.95*0.05)
		if truth := upper95 * tailSpread; pooled[int(0.95*n-half)] > truth || pooled[int(0.95*n+half)] < truth {
			missed["control"]++
		}
	}
	for _, name := range []string{"p95", "p99", "either cost", "control"} {
		rate := float64(missed[name]) / float64(runs)
		t.Logf("C15 %s: %.1f %% of %d intervals miss", name, 100*rate, runs)
		if name == "control" && rate < 0.3 {
			t.Errorf("the control misses in %.1f %% only: the simulation is too easy", 100*rate)
		}
		least := low
		if name == "either cost" {
			least = low / 2 // p95 and p99 err together, which Bonferroni does not use
		}
		if name != "control" && (rate < least || rate > high) {
			t.Errorf("%s: %.1f %% of the intervals miss, want about 5", name, 100*rate)
		}
	}
}
