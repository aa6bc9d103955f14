package compare

import (
	"math"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/stats"
)

// NoiseFloor is the baseline against itself (A/A): what a difference between two
// equal servers looks like on this machine, with this load. Sizes are %.
type NoiseFloor struct {
	Threads, Rounds int
	// Probes says that the second measurement was not watched (probes: alternate): the
	// difference is what the probes cost, and no noise. All contrasts are of watched trials.
	Probes                 bool
	Pairs                  []Pair // the second measurement stands in place of the arm
	Effect                 float64
	Interval95, Interval99 *Interval // nil below two rounds, in an open run below five or six, and while the run is sealed
	SignFlipP              float64
	// Alarm says that the 99 % interval excludes zero, which happens once in a
	// hundred sound runs: something tells the two apart that is not an arm. Probes do, so
	// there is none where only one of the two was watched.
	Alarm bool
}

// noise is the A/A of every level; none where the plan has none.
func (j comparison) noise() []NoiseFloor {
	if j.run.Imported != nil || !j.run.Plan.AA {
		return nil
	}
	var all []NoiseFloor
	for _, threads := range j.run.Experiment.Load.Threads {
		f := NoiseFloor{Threads: threads, Probes: j.run.Experiment.Protocol.Probes == experiment.ProbesAlternate, Effect: math.NaN(), SignFlipP: math.NaN()}
		if base := j.base(threads); base != nil && !j.res.Sealed {
			f.Pairs = pairs(base.firsts(), base.repeats())
			f.fill(j)
		}
		all = append(all, f)
	}
	return all
}

func (f *NoiseFloor) fill(j comparison) {
	d := logRatios(f.Pairs)
	if f.Rounds = len(d); f.Rounds < 2 {
		return
	}
	_, bounds := j.bounds(len(d), within(f.Pairs, j.pilot))
	at := func(alpha float64) *Interval {
		lo, hi := bounds(d, alpha)
		return Interval{lo, hi}.shown() // a run that may be looked at at any time has none from a few rounds
	}
	f.Effect, f.SignFlipP, f.Interval95, f.Interval99 = stats.Percent(stats.Mean(d)), stats.SignFlipP(d), at(0.05), at(0.01)
	in99 := f.Interval99
	f.Alarm = in99 != nil && !f.Probes && (in99.Lo > 0 || in99.Hi < 0)
}

// most is the largest difference of the two that the interval holds.
func (f *NoiseFloor) most() float64 {
	return math.Max(math.Abs(f.Interval99.Lo), math.Abs(f.Interval99.Hi))
}

// beyondNoise says that the interval lies wholly outside what equal servers differ by.
func (i Interval) beyondNoise(noise float64) bool { return i.Lo > noise || i.Hi < -noise }

// aboveTheFloor takes back a verdict that two equal servers give as well: after an
// alarm only an interval wholly beyond the noise is believed.
func (j comparison) aboveTheFloor(c Contrast) Contrast {
	for _, f := range j.res.NoiseFloors {
		if f.Threads != c.Threads || !f.Alarm || c.Verdict == Inconclusive {
			continue
		}
		if c.Interval95.beyondNoise(f.most()) {
			return c
		}
		c.PastMargin = ""
		return c.say(Inconclusive, reason("within-noise-floor").name("base", c.Baseline).num("size", -f.Effect).num("lo", -f.Interval99.Hi).num("hi", -f.Interval99.Lo).count("n", f.Rounds))
	}
	return c
}
