package section

import (
	"fmt"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// noiseTable is the rounds of the A/A.
func noiseTable(d *report.Document) []Table {
	t := Table{Caption: d.Say("caption.noise", "unit", d.Say("unit")), Head: d.Heads("baseline", "round", "first", "second", "difference")}
	for _, f := range d.NoiseFloors {
		for _, p := range f.Pairs {
			t.Rows = append(t.Rows, []Cell{
				words(d.Label(d.Baseline(), f.Threads)), number(fmt.Sprint(p.Round)), number(report.Rate(p.Baseline)), number(report.Rate(p.Arm)),
				number(language.Decimal(-float64(p.EffectPercent), 2)),
			})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []Table{t}
}
