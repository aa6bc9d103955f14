package compare

import (
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// statesSeed fixes the simulated null of the test for two levels, so that a
// report recomputes to the same digits.
const statesSeed = 1

// states says whether an arm jumps between two levels of throughput within its
// trials. One trial may do so by accident; it is claimed for the arm only when
// at least half of its measured trials show it. Each level is the mean over
// those trials, weighted by the seconds spent there; the shares are of all
// measured seconds, those of the other trials counted with the nearer level.
func states(trials []*record.Trial, test *stats.TwoStatesTest) []stats.State {
	var series [][]float64
	var found []stats.States
	measuredTrials := 0
	for _, t := range trials {
		if kind(t) != measured {
			continue
		}
		measuredTrials++
		s := seconds(t)
		series = append(series, s)
		if two := test.Of(s); two.Found {
			found = append(found, two)
		} else {
			found = append(found, stats.States{})
		}
	}
	return merge(series, found, measuredTrials)
}

func merge(series [][]float64, found []stats.States, trials int) []stats.State {
	var level, weight [2]float64
	with := 0
	for i, f := range found {
		if !f.Found {
			continue
		}
		with++
		for g, s := range f.States {
			w := s.Share * float64(len(series[i]))
			level[g] += s.Level * w
			weight[g] += w
		}
	}
	if with == 0 || 2*with < trials {
		return nil
	}
	low, high := level[0]/weight[0], level[1]/weight[1]
	var total float64
	for i, f := range found {
		total += float64(len(series[i]))
		if f.Found {
			continue
		}
		for _, v := range series[i] {
			if v > (low+high)/2 {
				weight[1]++
			} else {
				weight[0]++
			}
		}
	}
	return []stats.State{{Level: low, Share: weight[0] / total}, {Level: high, Share: weight[1] / total}}
}
