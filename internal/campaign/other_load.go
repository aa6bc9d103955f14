package campaign

// This file says, before a run, what the machine's other load does to it.

import (
	"fmt"
	"math"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
)

// quietBelow is the share of the machine's CPU time below which nothing is said: every system uses as much.
const quietBelow = 0.05

// anyLoad is the limit that compares the arms beside any load: what others use before a run is more than they use
// beside its servers, which take a part of the CPU time.
const anyLoad = 0.99

// Beside says what a run on a machine does of which other processes and other virtual machines use these shares
// of the CPU time now: whether it has a verdict, and how much wider its intervals become. NaN is unknown.
func Beside(e *experiment.Experiment, p experiment.Plan, s Spread, others, steal float64) []string {
	now := compare.Others{Processes: others, Steal: steal, Limit: e.Protocol.MostOthers()}
	share := now.Share()
	switch {
	case math.IsNaN(share):
		return []string{"what others use is unknown: a run says at its end whether the machine was busy"}
	case now.Busy() && now.Limit < anyLoad:
		return []string{
			fmt.Sprintf("no verdict: busy machine. A run has none while others use %.0f %% of the CPU time or more (protocol.othersCPU), whatever the number of rounds", 100*now.Limit),
			"stop them, or measure on a quieter machine" + declared(now.Limit),
		}
	case share < quietBelow:
		return nil
	}
	lines := []string{fmt.Sprintf("a run has a verdict only while others use less than %.0f %% of the CPU time (protocol.othersCPU)", 100*now.Limit)}
	if rule := e.Protocol.Rounds; rule.Max >= 2 {
		mid, contrasts := math.Sqrt(s.Low*s.High), max(1, compare.Family(e))
		quiet, beside := halfWidth(rule, mid, contrasts), halfWidth(rule, mid*widening(share), contrasts)
		switch {
		case math.IsInf(beside, 0):
		case beside >= 1:
			lines = append(lines, "beside them, a 95 % interval is expected to be wider than ±100 %, which decides nothing")
		default:
			lines = append(lines, fmt.Sprintf("beside them, a 95 %% interval of ±%s becomes about ±%s", percent(quiet), percent(beside)))
		}
	}
	return lines
}

// declared is how to measure beside others on purpose; "" where the experiment does.
func declared(limit float64) string {
	if limit >= anyLoad {
		return ""
	}
	return "; --others-cpu 99% of tare check, tare run and tare versus, or othersCPU: 99% under protocol, compares the arms beside such a load"
}

// widening is how many times as much rounds vary beside others as without them. Of two equal servers by slices
// it was 1.4, 1.8 and 3.0 at 17, 29 and 38 %, which the square of what is left of the CPU time gives within a
// seventh, and 1.9, 3.1 and 1.8 at 3.5, 8.3 and 11.6 %, which it does not: it is a rough guide
// (docs/results/calibration.md, Busy machines).
func widening(share float64) float64 {
	left := 1 - math.Min(share, 0.9)
	return 1 / (left * left)
}
