package compare

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
