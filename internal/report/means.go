package report

// This file says where the throughputs of two arms do not give the change that is printed with them.

import (
	"math"
	"strings"

	"github.com/tarebench/tare/internal/report/language"
)

// farFromMeans is how many points the ratio of two means may be away from the change beside it before a reader is told
// why.
const farFromMeans = 1.0

// MeansNote says that two arms have other complete rounds, so that the ratio of their throughputs is not the change, where
// a reader sees that, and names the arms whose throughputs have the opposite order of the change; "" where there are none.
func (doc *Document) MeansNote() string {
	most, opposite := 0.0, ""
	for i := range doc.Contrasts {
		c := &doc.Contrasts[i]
		a, b := doc.Arm(c.Arm, c.Threads), doc.Arm(c.Baseline, c.Threads)
		if a == nil || b == nil || !a.ThroughputMean.Known() || !b.ThroughputMean.Known() || !c.EffectPercent.Known() {
			continue
		}
		ratio := 100 * (float64(a.ThroughputMean)/float64(b.ThroughputMean) - 1)
		most = math.Max(most, math.Abs(ratio-float64(c.EffectPercent)))
		if ratio*float64(c.EffectPercent) < 0 && Rate(a.ThroughputMean) != Rate(b.ThroughputMean) && Rate(c.ArmThroughput) != Rate(c.BaselineThroughput) {
			opposite += doc.Say("join.sentences") + doc.Say("means.opposite", "arm", doc.Label(c.Arm, c.Threads), "base", doc.Label(c.Baseline, c.Threads),
				"mean", Rate(c.ArmThroughput), "was", Rate(c.BaselineThroughput))
		}
	}
	key := "means.note"
	if doc.Run.Imported { // which has no rounds
		key = "means.note.imported"
	}
	if most <= farFromMeans {
		return strings.TrimPrefix(opposite, doc.Say("join.sentences"))
	}
	return doc.Say(key, "points", language.Decimal(most, 1)) + opposite
}
