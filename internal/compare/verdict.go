package compare

import "strings"

// Verdict is what may be said of an arm against the baseline.
type Verdict string

// The verdicts. The first five partition everything that can be measured; see
// [VerdictOf] for the rule.
const (
	Costs        Verdict = "costs"
	Gains        Verdict = "gains"
	WithinMargin Verdict = "within-margin"
	Equivalent   Verdict = "equivalent"
	Inconclusive Verdict = "inconclusive"
	Invalid      Verdict = "invalid"
	NotMeasured  Verdict = "not-measured"
	Sealed       Verdict = "sealed"
	Failed       Verdict = "failed"
)

// VerdictOf is the verdict of two nested intervals of the change of throughput and
// a margin, all in %. The 95 % interval is compared with zero, the 90 %
// interval against the margin (two one-sided 5 % tests), and every combination
// has exactly one verdict:
//
//	                      90 % inside the margin   90 % not inside
//	95 % excludes zero    within-margin            costs or gains
//	95 % holds zero       equivalent               inconclusive
//
// The comparison is made in %, as a picture shows it, so that a reader
// derives the same verdict by eye.
func VerdictOf(in95, in90 Interval, margin float64) Verdict {
	inside := in90.Lo >= -margin && in90.Hi <= margin
	switch {
	case in95.Hi < 0 && !inside:
		return Costs
	case in95.Lo > 0 && !inside:
		return Gains
	case in95.Hi < 0 || in95.Lo > 0:
		return WithinMargin
	case inside:
		return Equivalent
	}
	return Inconclusive
}

// Least is the number of rounds, or of trials of each run, below which a contrast of a kind has no verdict,
// because no test without Student's assumption of a normal distribution could reach 5 % with them. Paired
// rounds: 6 (see [EnoughRounds]). Two samples of n: 4, because the smallest two-sided p of a permutation
// test is 2 of (2n choose n) splits, .1 for three and .029 for four.
func Least(kind string) int {
	if strings.HasPrefix(kind, welchKind) {
		return 4
	}
	return EnoughRounds(1)
}

// Enough is the number that is asked for where a contrast has too few: as many rounds as every contrast of its family
// needs, so that a reader is given one number. Samples have that of [Least].
func Enough(kind string, family int) int {
	if strings.HasPrefix(kind, welchKind) {
		return Least(kind)
	}
	return EnoughRounds(family)
}

// Early says that the contrast has fewer rounds than any verdict needs. Its interval is shown.
func (c *Contrast) Early() bool { return c.Rounds < Least(c.Kind) }

// verdict is that of the contrast's intervals, and none yet where it is early.
func (c *Contrast) verdict(margin float64) Verdict {
	if c.Early() {
		return Inconclusive
	}
	return VerdictOf(*c.Interval95, *c.Interval90, margin)
}

// pastMargin says of a cost or a gain whether even its smallest credible size
// exceeds the margin: "yes" or "unsettled"; "" for the other verdicts.
func pastMargin(v Verdict, in95 Interval, margin float64) string {
	switch {
	case v != Costs && v != Gains:
		return ""
	case in95.Hi < -margin || in95.Lo > margin:
		return "yes"
	}
	return "unsettled"
}
