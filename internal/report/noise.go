package report

import (
	"fmt"

	"github.com/tarebench/tare/internal/compare"
)

func noiseFloor(f compare.NoiseFloor) NoiseFloor {
	return NoiseFloor{
		Threads: f.Threads, Rounds: f.Rounds, EffectPercent: Number(f.Effect), Interval: interval(f.Interval95),
		Interval99: interval(f.Interval99), SignFlipP: Number(f.SignFlipP), Alarm: f.Alarm, Pairs: pairs(f.Pairs),
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
	s := fmt.Sprintf("A/A: %s against itself %s [%s, %s] %% (95 %% interval, %s)", doc.called(doc.baseline(), f.Threads),
		decimal(c.mid, n), bounded(c.lo, n), decimal(c.hi, n), count(f.Rounds, "round"))
	if f.Alarm {
		return s + ". Two equal servers differ here, which happens once in a hundred sound runs: a verdict stands only where its interval lies beyond that."
	}
	return s + "."
}

// noiseTable is the rounds of the A/A.
func noiseTable(d *Document) []Table {
	t := Table{Caption: "The baseline against itself (A/A), " + Unit, Head: []string{"Baseline", "Round", "First", "Second", "Difference, %"}}
	for _, f := range d.NoiseFloors {
		for _, p := range f.Pairs {
			t.Rows = append(t.Rows, []Cell{
				words(d.label(d.baseline(), f.Threads)), number(fmt.Sprint(p.Round)), number(rate(p.Baseline)), number(rate(p.Arm)),
				number(decimal(float64(p.EffectPercent), 2)),
			})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []Table{t}
}
