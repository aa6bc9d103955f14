package compare

import (
	"math"

	"github.com/tarebench/tare/internal/stats"
)

// Scaling is how an arm's throughput grows with the threads, by the Universal
// Scalability Law (Gunther): X(N) = lambda N / (1 + sigma(N-1) + kappa N(N-1)).
type Scaling struct {
	Arm    string
	Levels []int // threads, as declared
	Rounds int   // with a number at every level
	// Lambda is the throughput of one thread, Sigma what threads wait for one
	// another, Kappa what they spend on agreeing.
	Lambda, Sigma, Kappa         float64
	SigmaInterval, KappaInterval *Interval // 95 %, over rounds; nil below two
	Peak                         float64   // threads; NaN where it lies beyond the largest level
	WorstThreads                 int       // the level furthest from the law
	Worst                        float64   // % by which it lies off
	Misfit                       bool      // further off than 3 times its noise: no USL
	Knee                         Knee
}

// enoughLevels is the fewest that leave one for the fit to be wrong about.
const enoughLevels = 4

// scalings fit every arm that was measured at enough levels.
func (j comparison) scalings() []Scaling {
	if j.run.Imported != nil || j.res.Sealed || len(j.run.Experiment.Load.Threads) < enoughLevels {
		return nil
	}
	var all []Scaling
	for _, spec := range j.run.Experiment.Arms {
		if s, ok := j.scaling(spec.Name); ok {
			all = append(all, s)
		}
	}
	return all
}

// scaling fits the means over rounds; the intervals come from fits of each round
// on its own, because the scatter around one curve is not that of restarts.
func (j comparison) scaling(arm string) (Scaling, bool) {
	s := Scaling{Arm: arm, Levels: j.run.Experiment.Load.Threads, Peak: math.NaN()}
	rounds := j.byLevel(arm)
	s.Rounds = len(rounds)
	if s.Rounds == 0 {
		return s, false
	}
	n, mean, noise := make([]float64, len(s.Levels)), make([]float64, len(s.Levels)), 0.0
	for k, threads := range s.Levels {
		var logs []float64
		for _, row := range rounds {
			logs = append(logs, math.Log(row[k]))
		}
		n[k], mean[k] = float64(threads), math.Exp(stats.Mean(logs))
		noise += stats.Variance(logs) / float64(len(s.Levels))
	}
	law, err := stats.FitUSL(n, mean)
	if err != nil {
		return s, false
	}
	s.Lambda, s.Sigma, s.Kappa = law.Lambda, law.Sigma, law.Kappa
	if peak, measured := law.Peak(); measured {
		s.Peak = peak
	}
	for k, r := range law.Residuals {
		if math.Abs(100*r) > math.Abs(s.Worst) {
			s.Worst, s.WorstThreads = 100*r, s.Levels[k]
		}
	}
	s.Misfit = s.Rounds >= 2 && law.Misfit(math.Sqrt(noise/float64(s.Rounds)))
	s.intervals(n, rounds, j.stopping)
	s.Knee = kneeOf(s.Levels, rounds, j.stopping)
	return s, true
}

// intervals are over fits of single rounds that may be negative, and end at 0, below which neither can be.
func (s *Scaling) intervals(n []float64, rounds [][]float64, rule stopping) {
	sigma, kappa := byRounds{}, byRounds{}
	for i, x := range rounds {
		if law, err := stats.FreeUSL(n, x); err == nil {
			sigma[i+1], kappa[i+1] = law.Sigma, law.Kappa
		}
	}
	s.SigmaInterval, s.KappaInterval = rule.alone(sigma), rule.alone(kappa)
	for _, in := range []*Interval{s.SigmaInterval, s.KappaInterval} {
		if in != nil {
			in.Lo, in.Hi = math.Max(0, in.Lo), math.Max(0, in.Hi)
		}
	}
}

// byLevel are the throughputs of the rounds in which the arm gave a number at
// every level, in the order of the levels.
func (j comparison) byLevel(arm string) [][]float64 {
	levels := j.run.Experiment.Load.Threads
	byRound := map[int]map[int]float64{}
	for _, threads := range levels {
		a := j.arm(arm, threads)
		if a == nil {
			return nil
		}
		for _, t := range a.firsts() {
			if byRound[t.Header.Round] == nil {
				byRound[t.Header.Round] = map[int]float64{}
			}
			byRound[t.Header.Round][threads] = t.Throughput()
		}
	}
	var rows [][]float64
	for round := 1; round <= j.res.RoundsPlanned; round++ {
		if len(byRound[round]) != len(levels) {
			continue
		}
		row := make([]float64, len(levels))
		for k, threads := range levels {
			row[k] = byRound[round][threads]
		}
		rows = append(rows, row)
	}
	return rows
}
