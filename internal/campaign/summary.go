package campaign

import (
	"fmt"
	"math"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
)

// ordinary is the spread of a round's log-ratio on an ordinary machine (docs/method.md).
const ordinary = 0.01

// Summary says in one line what a run costs and whether it can carry a verdict.
func Summary(e *experiment.Experiment, p experiment.Plan) string {
	round, rule := RoundTime(e, p), e.Protocol.Rounds
	takes := fmt.Sprintf("about %s", hours(time.Duration(p.Rounds)*round))
	if rule.Max > p.Rounds {
		takes += fmt.Sprintf(" (at most %d rounds, about %s)", rule.Max, hours(time.Duration(rule.Max)*round))
	}
	if rule.Max < 2 {
		return takes + "; no intervals: one round shows no spread"
	}
	contrasts := max(1, compare.Family(e))
	if enough := compare.EnoughRounds(contrasts); rule.Max < enough {
		return fmt.Sprintf("%s; too few rounds for a verdict: %s %s %d rounds or more", takes, plural(contrasts, "comparison"), needs(contrasts), enough)
	}
	difference := detectable(rule, ordinary, contrasts)
	if math.IsInf(difference, 0) {
		return takes + "; too few rounds for an interval that holds at any time"
	}
	return fmt.Sprintf("%s; enough rounds for a verdict on a difference of %s", takes, percent(difference))
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
