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
	if rule.Max < 2 {
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
		lines = append(lines, fmt.Sprintf("%-16s ±%-14s %s", percent(spread), percent(width), percent(effect)))
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

func percent(v float64) string {
	if v >= 1 { // no exponents
		return fmt.Sprintf("%.0f %%", 100*v)
	}
	return fmt.Sprintf("%.2g %%", 100*v)
}

// TimePerTrial is a trial's part of the run before one has been seen.
func TimePerTrial(e *experiment.Experiment, p experiment.Plan) time.Duration {
	return RoundTime(e, p) * time.Duration(p.Rounds) / time.Duration(max(1, len(p.Trials)))
}

// TrialTime is how long a trial takes before one has been seen: warm-up, windows,
// and what starting, copying and stopping cost on a small machine.
func TrialTime(e *experiment.Experiment) time.Duration {
	const overhead = 6 * time.Second
	settle, measure := e.LatencyTimes()
	return e.Protocol.Warmup.Std() + e.Protocol.Measure.Std() + searchTime(e.Load.Find) + settle + measure + overhead
}

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
	if !p.Sliced() {
		return time.Duration(cells) * TrialTime(e)
	}
	// start is that of one server, its end included. Pods start together, and what takes their time is the
	// cluster's; pods of load and neighbours start before the first turn and end after the last.
	const start, pods = 4 * time.Second, 10 * time.Second
	servers := len(e.Arms)
	if p.AA {
		servers++
	}
	var beside time.Duration
	if slices.ContainsFunc(e.Arms, func(a experiment.Arm) bool { return a.Target == "kubernetes" }) {
		beside = pods
	}
	atRate, _ := p.RateTurns(e, 1)
	return p.Current().Slices.Length(cells) + atRate.End() + searchTurns(e, p) + time.Duration(servers)*start + beside
}

func hours(d time.Duration) string {
	if d < 2*time.Hour {
		return fmt.Sprintf("%.0f min", max(1, d.Minutes()))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
