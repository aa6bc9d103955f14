package campaign

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/capacity"
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/stats"
)

// Expected is a table of what a run can show: the rounds and the time that the asked
// precision takes, or what the given rounds show, over the range of the spread.
func Expected(e *experiment.Experiment, p experiment.Plan, s Spread) []string {
	rule, contrasts := e.Protocol.Rounds, max(1, compare.Family(e))
	if rule.Max < 2 || len(e.Arms) == 1 {
		return nil
	}
	if width := float64(e.Protocol.Precision); width > 0 && rule.Stopping() == experiment.Pilot {
		return append([]string{s.source(p)}, forPrecision(width, rule, contrasts, RoundTime(e, p), s)...)
	}
	lines := []string{s.source(p), "rounds vary by   95 % interval   detected (power 80 %)"}
	for _, spread := range s.values() {
		width, effect := halfWidth(rule, spread, contrasts), detectable(rule, spread, contrasts)
		if math.IsInf(width, 0) {
			return nil // no interval at all, as Summary says
		}
		lines = append(lines, fmt.Sprintf("%-16s %-15s %s", percent(spread), upTo100("±", width), upTo100("", effect)))
	}
	return lines
}

// halfWidth is that of the 95 % interval after all rounds, by the rule that the run stops by.
func halfWidth(rule experiment.Rounds, spread float64, contrasts int) float64 {
	if rule.Stopping() != experiment.Open {
		return stats.HalfWidthFamily(spread, rule.Max, contrasts)
	}
	return stats.HalfWidthSequence(spread, rule.Max, 0.05/float64(contrasts), stats.DefaultMixture)
}

// detectable is the effect that all rounds detect with a power of 80 %.
func detectable(rule experiment.Rounds, spread float64, contrasts int) float64 {
	if rule.Stopping() != experiment.Open {
		return stats.DetectableEffectFamily(spread, rule.Max, contrasts)
	}
	const power = 0.8416 // the 80th percentile of the normal distribution
	return halfWidth(rule, spread, contrasts) + power*spread/math.Sqrt(float64(rule.Max))
}

func forPrecision(width float64, rule experiment.Rounds, contrasts int, round time.Duration, s Spread) []string {
	lines := []string{fmt.Sprintf("rounds vary by   rounds for ±%s", percent(width))}
	for _, spread := range s.values() {
		n := stats.RoundsForFamily(spread, width, rule.Pilot, contrasts)
		line := fmt.Sprintf("%-16s %d, about %s", percent(spread), n, hours(time.Duration(n)*round))
		if n > rule.Max {
			line += fmt.Sprintf("; the maximum is %d", rule.Max)
		}
		lines = append(lines, line)
	}
	return lines
}

// between is a range in %.
func between(low, high float64) string { return fmt.Sprintf("%.2g to %s", 100*low, percent(high)) }

// upTo100 is a share of throughput after a sign, as far as it says something.
func upTo100(sign string, v float64) string {
	if v >= 1 {
		return "above 100 %"
	}
	return sign + percent(v)
}

func percent(v float64) string {
	if v >= 0.995 { // no exponents
		return fmt.Sprintf("%.0f %%", 100*v)
	}
	return fmt.Sprintf("%.2g %%", 100*v)
}

// TimePerTrial is a trial's part of the run before one has been seen.
func TimePerTrial(e *experiment.Experiment, p experiment.Plan) time.Duration {
	return RoundTime(e, p) * time.Duration(p.Rounds) / time.Duration(max(1, len(p.Trials)))
}

// A server that tare starts takes so long on a small machine, with its data and its end: alone, and as one of several
// that take turns, whose data are copied once. A server that runs already is connected to, looked at and left again.
const (
	startAlone    = 6 * time.Second
	startForTurns = 4 * time.Second
	connect       = 1 * time.Second
)

// trialTime is how long a trial of an arm takes before one has been seen, by windows.
func trialTime(e *experiment.Experiment, a experiment.Arm) time.Duration {
	settle, measure := e.LatencyTimes()
	start := startAlone
	if runsAlready(a) {
		start = connect
	}
	return e.Protocol.Warmup.Std() + e.Protocol.Measure.Std() + searchTime(e.Load.Find) + settle + measure + start
}

// runsAlready says that an arm is a server that tare does not start.
func runsAlready(a experiment.Arm) bool { return a.Target == "external" }

// searchTime is that of a search for the capacity.
func searchTime(f *experiment.Find) time.Duration {
	if f == nil {
		return 0
	}
	return searchSteps(f) * (f.Step.Std() + f.Settle())
}

// searchTurns is that of the searches of a round of slices.
func searchTurns(e *experiment.Experiment, p experiment.Plan) time.Duration {
	f := e.Load.Find
	if f == nil {
		return 0
	}
	return searchSteps(f) * p.SearchTurns(e, 1, 1, f.Settle()).End()
}

// searchSteps are those of a search: a closed loop, a staircase, about six steps before it, and the overload.
func searchSteps(f *experiment.Find) time.Duration {
	steps := time.Duration(1 + 6 + capacity.Walk)
	if f.Beyond > 0 {
		steps++
	}
	return steps
}

// RoundTime is how long a round takes before one has been seen. Servers of a round of
// slices are started one after the other.
func RoundTime(e *experiment.Experiment, p experiment.Plan) time.Duration {
	cells := len(p.Trials) / max(1, p.Rounds)
	arms := slices.Clone(e.Arms)
	if base, ok := e.Arm(e.Baseline); ok && p.AA {
		arms = append(arms, base)
	}
	if !p.Sliced() {
		var all time.Duration
		for _, a := range arms {
			all += time.Duration(len(e.Load.Threads)) * trialTime(e, a)
		}
		return all
	}
	// Pods start together, and what takes their time is the cluster's; pods of load and neighbours start before the
	// first turn and end after the last. Servers that run already are connected to at the same time.
	const pods = 10 * time.Second
	var start time.Duration
	for _, a := range arms {
		if !runsAlready(a) {
			start += startForTurns
		}
	}
	if slices.ContainsFunc(arms, runsAlready) {
		start += connect
	}
	var beside time.Duration
	if slices.ContainsFunc(e.Arms, func(a experiment.Arm) bool { return a.Target == "kubernetes" }) {
		beside = pods
	}
	atRate, _ := p.RateTurns(e, 1)
	return p.Current().Slices.Length(cells) + atRate.End() + searchTurns(e, p) + start + beside
}

func hours(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", 5*math.Max(1, math.Round(d.Seconds()/5)))
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
