package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// byRound is an arm's log throughputs, the baseline's second trials left out.
func byRound(a *Arm) map[int]float64 {
	all := map[int]float64{}
	if a != nil {
		for _, t := range a.firsts() {
			all[t.Header.Round] = math.Log(t.Throughput())
		}
	}
	return all
}

// NextRounds says how many rounds a run whose planned ones are done goes on to, and
// why; more is false when it is at its end. After a pilot it looks at spreads alone,
// never at effects; planned looks and open runs look at their verdicts, and pay for
// it with wider intervals.
func NextRounds(r *record.Run) (rounds int, why string, more bool) {
	rule, p := r.Experiment.Protocol.Rounds, r.Plan
	if p.Rounds >= p.MaxRounds {
		return p.Rounds, "", false
	}
	switch rule.Stopping() {
	case experiment.Pilot:
		if len(p.Extensions) > 0 {
			return p.Rounds, "", false
		}
		return roundsAfterPilot(r)
	case experiment.Looks:
		at := slices.Index(rule.Looks, p.Rounds)
		if open := unsettled(Run(r)); open > 0 && at >= 0 {
			return rule.Looks[at+1], fmt.Sprintf("look %d of %d: %s not settled", at+1, len(rule.Looks), plural(open, "contrast")), true
		}
	case experiment.Open:
		res := Run(r)
		open, what := unsettled(res), "not settled"
		if width := 100 * float64(r.Experiment.Protocol.Precision); width > 0 {
			open, what = wider(res, width), fmt.Sprintf("wider than ±%.2g %%", width)
		}
		if open > 0 {
			return p.Rounds + 1, fmt.Sprintf("after %s: %s %s", plural(p.Rounds, "round"), plural(open, "contrast"), what), true
		}
	}
	return p.Rounds, "", false
}

// unsettled counts the contrasts that more rounds may settle.
func unsettled(res *Result) int {
	n := 0
	for _, c := range res.Contrasts {
		if c.Verdict == Inconclusive && !c.biased() && (c.Interval95 != nil || len(c.Pairs) > 0 || c.Rounds < 2) {
			n++
		}
	}
	return n
}

// biased says that a round without a number forbids the comparison, whatever later rounds show.
func (c Contrast) biased() bool {
	return slices.ContainsFunc(c.Reasons, func(r Reason) bool { return r.Code == roundsBiased })
}

// wider counts the contrasts whose interval is wider than ±width %.
func wider(res *Result, width float64) int {
	n := 0
	for _, c := range res.Contrasts {
		if in := c.Interval95; in != nil && in.Hi-in.Lo > 2*width || in == nil && c.Verdict == Inconclusive && len(c.Pairs) > 0 {
			n++
		}
	}
	return n
}

// roundsAfterPilot says how many rounds the experiment's precision takes, judged
// by the spread of the pilot alone (Stein's rule), and why. With several
// contrasts the one that needs most decides. It is false when the pilot gives no
// contrast a spread, as when an arm starved in every round: more rounds would not
// change that.
func roundsAfterPilot(r *record.Run) (rounds int, why string, ok bool) {
	protocol := r.Experiment.Protocol
	pilot, width := protocol.Rounds.Pilot, float64(protocol.Precision)
	res := Run(r)
	slowest := ""
	for _, c := range res.Contrasts {
		done := within(c.Pairs, pilot)
		if done < 4 { // rounds that failed or were void are not there
			continue
		}
		spread := stats.SD(logRatios(c.Pairs[:done]))
		if n := max(pilot, stats.RoundsForFamily(spread, width, done, c.Family)); n > rounds {
			rounds, slowest = n, fmt.Sprintf("%s varies by %.2g %% from round to round", c.Arm, 100*spread)
		}
	}
	if rounds == 0 {
		return pilot, "", false
	}
	why = fmt.Sprintf("after %d rounds: %s, so ±%.2g %% takes %d rounds", pilot, slowest, 100*width, rounds)
	if rounds > protocol.Rounds.Max {
		rounds = protocol.Rounds.Max
		why += fmt.Sprintf("; the maximum is %d, so the interval will be wider", rounds)
	}
	return rounds, why + cheapest(res, protocol.Measure.Std().Seconds()), true
}

// cheapest says which window would have given the precision in the least time: the
// median over arms. This run keeps its own, as another would void the pilot.
func cheapest(res *Result, window float64) string {
	var all []float64
	for _, s := range res.Steadiness {
		if !math.IsNaN(s.Cheapest) && !math.IsInf(s.Cheapest, 0) {
			all = append(all, s.Cheapest)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return fmt.Sprintf("; another run would take the least time with a window of about %.0f s (this one has %.0f s)", stats.Median(all), window)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
