package compare

import (
	"math"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// sentinelPrefix begins the keys of the work that is timed before each trial.
const sentinelPrefix = "sentinel."

const (
	// A sentinel is off when it is this many robust standard deviations slower than
	// the median of the run, and by more than a tenth: on a quiet machine the
	// deviation is so small that every hair would count.
	sentinelDeviations = 4
	sentinelLeast      = 0.10
)

// disturbed are the numbers of the trials before which the machine was slower than
// it was before the others. No arm can cause it: none ran.
func disturbed(r *record.Run) map[int]bool {
	byKey := map[string]map[int]float64{}
	for _, t := range r.Trials {
		for _, f := range t.Facts {
			ns, err := strconv.ParseFloat(f.Value, 64)
			if !strings.HasPrefix(f.Key, sentinelPrefix) || err != nil || !(ns > 0) {
				continue
			}
			if byKey[f.Key] == nil {
				byKey[f.Key] = map[int]float64{}
			}
			byKey[f.Key][t.Header.Trial] = math.Log(ns)
		}
	}
	off := map[int]bool{}
	for _, byTrial := range byKey {
		var all, deviations []float64
		for _, v := range byTrial {
			all = append(all, v)
		}
		middle := stats.Median(all)
		for _, v := range all {
			deviations = append(deviations, math.Abs(v-middle))
		}
		// 1.4826 makes the median deviation that of a normal distribution.
		limit := math.Max(sentinelDeviations*1.4826*stats.Median(deviations), math.Log1p(sentinelLeast))
		for trial, v := range byTrial {
			if v-middle > limit {
				off[trial] = true
			}
		}
	}
	return off
}

// quietEffect is the effect without the rounds in which the sentinel was off
// before either trial, and how many those are.
func (j judge) quietEffect(c Contrast) (effect float64, without int) {
	loud := map[int]bool{}
	for _, name := range []string{c.Baseline, c.Arm} {
		for _, t := range j.arm(name, c.Threads).firsts() {
			if j.disturbed[t.Header.Trial] {
				loud[t.Header.Round] = true
			}
		}
	}
	var d []float64
	for _, p := range c.Pairs {
		if loud[p.Round] {
			without++
		} else {
			d = append(d, p.logRatio())
		}
	}
	return stats.Percent(stats.Mean(d)), without
}
