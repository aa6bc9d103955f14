package compare

import (
	"math"
	"slices"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Variant is a contrast's effect computed in another way that ought to agree.
type Variant struct {
	// Part is the part of the data that it is computed from.
	Part   Reason
	Effect float64 // %
	// Interval95 is that of the plan's way of stopping over its rounds, for all contrasts at
	// once; nil where that has none: the trimmed mean has one for a fixed number of rounds only
	// (stats.RobustnessOf).
	Interval95 *Interval
	Rounds     int
	// Agrees is false when it lies further from the effect than half the width of
	// its 95 % interval.
	Agrees bool
}

// Codes of two variants: without the rounds that were disturbed, and with those that
// were set aside for it.
const (
	withoutVoids = "without-disturbed-rounds"
	withAgain    = "with-repeated-rounds"
)

// robustness computes the effect again from parts of the data, and takes a verdict
// back that depends on a part. Rounds without a number in some variant are left out
// of it; fewer than five rounds are too few to take anything from, but what the
// rounds show that nothing disturbed is said of any number.
func (j comparison) robustness(c Contrast) Contrast {
	if c.Interval95 == nil {
		return c
	}
	if len(c.Pairs) >= 5 {
		c.Variants = j.parts(c)
	}
	if quiet := j.quiet(c); len(quiet) >= 2 && len(quiet) < len(c.Pairs) {
		c.Variants = append(c.Variants, j.variant(reason(withoutVoids), quiet, nil))
	}
	if again := j.setAside(c); len(again) > 0 {
		c.Variants = append(c.Variants, j.variant(reason(withAgain), c.Pairs, again))
	}
	for i := range c.Variants {
		v := &c.Variants[i]
		v.Agrees = v.agrees(c)
		if !v.Agrees && !v.exceeds(c) && !v.holds(c, 100*j.res.Margin) && c.Verdict != Inconclusive {
			c.PastMargin = ""
			c = c.say(Inconclusive, reason("variant-disagrees").num("whole", -c.Effect).num("part", -v.Effect).part("variant", v.Part))
		}
	}
	return c
}

// parts are the effect from the later half of every window, and with single rounds
// given less weight or none.
func (j comparison) parts(c Contrast) []Variant {
	d := logRatios(c.Pairs)
	r := stats.RobustnessOf(d, 0.05/float64(max(1, j.family)))
	trimmed := Variant{Part: reason("trimmed-mean"), Effect: stats.Percent(r.TrimmedMean), Rounds: len(d)}
	if kind, _ := j.bounds(len(d), within(c.Pairs, j.pilot)); kind == fixedRounds { // none is known for the other ways of stopping
		trimmed.Interval95 = Interval{r.TrimmedLo, r.TrimmedHi}.shown()
	}
	most := max(0, r.MostInfluential)
	var halves []Variant
	if j.res.Find == nil { // the window of a search is not what its capacity comes from
		halves = []Variant{j.variant(reason("second-half"), j.secondHalves(c), nil)}
	}
	return append(halves, []Variant{
		trimmed,
		j.variant(reason("without-round").count("n", c.Pairs[most].Round), slices.Delete(slices.Clone(c.Pairs), most, most+1), nil),
	}...)
}

// variant is the mean of the log-ratios of rounds, and of those of repeated rounds before they
// were; without an interval below two of them.
func (j comparison) variant(part Reason, rounds []Pair, again []float64) Variant {
	d := append(logRatios(rounds), again...)
	v := Variant{Part: part, Effect: stats.Percent(stats.Mean(d)), Rounds: len(d)}
	if len(d) < 2 {
		return v
	}
	_, bounds := j.bounds(len(d), within(rounds, j.pilot))
	lo, hi := bounds(d, 0.05/float64(max(1, j.family)))
	v.Interval95 = Interval{lo, hi}.shown() // nil, too, where it is too early for one that holds at all times
	return v
}

// agrees holds a variant against the interval of the effect. One that has fewer than
// half of the rounds is compared with its own too, if that is wider: the few rounds
// that nothing disturbed are no better judge than all.
func (v Variant) agrees(c Contrast) bool {
	half := (c.Interval95.Hi - c.Interval95.Lo) / 2
	if v.Interval95 != nil && 2*v.Rounds < len(c.Pairs) {
		half = math.Max(half, (v.Interval95.Hi-v.Interval95.Lo)/2)
	}
	return math.IsNaN(v.Effect) || math.Abs(v.Effect-c.Effect) <= half
}

// exceeds: with the rounds that were disturbed, or without them, the arm costs more than
// the verdict says, or gains more. That a disturbance hit one arm harder than the other is
// why its round was run again; it takes nothing from the verdict.
func (v Variant) exceeds(c Contrast) bool {
	if v.Part.Code != withAgain && v.Part.Code != withoutVoids {
		return false
	}
	return c.Verdict == Costs && v.Effect < c.Effect || c.Verdict == Gains && v.Effect > c.Effect
}

// holds: the interval of the part is past the margin on the side of the verdict, as that of the
// whole is. The size depends on the part and the verdict does not.
func (v Variant) holds(c Contrast, margin float64) bool {
	if c.PastMargin != "yes" || v.Interval95 == nil {
		return false
	}
	return c.Verdict == Costs && v.Interval95.Hi < -margin || c.Verdict == Gains && v.Interval95.Lo > margin
}

// differingParts says of each verdict that stands how its size depends on a part of the data.
func differingParts(res *Result) []Reason {
	var all []Reason
	for _, c := range res.Contrasts {
		for _, v := range c.Variants {
			if !v.Agrees && !v.exceeds(c) && v.holds(c, 100*res.Margin) {
				all = append(all, reason("variant-differs").part("arm", armName(Arm{Name: c.Arm, Threads: c.Threads}, res)).
					num("whole", -c.Effect).num("part", -v.Effect).part("variant", v.Part))
			}
		}
	}
	return all
}

// secondHalves are the rounds by the later half of each window alone: what a
// warm-up that was too short leaves behind is in the first.
func (j comparison) secondHalves(c Contrast) []Pair {
	base, arm := j.arm(c.Baseline, c.Threads), j.arm(c.Arm, c.Threads)
	byRound := map[int]float64{}
	for _, t := range base.firsts() {
		byRound[t.Header.Round] = secondHalf(t)
	}
	var all []Pair
	for _, t := range arm.firsts() {
		p := Pair{t.Header.Round, byRound[t.Header.Round], secondHalf(t)}
		if v := p.logRatio(); !math.IsNaN(v) && !math.IsInf(v, 0) {
			all = append(all, p)
		}
	}
	return all
}

func secondHalf(t *record.Trial) float64 {
	s := known(seconds(t))
	if len(s) < 4 {
		return math.NaN()
	}
	return stats.Mean(s[len(s)/2:])
}

// quiet are the rounds that are not void.
func (j comparison) quiet(c Contrast) []Pair {
	void := map[int]bool{}
	for _, v := range j.res.Voids {
		if v.Disposition == Counted {
			void[v.Round] = true
		}
	}
	var all []Pair
	for _, p := range c.Pairs {
		if !void[p.Round] {
			all = append(all, p)
		}
	}
	return all
}

// setAside are the log-ratios of the rounds that were run again, as they were first.
func (j comparison) setAside(c Contrast) []float64 {
	again := j.arm(c.Baseline, c.Threads).again
	var d []float64
	for _, v := range j.run.Voids {
		var b, a []*record.Trial
		for _, t := range v.Trials {
			switch {
			case kind(t) != measured || t.Header.Threads != c.Threads || again[t.Header.Trial]:
			case t.Header.Arm == c.Baseline:
				b = append(b, t)
			case t.Header.Arm == c.Arm:
				a = append(a, t)
			}
		}
		d = append(d, logRatios(pairs(b, a))...)
	}
	return d
}
