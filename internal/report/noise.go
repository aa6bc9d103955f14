package report

import (
	"fmt"

	"github.com/tarebench/tare/internal/compare"
)

func noiseFloor(f compare.NoiseFloor) NoiseFloor {
	return NoiseFloor{
		Threads: f.Threads, Rounds: f.Rounds, EffectPercent: Number(f.Effect), Interval: intervalOf(f.Interval95),
		Interval99: intervalOf(f.Interval99), SignFlipP: Number(f.SignFlipP), Alarm: f.Alarm, Pairs: pairs(f.Pairs),
	}
}

// noiseSentence stands beside the verdicts: their intervals mean little where the
// baseline differs from itself.
func (doc *Document) noiseSentence(f *NoiseFloor) string {
	if f.Interval == nil {
		return ""
	}
	c := turn(f.EffectPercent, *f.Interval) // positive = the second was slower
	n := c.digits()
	key := "noise"
	if f.Alarm {
		key = "noise.alarm"
	}
	return doc.say(key, "base", doc.called(doc.baseline(), f.Threads), "size", decimal(c.mid, n),
		"lo", decimal(c.lo, n), "hi", decimal(c.hi, n), "rounds", doc.count(f.Rounds, "round"))
}

// noiseTable is the rounds of the A/A.
func noiseTable(d *Document) []Table {
	t := Table{Caption: d.say("caption.noise", "unit", d.say("unit")), Head: d.heads("baseline", "round", "first", "second", "difference")}
	for _, f := range d.NoiseFloors {
		for _, p := range f.Pairs {
			t.Rows = append(t.Rows, []Cell{
				words(d.label(d.baseline(), f.Threads)), number(fmt.Sprint(p.Round)), number(rate(p.Baseline)), number(rate(p.Arm)),
				number(decimal(-float64(p.EffectPercent), 2)),
			})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []Table{t}
}
