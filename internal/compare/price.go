package compare

// This file is what a transaction costs in money, where the experiment says what the arms
// cost an hour.

import (
	"math"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Price is the price of a million transactions of one arm at one level of the load: at its
// mean throughput, or at its capacity where the experiment searches for it.
type Price struct {
	Arm     string
	Threads int
	Hour    float64 // as the experiment gives it, in its currency
	// Million is the price of a million transactions, geometric mean over the trials,
	// Interval its 95 % interval (Student's t over logarithms), nil below two trials.
	Million  float64
	Interval *Interval
	Trials   int
	// Change is that from the baseline's in %, positive = more expensive, ChangeInterval its
	// 95 % interval, which is that of the contrast of throughput; NaN and nil where the
	// baseline has no price, or the contrast no interval.
	Change         float64
	ChangeInterval *Interval
}

// perMillion is the price of a million transactions.
func perMillion(hour, tps float64) float64 { return hour / (tps * 3600) * 1e6 }

// prices has one entry per arm and level with a price and a number. An arm that may not be compared
// has none: its throughput is that of another server, or of the load generator.
func (j comparison) prices() []Price {
	if j.run.Experiment == nil || j.run.Imported != nil || j.res.Sealed {
		return nil
	}
	base := priceOf(j.run, j.res.Baseline)
	var all []Price
	for i := range j.res.Arms {
		a := &j.res.Arms[i]
		hour := float64(priceOf(j.run, a.Name))
		logs := byRounds{}
		for _, t := range a.firsts() {
			logs[t.Header.Round] = math.Log(perMillion(hour, t.Throughput()))
		}
		if hour == 0 || len(logs) == 0 || a.forbidden {
			continue
		}
		p := Price{Arm: a.Name, Threads: a.Threads, Hour: hour, Trials: len(logs), Change: math.NaN()}
		p.Million, p.Interval = j.geometric(logs)
		if base > 0 {
			p.against(j.res.Contrasts, hour/float64(base))
		}
		all = append(all, p)
	}
	return all
}

func priceOf(r *record.Run, arm string) experiment.Price {
	a, _ := r.Experiment.Arm(arm)
	return a.Price
}

// against is the change from the baseline: the ratio of the prices, which is known, over
// that of throughput, which has an interval.
func (p *Price) against(contrasts []Contrast, ratio float64) {
	for _, c := range contrasts {
		if c.Arm != p.Arm || c.Threads != p.Threads || c.Interval95 == nil {
			continue
		}
		of := func(effect float64) float64 {
			return stats.Percent(math.Log(ratio) - math.Log1p(math.Max(effect, -99.9999)/100))
		}
		p.Change, p.ChangeInterval = of(c.Effect), &Interval{of(c.Interval95.Hi), of(c.Interval95.Lo)}
	}
}
