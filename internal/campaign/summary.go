package campaign

import (
	"fmt"
	"math"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
)

// Summary says in one line what a run costs and whether it can carry a verdict: the differences that it
// detects with a power of 80 %, over the range of the spread.
func Summary(e *experiment.Experiment, p experiment.Plan, s Spread) string {
	round, rule := RoundTime(e, p), e.Protocol.Rounds
	takes := fmt.Sprintf("about %s", hours(time.Duration(p.Rounds)*round))
	if rule.Max > p.Rounds {
		takes += fmt.Sprintf(" (at most %d rounds, about %s)", rule.Max, hours(time.Duration(rule.Max)*round))
	}
	if len(e.Arms) == 1 {
		result := "its capacity"
		if e.Load.Find == nil {
			result = "what its events cost"
		}
		return fmt.Sprintf("%s; one arm: %s, and no comparison", takes, result)
	}
	if rule.Max < 2 {
		return takes + "; no intervals: one round shows no spread"
	}
	contrasts := max(1, compare.Family(e))
	if enough := compare.EnoughRounds(contrasts); rule.Max < enough {
		return fmt.Sprintf("%s; too few rounds for a verdict: %s %s at least %d rounds, and this experiment has %d", takes, plural(contrasts, "comparison"), needs(contrasts), enough, rule.Max)
	}
	least, most := detectable(rule, s.Low, contrasts), detectable(rule, s.High, contrasts)
	if math.IsInf(most, 0) {
		return takes + "; too few rounds for an interval that holds at any time"
	}
	if s.Runs == 0 { // the spread is that of machines without other load
		return fmt.Sprintf("%s; enough rounds for a verdict on %s without other load", takes, between(least, most))
	}
	return fmt.Sprintf("%s; enough rounds for a verdict on a difference of %s", takes, between(least, most))
}

// ByWindows is how long a run by slices takes at most where no round keeps its turns: each is set aside and measured again
// by windows, one server at a time. It is "" of other runs.
func ByWindows(e *experiment.Experiment, p experiment.Plan) string {
	if !p.Sliced() {
		return ""
	}
	windows := p
	windows.Protocol = nil
	return hours(time.Duration(p.Rounds) * (RoundTime(e, p) + RoundTime(e, windows)))
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func needs(n int) string {
	if n == 1 {
		return "needs"
	}
	return "need"
}
