// Package capacity chooses the rates of a search for the highest rate at which a server
// keeps a latency percentile below a limit.
package capacity

import "math"

// Step is one rate that was offered for a fixed time, and whether the server kept the limit.
type Step struct {
	Rate float64 // transactions per second
	Kept bool
}

// Search finds the rate at which a step keeps the limit as often as it misses it: the
// median of the percentile of steps is then the limit. Three phases:
//
//  1. rates rise or fall by a growing factor until one is kept and a higher one missed;
//  2. bisection, until the two are two resolutions apart;
//  3. a staircase of Walk steps: up by one resolution after a step that was kept, down
//     after one that was missed (the up-and-down method of Dixon & Mood, JASA 43, 1948).
//
// The result is the mean of the staircase's rates, on the log scale, without the first and
// with the one that would follow the last (Brownlee, Hodges & Rosenblatt, JASA 48, 1953).
// Bisection alone was rejected: one step that a stall or chance decides wrongly leaves it on
// the wrong side for good, and the staircase returns (docs/results/calibration.md).
type Search struct {
	within float64
	rate   float64
	factor float64
	low    float64   // highest rate kept while bracketing, 0 for none
	high   float64   // lowest rate missed while bracketing, 0 for none
	walk   []float64 // logarithms of the staircase's rates
	steps  []Step
	failed bool
}

// Walk is the number of steps of the staircase.
const Walk = 8

// The bracket begins with firstFactor, which doubles up to mostFactor; a search ends
// without a result after mostBracket steps of it.
const (
	firstFactor = 1.25
	mostFactor  = 2
	mostBracket = 24
)

// New is a search that begins at a rate. Within is the resolution, a ratio: 0.05 for 5 %.
func New(first, within float64) *Search {
	return &Search{within: within, rate: first, factor: firstFactor}
}

// Next is the rate of the next step; more is false when the search has ended.
func (s *Search) Next() (rate float64, more bool) {
	return s.rate, !s.failed && len(s.walk) < Walk
}

// Answer says whether the step at the rate of Next kept the limit.
func (s *Search) Answer(kept bool) {
	s.steps = append(s.steps, Step{s.rate, kept})
	if s.low > 0 && s.high > 0 && s.high/s.low <= s.narrow() {
		s.climb(kept)
		return
	}
	if kept {
		s.low = s.rate
	} else {
		s.high = s.rate
	}
	switch {
	case s.low > 0 && s.high > 0:
		s.rate = math.Sqrt(s.low * s.high)
	case len(s.steps) >= mostBracket:
		s.failed = true
	case kept:
		s.rate *= s.grow()
	default:
		s.rate /= s.grow()
	}
}

// narrow is the ratio of two rates between which the staircase begins.
func (s *Search) narrow() float64 { return (1 + s.within) * (1 + s.within) }

func (s *Search) grow() float64 {
	f := s.factor
	s.factor = math.Min(mostFactor, s.factor*s.factor)
	return f
}

func (s *Search) climb(kept bool) {
	s.walk = append(s.walk, math.Log(s.rate))
	if kept {
		s.rate *= 1 + s.within
	} else {
		s.rate /= 1 + s.within
	}
}

// Result is the capacity in transactions per second, 0 where the search found none: no
// rate was kept, or none was missed. Of a longer staircase the last Walk steps count.
func (s *Search) Result() float64 {
	if len(s.walk) < Walk {
		return 0
	}
	sum := math.Log(s.rate)
	for _, l := range s.walk[len(s.walk)-Walk+1:] {
		sum += l
	}
	return math.Exp(sum / Walk)
}

// Together are searches that take their steps at the same time, such as those of the arms of a round of slices. One
// that has its bracket continues its staircase until the last has Walk steps: the steps that give the results are
// then the same, and what slows all servers down meanwhile is in all of them. How far the others are does not depend
// on the staircase that goes on, so that it is not stopped where it suits. A nil search has ended for another reason.
type Together []*Search

// Next are the rates of the next step, 0 for a search that is nil or found nothing; more is false when none needs
// another step.
func (t Together) Next() (rates []float64, more bool) {
	rates = make([]float64, len(t))
	for i, s := range t {
		if s == nil || s.failed {
			continue
		}
		rates[i] = s.rate
		more = more || len(s.walk) < Walk
	}
	return rates, more
}

// Between is where steps were kept at times: at and below low every step was kept, at and
// above high none was. Low is 0 where the lowest rate was missed, high infinite where the
// highest was kept.
func Between(steps []Step) (low, high float64) {
	high = math.Inf(1)
	for _, s := range steps {
		if !s.Kept {
			high = math.Min(high, s.Rate)
		}
	}
	missed := high
	high = math.Inf(1)
	highest := 0.0
	for _, s := range steps {
		if s.Kept {
			highest = math.Max(highest, s.Rate)
			if s.Rate < missed {
				low = math.Max(low, s.Rate)
			}
		}
	}
	for _, s := range steps {
		if !s.Kept && s.Rate > highest {
			high = math.Min(high, s.Rate)
		}
	}
	return low, high
}
