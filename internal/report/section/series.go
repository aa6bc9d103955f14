package section

import (
	"fmt"
	"math"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/stats"
)

func seriesSection() Section {
	return Section{
		ID:       "series",
		Sentence: seriesSentence,
		Figures: []Figure{{
			ID: "fig-series", Chart: "series",
			Shown: func(d *report.Document) bool { return report.Highest(d) > 0 },
		}},
		Tables: func(d *report.Document) []Table { return []Table{trialTable(d)} },
	}
}

func seriesSentence(d *report.Document) string {
	measured := 0
	for _, t := range d.Trials {
		if t.Outcome == "measured" {
			measured++
		}
	}
	s := d.Say("series.measured", "n", fmt.Sprint(measured), "trials", d.Count(max(len(d.Trials), d.Run.TrialsPlanned), "trial"))
	var two []string
	for i := range d.Arms {
		if a := &d.Arms[i]; len(a.States) == 2 {
			two = append(two, d.Say("series.levels", append(d.LevelSlots(a), "arm", d.Called(a.Name, a.Threads))...))
		}
	}
	switch {
	case len(two) > 0:
		for _, said := range two {
			s += d.Say("join.sentences") + said + d.Say("end")
		}
	case measured > 0 && !d.Sealed() && !report.LevelsChecked(d):
		s += d.Say("series.unchecked", "n", fmt.Sprint(stats.TwoStatesMin))
	case measured > 0 && !d.Sealed():
		s += d.Say("series.one-level")
	}
	return s
}

func trialTable(d *report.Document) Table {
	t := Table{
		Caption: d.Say("caption.trials", "unit", d.Say("unit")),
		Head: d.Heads("trial", "round", "slot", "arm", "outcome", "throughput", d.PerInterval("slowest", "slowest-turn", "slowest-interval", "slowest-interval"),
			d.PerInterval("fastest", "fastest-turn", "fastest-interval", "fastest-interval"), "reason"),
	}
	for i := range d.Trials {
		tr := &d.Trials[i]
		lo, hi := math.NaN(), math.NaN()
		for _, v := range report.Window(tr) {
			if math.IsNaN(lo) {
				lo, hi = v, v
			}
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
		t.Rows = append(t.Rows, []Cell{
			number(fmt.Sprint(tr.Trial)), number(fmt.Sprint(tr.Round)), number(fmt.Sprint(tr.Slot)), words(d.Label(tr.Arm, tr.Threads)),
			words(d.Outcome(tr.Outcome)), number(orDash(tr.Throughput)), number(orDash(report.Number(lo))), number(orDash(report.Number(hi))), words(d.Ended(tr.Reason)),
		})
	}
	return t
}

func orDash(n report.Number) string {
	if !n.Known() {
		return "-"
	}
	return report.Rate(n)
}
