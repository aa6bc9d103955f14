//go:build !race

package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

const (
	rateRounds  = 8
	rateWindow  = 3.0  // s
	rateService = 1e-3 // s, the mean of the baseline
	rateSlower  = 0.10 // of the other arm
	rateStarts  = 0.03 // SD of a server's mean service time from start to start, on the logarithm
	rateSpread  = 0.8  // SD of the service times, on the logarithm
)

// queued are the response times of an open loop of Poisson arrivals at one server (Lindley, Proceedings of
// the Cambridge Philosophical Society 48, 1952) whose service times have this mean, in ms, and how many
// arrivals had not begun at the end.
func queued(rng *rand.Rand, rate, mean float64) (ms []float64, unsent int64) {
	at, free := 0.0, 0.0
	for {
		if at += rng.ExpFloat64() / rate; at > rateWindow {
			return ms, unsent
		}
		begin := max(at, free)
		free = begin + mean*math.Exp(rateSpread*rng.NormFloat64()-rateSpread*rateSpread/2)
		switch {
		case begin > rateWindow:
			unsent++
		case free <= rateWindow:
			ms = append(ms, 1000*(free-at))
		}
	}
}

func started(rng *rand.Rand, slower float64) float64 {
	return rateService * (1 + slower) * math.Exp(rateStarts*rng.NormFloat64())
}

// truths are the mean logarithms of p95 and p99 of an arm at a rate, over many starts.
func truths(rng *rand.Rand, rate, slower float64, starts int) (logs [2]float64) {
	for range starts {
		ms, _ := queued(rng, rate, started(rng, slower))
		slices.Sort(ms)
		for i, p := range []float64{0.95, 0.99} {
			logs[i] += math.Log(ms[int(math.Ceil(p*float64(len(ms))))-1]) / float64(starts)
		}
	}
	return logs
}

// simulated is the trial of an arm: a closed loop, and the window at the rate.
func simulated(rng *rand.Rand, p experiment.Trial, slower, rate float64) *record.Trial {
	mean := started(rng, slower)
	t := trialOf(p, 1/mean)
	if rate == 0 {
		return t
	}
	ms, unsent := queued(rng, rate, mean)
	counts := map[int64]int64{}
	for _, v := range ms {
		unit := math.Pow(10, math.Floor(math.Log10(v*1e6))-2)
		counts[int64(math.Ceil(v*1e6/unit)*unit)]++
	}
	h := &record.Histogram{Scheme: "s"}
	for value, n := range counts {
		h.Counts = append(h.Counts, [2]int64{value, n})
	}
	slices.SortFunc(h.Counts, func(a, b [2]int64) int { return int(a[0] - b[0]) })
	n := int64(len(ms))
	t.AtRate = &record.AtRate{Rate: rate, Outcome: record.Measured, Seconds: rateWindow, Counts: record.Counts{Transactions: n},
		Due: n + unsent, Unsent: unsent, Latency: &record.Latency{Histogram: h}}
	return t
}

// TestC27TailsAtRate: whole runs, whose rate is 60 % of what the slowest arm completed in their own first
// round, as on real servers: the intervals of the changes of p95 and p99 hold together in 95 % of the runs,
// and no arm that serves the rate is said not to. The control compares the closed loops, which do not see
// that a server that is 10 % slower has a queue that is longer by more.
func TestC27TailsAtRate(t *testing.T) {
	runs, starts, high := 60, 1000, 0.15
	if os.Getenv("TARE_CALIBRATE") != "" {
		runs, starts, high = 2000, 20_000, 0.06
	}
	rng := rand.New(rand.NewPCG(27, 60))
	yaml := strings.Replace(spec(rateRounds, "1%", "bare: {target: process}", "pod: {target: container}"), "threads: 4", "threads: 4, latency: {rate: 60%}", 1)
	slower := map[string]float64{"bare": 0, "pod": rateSlower}
	known, missed, closed := map[float64][2]float64{}, 0, 0
	for range runs {
		r := planned(t, yaml)
		for _, p := range r.Plan.Trials { // their first round, without the rate
			if p.Round == 1 {
				r.Trials = append(r.Trials, simulated(rng, p, slower[p.Arm], 0))
			}
		}
		rate := r.Experiment.Load.Latency.Rate.Of(min(r.Trials[0].Throughput(), r.Trials[1].Throughput()))
		var err error
		if r.Plan, err = r.Plan.FixRate(rate); err != nil {
			t.Fatal(err)
		}
		r.Trials = nil
		for _, p := range r.Plan.Trials {
			r.Trials = append(r.Trials, simulated(rng, p, slower[p.Arm], rate))
		}
		if _, ok := known[rate]; !ok {
			own := rand.New(rand.NewPCG(27, uint64(rate)))
			base, arm := truths(own, rate, 0, starts), truths(own, rate, rateSlower, starts)
			known[rate] = [2]float64{100 * math.Expm1(arm[0]-base[0]), 100 * math.Expm1(arm[1]-base[1])}
		}
		j := comparison{run: r, res: outline(r)}
		base, arm := &j.res.Arms[0], pod(j.res)
		if base.AtRate.Why != nil || arm.AtRate.Why != nil || len(arm.Tails) != 2 {
			t.Fatalf("at %g/s: %+v, %+v, %d percentiles", rate, base.AtRate, arm.AtRate, len(arm.Tails))
		}
		j.tailsAgainst(base, arm)
		wrong, naive := false, false
		for i, tail := range arm.Tails {
			in, truth := tail.CostInterval, known[rate][i]
			if in == nil { // of rounds that depend on each other: not determined
				continue
			}
			wrong = wrong || truth < in.Lo || truth > in.Hi
			naive = naive || 100*rateSlower < in.Lo || 100*rateSlower > in.Hi
		}
		if wrong {
			missed++
		}
		if naive {
			closed++
		}
	}
	rates := []string{}
	for rate, truth := range known {
		rates = append(rates, fmt.Sprintf("%g/s: p95 %.1f %%, p99 %.1f %%", rate, truth[0], truth[1]))
	}
	slices.Sort(rates)
	t.Logf("C27: %.1f %% of %d runs miss; control %.1f %%; true changes %s", 100*float64(missed)/float64(runs), runs, 100*float64(closed)/float64(runs), strings.Join(rates, "; "))
	if rate := float64(missed) / float64(runs); rate > high {
		t.Errorf("%.1f %% of the runs miss, want at most 6", 100*rate)
	}
	if rate := float64(closed) / float64(runs); rate < 0.15 {
		t.Errorf("the control misses in %.1f %% only: the simulation is too easy", 100*rate)
	}
}
