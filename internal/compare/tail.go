package compare

// This file is how well the tail of an arm's response times is known: the percentiles of
// its trials, and their change from the baseline. The percentile of all requests together
// (Latency) has no interval of its own: requests of one trial share its state.

import (
	"math"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Tail is one percentile of response times over the trials of an arm.
type Tail struct {
	Percentile string // "95" or "99"
	// Mean is the geometric mean of the trials' percentiles in milliseconds, Interval its
	// 95 % interval (Student's t over logarithms), nil below two trials.
	Mean     float64
	Interval *Interval
	Trials   int
	// Cost is its change from the baseline over the rounds that both have, in % and
	// positive when slower: NaN for the baseline. CostInterval is its 95 % interval, by
	// itself, nil below two rounds.
	Cost         float64
	CostInterval *Interval
	Rounds       int
	byRound      map[int]float64 // logarithms
}

// tails are the percentiles that the field quotes. One that a trial lacks is left out for the
// arm: a trial has a percentile from a number of transactions on, so those that have it are
// the fastest trials, and what is measured must not decide which trials count.
func tails(trials []*record.Trial) []Tail {
	var all []Tail
	for _, p := range percentiles {
		if p.name != "95" && p.name != "99" {
			continue
		}
		t := Tail{Percentile: p.name, Cost: math.NaN(), byRound: map[int]float64{}}
		var logs []float64
		for _, trial := range trials {
			ms := math.NaN()
			if l := trial.Window.Latency; l != nil {
				ms = percentile(l.Histogram, []observed{{l, trial.Window.Counts.Transactions}}, p.name, p.value)
			}
			if ms > 0 {
				logs = append(logs, math.Log(ms))
				t.byRound[trial.Header.Round] = math.Log(ms)
			}
		}
		if t.Trials = len(logs); t.Trials == 0 || t.Trials < len(trials) {
			continue
		}
		t.Mean, t.Interval = geometric(logs)
		all = append(all, t)
	}
	return all
}

// tailsAgainst compares the tails of an arm with those of the baseline.
func tailsAgainst(base, arm []Tail) {
	for i := range arm {
		for _, b := range base {
			if b.Percentile != arm[i].Percentile {
				continue
			}
			mean, in, n := differences(b.byRound, arm[i].byRound)
			if arm[i].Rounds = n; n > 0 {
				arm[i].Cost = stats.Percent(mean)
			}
			if in != nil {
				percent := in.percent()
				arm[i].CostInterval = &percent
			}
		}
	}
}
