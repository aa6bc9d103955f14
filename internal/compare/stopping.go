package compare

// This file makes the intervals of what was measured once a round. Each is that of the rule by
// which the run's number of rounds was found: one for a fixed number leaves out the truth too often
// when the run could end earlier or later, of whatever figure it is.

import (
	"maps"
	"math"
	"slices"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// bounds is the interval of a mean over rounds, at error rate alpha.
type bounds func(d []float64, alpha float64) (lo, hi float64)

// fixedRounds is the name of the interval for a number of rounds that was fixed before the run.
const fixedRounds = "paired-t"

// stopping is the rule by which a run ends, and where it is.
type stopping struct {
	rule   experiment.Stopping // experiment.Fixed for imported trials
	looks  []int
	rounds int
	pilot  int // rounds of the pilot
	// imported trials are in no round: each is by itself.
	imported bool
	// levels are those of the present look, by the error rate of all: a tenth of a second each.
	levels map[float64]float64
}

func stoppingOf(r *record.Run) stopping {
	s := stopping{rule: experiment.Fixed, levels: map[float64]float64{}}
	if s.imported = r.Experiment == nil || r.Imported != nil; s.imported {
		return s
	}
	rounds := r.Experiment.Protocol.Rounds
	s.rule, s.looks, s.rounds = rounds.Stopping(), rounds.Looks, r.Plan.Rounds
	if s.rule == experiment.Pilot {
		s.pilot = rounds.Pilot
	}
	return s
}

// bounds is the interval that the rule licenses, with its name, for so many values, pilot of them
// from the pilot's rounds: Student's t for a fixed number; Stein's after a pilot, as the ordinary one misses
// up to 9 % of the time there; t at the repeated level of a planned look; and the
// confidence sequence for a run that may end at any round.
func (s stopping) bounds(values, pilot int) (string, bounds) {
	switch {
	case s.rule == experiment.Pilot && pilot >= 2 && values > pilot:
		return "stein-t", func(d []float64, alpha float64) (float64, float64) { return stats.SteinInterval(d, pilot, alpha) }
	case s.rule == experiment.Looks:
		return "looks-t", func(d []float64, alpha float64) (float64, float64) {
			level, known := s.levels[alpha]
			if !known {
				level = lookLevel(s.looks, s.rounds, alpha)
				s.levels[alpha] = level
			}
			return stats.TInterval(d, level)
		}
	case s.rule == experiment.Open:
		return "anytime-t", func(d []float64, alpha float64) (float64, float64) {
			return stats.ConfidenceSequence(d, alpha, stats.DefaultMixture)
		}
	}
	return fixedRounds, stats.TInterval
}

// lookLevel is the nominal error rate of the look after so many rounds, of looks
// that together err with probability alpha.
func lookLevel(looks []int, rounds int, alpha float64) float64 {
	fractions := make([]float64, len(looks))
	for i, n := range looks {
		fractions[i] = float64(n) / float64(looks[len(looks)-1])
	}
	levels, err := stats.LookLevels(fractions, alpha)
	at := slices.Index(looks, rounds)
	if err != nil || at < 0 {
		return math.NaN() // the plan was checked; one of another tare was not
	}
	return levels[at]
}

// roundOf is the round of a trial.
func (s stopping) roundOf(t *record.Trial) int {
	if s.imported {
		return t.Header.Trial
	}
	return t.Header.Round
}

// byRounds is one number for each round.
type byRounds = map[int]float64

// interval is that of the mean of what rounds have, at error rate alpha, widened where rounds depend on
// the one before; nil below two rounds, and in a run that may end at any round while it is too early for one.
func (s stopping) interval(of byRounds, alpha float64) *Interval {
	x, licensed := s.licensed(of)
	return licensed.interval(x, alpha)
}

// licensed are the values of rounds with their interval, widened where rounds depend on the one before. The order of
// imported trials is not known.
func (s stopping) licensed(of byRounds) (x []float64, b bounds) {
	x, b = s.values(of)
	if s.imported {
		return x, b
	}
	return x, widened(b)
}

// independent is interval for those who look at the dependence of rounds themselves, in the order of time.
func (s stopping) independent(of byRounds, alpha float64) *Interval {
	x, licensed := s.values(of)
	return licensed.interval(x, alpha)
}

// values are what rounds have, in their order, with the interval that the rule licenses for so many.
func (s stopping) values(of byRounds) (x []float64, licensed bounds) {
	pilot := 0
	for _, round := range slices.Sorted(maps.Keys(of)) { // a sum of floats depends on its order
		x = append(x, of[round])
		if round <= s.pilot {
			pilot++
		}
	}
	_, licensed = s.bounds(len(x), pilot)
	return x, licensed
}

// interval is what the bounds give; nil below two values, and where it is too early for one.
func (b bounds) interval(x []float64, alpha float64) *Interval {
	if len(x) < 2 {
		return nil
	}
	lo, hi := b(x, alpha)
	if math.IsInf(hi, 0) || math.IsNaN(hi) {
		return nil
	}
	return &Interval{lo, hi}
}

// alone is the 95 % interval of a figure that belongs to no family.
func (s stopping) alone(of byRounds) *Interval { return s.interval(of, error95) }

// geometric is the geometric mean of what rounds have, given as logarithms, with its 95 % interval.
func (s stopping) geometric(logs byRounds) (mean float64, in *Interval) {
	mean = math.Exp(meanOfRounds(logs))
	if in = s.alone(logs); in == nil || !in.determined() {
		return mean, nil
	}
	return mean, &Interval{math.Exp(in.Lo), math.Exp(in.Hi)}
}

func meanOfRounds(of byRounds) float64 {
	var x []float64
	for _, round := range slices.Sorted(maps.Keys(of)) {
		x = append(x, of[round])
	}
	return stats.Mean(x)
}
