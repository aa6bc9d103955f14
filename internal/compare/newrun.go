package compare

// This file is how many rounds another run needs for a verdict.

import (
	"math"

	"github.com/tarebench/tare/internal/stats"
)

// NewRun is how many rounds another run needs for a verdict on a contrast that has none, with a fixed
// number of rounds. Probabilities are from 0 to 1, and count the error of this run's effect and
// spread.
type NewRun struct {
	// Rounds end with a verdict with [NewRunProbability], Even with 50 % and Sure with 95 %; 0 where more
	// than a hundred thousand would be needed.
	Rounds, Even, Sure int
	// Same is the probability with as many rounds as this run has, AtMost with [MostRounds].
	Same, AtMost float64
}

const (
	// NewRunProbability is that of a verdict after [NewRun.Rounds].
	NewRunProbability = 0.8
	// MostRounds is beyond what anyone will run.
	MostRounds = 1000

	newRunMost = 100_000
	newRunSeed = 1
)

// NewRun is what another run needs for a verdict; nil when the verdict is not inconclusive or
// it cannot be known. It is simulated when it is asked for, in some hundredths of a second: the rules that
// end a run, and the calibration of its verdicts, compare thousands of times and never ask.
func (c Contrast) NewRun() *NewRun {
	if c.newRun == nil {
		return nil
	}
	return c.newRun()
}

// newRun simulates further runs of an inconclusive contrast; nil where its spread is not known.
func (j comparison) newRun(e estimate) *NewRun {
	margin := 100 * j.res.Margin
	next := stats.NewRunOf(e.mean, e.sd, e.rounds, j.family, newRunSeed, func(in95, in90 [2]float64) bool {
		return VerdictOf(Interval{in95[0], in95[1]}.percent(), Interval{in90[0], in90[1]}.percent(), margin) != Inconclusive
	})
	if math.IsNaN(next.Probability(2)) {
		return nil
	}
	least := EnoughRounds(j.family)
	return &NewRun{
		Rounds: next.Rounds(NewRunProbability, least, newRunMost), Even: next.Rounds(0.5, least, newRunMost), Sure: next.Rounds(0.95, least, newRunMost),
		Same: next.Probability(e.rounds), AtMost: next.Probability(MostRounds),
	}
}

// SD is the standard deviation of the rounds' log-ratios; NaN below two rounds.
func (c Contrast) SD() float64 { return stats.SD(logRatios(c.Pairs)) }
