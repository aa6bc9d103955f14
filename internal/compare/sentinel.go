package compare

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// slowMachine are the numbers of the trials before which the machine was slower than
// it was before the others. It is an external factor: no arm ran. How much slower follows
// from how the sentinel itself spreads over the run, and never lies within the margin:
// on a quiet machine the spread is so small that every hair would count.
func slowMachine(r *record.Run) map[int]bool {
	byKey := map[string]map[int]float64{}
	for _, t := range r.Trials {
		if !t.Gated() {
			continue
		}
		for _, f := range t.Facts {
			ns, err := strconv.ParseFloat(f.Value, 64)
			if !strings.HasPrefix(f.Key, keys.SentinelPrefix) || err != nil || !(ns > 0) {
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
		all := slices.Collect(maps.Values(byTrial))
		fence := math.Max(stats.UpperFence(all), stats.Median(all)+math.Log1p(margin(r)))
		for trial, v := range byTrial {
			if v > fence {
				off[trial] = true
			}
		}
	}
	return off
}
