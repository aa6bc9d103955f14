package compare

import (
	"testing"

	"github.com/tarebench/tare/internal/record"
)

// TestTailsOfAllTrialsOrNone: a trial of few transactions has no p99. The mean over the others
// would be that of the fastest trials, so the arm has none; all have a p95.
func TestTailsOfAllTrialsOrNone(t *testing.T) {
	trial := func(round int, requests int64) *record.Trial {
		slow := requests / 50
		return &record.Trial{Header: record.Header{Round: round}, Window: &record.Window{Counts: record.Counts{Transactions: requests}, Latency: &record.Latency{
			Histogram: &record.Histogram{Scheme: "s", Counts: [][2]int64{{5e6, requests - slow}, {50e6, slow}}},
		}}}
	}
	if all := tails(ofWindows(trial(1, 1200), trial(2, 1000), trial(3, 5000)), stopping{}); len(all) != 2 || all[1].Percentile != "99" || all[1].Trials != 3 {
		t.Errorf("%+v", all)
	}
	if all := tails(ofWindows(trial(1, 1200), trial(2, 999), trial(3, 5000)), stopping{}); len(all) != 1 || all[0].Percentile != "95" || all[0].Trials != 3 {
		t.Errorf("a trial of 999 transactions: %+v", all)
	}
	if all := tails(ofWindows(trial(1, 1200), &record.Trial{Header: record.Header{Round: 2}, Window: &record.Window{}}), stopping{}); len(all) != 0 {
		t.Errorf("a trial without latencies: %+v", all)
	}
}

// ofWindows are the windows of trials without a fixed rate.
func ofWindows(trials ...*record.Trial) (all []timedWindow) {
	for _, t := range trials {
		all = append(all, timedWindow{t, t.Window.Latency, t.Window.Counts.Transactions})
	}
	return all
}
