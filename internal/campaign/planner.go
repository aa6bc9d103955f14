package campaign

import (
	"fmt"
	"time"

	"github.com/tarebench/tare/internal/capacity"
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/stats"
)

// spreads are those of a round's log-ratio that machines show: a quiet one, an
// ordinary one, a cloud's (docs/method.md). Which this one is the run will tell.
func spreads() []float64 { return []float64{0.005, 0.01, 0.02} }

// Expected says before a run what it can show: how many rounds and how long the
// asked precision takes, or what the given rounds are good for.
func Expected(e *experiment.Experiment, p experiment.Plan) []string {
	contrasts := max(1, compare.Family(e))
	round := RoundTime(e, p)
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

// TrialTime is how long a trial takes before one has been seen: warm-up, window,
// and what starting, copying and stopping cost on a small machine.
func TrialTime(e *experiment.Experiment) time.Duration {
	const overhead = 6 * time.Second
	return e.Protocol.Warmup.Std() + e.Protocol.Measure.Std() + searchTime(e.Load.Find) + overhead
}

// searchTime is that of a search for the capacity: a closed loop, a staircase, about six
// steps before it, and the overload.
func searchTime(f *experiment.Find) time.Duration {
	if f == nil {
		return 0
	}
	steps := time.Duration(1 + 6 + capacity.Walk)
	if f.Beyond > 0 {
		steps++
	}
	return steps * (f.Step.Std() + f.Settle())
}

// RoundTime is how long a round takes before one has been seen. Servers of a round of
// slices are started one after the other.
func RoundTime(e *experiment.Experiment, p experiment.Plan) time.Duration {
	cells := len(p.Trials) / max(1, p.Rounds)
	if !p.Sliced() {
		return time.Duration(cells) * TrialTime(e)
	}
	const start = 4 * time.Second // of one server, its end included
	servers := len(e.Arms)
	if p.AA {
		servers++
	}
	return p.Protocol.Slices.Length(cells) + time.Duration(servers)*start
}

func hours(d time.Duration) string {
	if d < 2*time.Hour {
		return fmt.Sprintf("%.0f min", max(1, d.Minutes()))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
