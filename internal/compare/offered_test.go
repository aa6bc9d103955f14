package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// openLoop is a run of two arms at 500/s, of whose 1,500 arrivals so many are unsent in each trial of the pod.
func openLoop(t *testing.T, unsent func(round int) int) *Result {
	t.Helper()
	r := planned(t, strings.Replace(spec(8, "1%", "bare: {target: process}", "pod: {target: container}"), "threads: 4", "threads: 4, rate: 500/s", 1))
	fill(r, func(string, int) float64 { return 500 })
	for _, trial := range r.Trials {
		left := 0
		if trial.Header.Arm == "pod" {
			left = unsent(trial.Header.Round)
		}
		trial.Window.Latency = &record.Latency{Histogram: &record.Histogram{Scheme: "s", Counts: [][2]int64{
			{int64(2e6 * (1 + 0.001*float64(trial.Header.Round%3))), 1450}, {6e6, 50}}}}
		trial.Facts = append(trial.Facts, record.Fact{Key: keys.LoadArrivalsDue, Value: "1500"}, record.Fact{Key: keys.LoadArrivalsUnsent, Value: fmt.Sprint(left)})
	}
	return Run(r)
}

// TestNoTailOfAnOverloadedServer: under load.rate the response times of an arm that cannot serve the rate are as long
// as the window, so that it has no p95, no p99 and no verdict on them; the baseline has. A queue that is there at the
// end without having grown is none, and a backlog of a few trials is said.
func TestNoTailOfAnOverloadedServer(t *testing.T) {
	for name, c := range map[string]struct {
		unsent  func(round int) int
		tails   int
		warning string
	}{
		"served":                     {func(int) int { return 0 }, 2, ""},
		"a queue at the end":         {func(int) int { return 40 }, 2, "unsent"},
		"a backlog in 2 of 8 trials": {func(round int) int { return 400 * max(0, 3-round) }, 2, "rate-waiting"},
		"a backlog in every trial":   {func(int) int { return 400 }, 0, "rate-behind"},
	} {
		res := openLoop(t, c.unsent)
		if p := pod(res); len(p.Tails) != c.tails || len(res.Arms[0].Tails) != 2 {
			t.Errorf("%s: %v; %+v", name, p.Tails, *p.Offered)
		}
		if c.warning != "" && !slices.ContainsFunc(res.Warnings, func(r Reason) bool { return r.Code == c.warning }) {
			t.Errorf("%s: %v", name, res.Warnings)
		}
	}
}
