package report

// This file says where the throughputs of two arms do not give the change that is printed with them.

import (
	"math"

	"github.com/tarebench/tare/internal/report/language"
)

// farFromMeans is how many points the ratio of two means may be away from the change beside it before a reader is told
// why.
const farFromMeans = 1.0

// MeansNote says that throughputs are means of trials and changes geometric means of ratios within rounds, where the
// two disagree in what a reader sees; "" where they do not.
func (doc *Document) MeansNote() string {
	most := 0.0
	for i := range doc.Contrasts {
		c := &doc.Contrasts[i]
		a, b := doc.Arm(c.Arm, c.Threads), doc.Arm(c.Baseline, c.Threads)
		if a == nil || b == nil || !a.ThroughputMean.Known() || !b.ThroughputMean.Known() || !c.EffectPercent.Known() {
			continue
		}
		ratio := 100 * (float64(a.ThroughputMean)/float64(b.ThroughputMean) - 1)
		most = math.Max(most, math.Abs(ratio-float64(c.EffectPercent)))
	}
	if most <= farFromMeans {
		return ""
	}
	return doc.Say("means.note", "points", language.Decimal(most, 1))
}
