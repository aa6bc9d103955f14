package report

import (
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
)

func noiseFloor(f compare.NoiseFloor) NoiseFloor {
	return NoiseFloor{
		Threads: f.Threads, Probes: f.Probes, Rounds: f.Rounds, EffectPercent: Number(f.Effect), Interval: intervalOf(f.Interval95),
		Interval99: intervalOf(f.Interval99), SignFlipP: Number(f.SignFlipP), Alarm: f.Alarm, Pairs: pairs(f.Pairs),
	}
}

// noiseSentence is shown with the verdicts: their intervals mean little where the
// baseline differs from itself.
func (doc *Document) noiseSentence(f *NoiseFloor) string {
	if f.Interval == nil {
		return ""
	}
	c := turn(f.EffectPercent, *f.Interval) // positive = the second was slower
	key := "noise"
	switch {
	case f.Probes: // the other way round: the first was watched, the second is what it is compared with
		back := func(change Number) float64 { return 100 * (1 - 1/(1+float64(change)/100)) }
		key, c = "noise.probes", Cost{Mid: back(f.EffectPercent), Lo: back(f.Interval[0]), Hi: back(f.Interval[1])}
	case f.Alarm:
		if key = "noise.alarm"; len(doc.stands(f.Threads)) == 0 {
			key = "noise.alarm.none"
		}
	}
	n := c.Digits()
	return doc.Say(key, "base", doc.Called(doc.Baseline(), f.Threads), "size", language.Decimal(c.Mid, n),
		"lo", language.Decimal(c.Lo, n), "hi", language.Decimal(c.Hi, n), "rounds", doc.Count(f.Rounds, "round"),
		"arms", doc.Language().Enumerate(doc.stands(f.Threads)))
}

// stands are the arms that have a verdict on throughput at a level: after an alarm, compare leaves one only where its
// interval lies beyond what the baseline differs from itself.
func (doc *Document) stands(threads int) (arms []string) {
	for i := range doc.Contrasts {
		if c := &doc.Contrasts[i]; c.Threads == threads && concludes(c) != "open" {
			arms = append(arms, doc.Called(c.Arm, c.Threads))
		}
	}
	return arms
}
