package main

import (
	"fmt"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/stats"
)

// spreads are those of a round's log-ratio that machines show: a quiet one, an
// ordinary one, a cloud's (docs/method.md). Which this one is the run will tell.
func spreads() []float64 { return []float64{0.005, 0.01, 0.02} }

// expected says before a run what it can show: how many rounds and how long the
// asked precision takes, or what the given rounds are good for.
func expected(e *experiment.Experiment) []string {
	contrasts := contrastsOf(e)
	round := time.Duration(len(e.Arms)*len(e.Load.Threads)) * trialTime(e)
	if e.Protocol.Twice() {
		round += time.Duration(len(e.Load.Threads)) * trialTime(e)
	}
	rule := e.Protocol.Rounds
	var lines []string
	for _, spread := range spreads() {
		line := fmt.Sprintf("where rounds vary by %.2g %%: ", 100*spread)
		if width := float64(e.Protocol.Precision); width > 0 && rule.Stopping() == experiment.Pilot {
			n := stats.RoundsForFamily(spread, width, rule.Pilot, contrasts)
			line += fmt.Sprintf("±%.2g %% takes %d rounds, about %s", 100*width, n, hours(time.Duration(n)*round))
			if n > rule.Max {
				line += fmt.Sprintf("; the maximum is %d", rule.Max)
			}
		} else {
			line += fmt.Sprintf("%d rounds, about %s, give ±%.2g %%, and show an effect of %.2g %% four times out of five",
				rule.Max, hours(time.Duration(rule.Max)*round), 100*stats.HalfWidthFamily(spread, rule.Max, contrasts), 100*stats.DetectableEffect(spread, rule.Max))
		}
		lines = append(lines, line)
	}
	if rule.Max < 2 {
		return []string{"one round shows no spread: there will be no interval"}
	}
	if enough := compare.EnoughRounds(contrasts); rule.Max < enough {
		lines = append(lines, fmt.Sprintf("exploratory: %d rounds carry no verdict on %d at once (arms beside the baseline, times levels of the load); %d do", rule.Max, contrasts, enough))
	}
	return lines
}

// contrastsOf is how many comparisons share the error rate: every arm of the file
// beside the baseline and the full stack of an attribution, at every level.
func contrastsOf(e *experiment.Experiment) int {
	n := 0
	for _, a := range e.Arms {
		full := e.Attribute != nil && a.Name == e.Attribute.Full()
		if a.Name != e.Baseline && (len(a.Layers) == 0 || full) {
			n++
		}
	}
	return max(1, n*len(e.Load.Threads))
}

func hours(d time.Duration) string {
	if d < 2*time.Hour {
		return fmt.Sprintf("%.0f min", max(1, d.Minutes()))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
