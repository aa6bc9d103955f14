package report

import (
	"fmt"
	"math"
)

func seriesSection() Section {
	return Section{
		ID:       "series",
		Sentence: seriesSentence,
		Figures: []Figure{{
			ID: "fig-series", Chart: "series",
			Shown: func(d *Document) bool { return highest(d) > 0 },
		}},
		Tables: func(d *Document) []Table { return []Table{trialTable(d)} },
	}
}

func seriesSentence(d *Document) string {
	measured := 0
	for _, t := range d.Trials {
		if t.Outcome == "measured" {
			measured++
		}
	}
	s := d.say("series.measured", "n", fmt.Sprint(measured), "trials", d.count(max(len(d.Trials), d.Run.TrialsPlanned), "trial"))
	var two []string
	for i := range d.Arms {
		if a := &d.Arms[i]; len(a.States) == 2 {
			two = append(two, d.say("series.levels", append(d.levelSlots(a), "arm", d.called(a.Name, a.Threads))...))
		}
	}
	switch {
	case len(two) > 0:
		for _, said := range two {
			s += d.say("join.sentences") + said + d.say("end")
		}
	case measured > 0 && !d.sealed():
		s += d.say("series.one-level")
	}
	return s
}

func trialTable(d *Document) Table {
	t := Table{
		Caption: d.say("caption.trials", "unit", d.say("unit")),
		Head:    d.heads("trial", "round", "slot", "arm", "outcome", "throughput", "slowest", "fastest", "reason"),
	}
	for i := range d.Trials {
		tr := &d.Trials[i]
		lo, hi := math.NaN(), math.NaN()
		for _, v := range window(tr) {
			if math.IsNaN(lo) {
				lo, hi = v, v
			}
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
		t.Rows = append(t.Rows, []Cell{
			number(fmt.Sprint(tr.Trial)), number(fmt.Sprint(tr.Round)), number(fmt.Sprint(tr.Slot)), words(d.label(tr.Arm, tr.Threads)),
			words(d.outcome(tr.Outcome)), number(orDash(tr.Throughput)), number(orDash(Number(lo))), number(orDash(Number(hi))), words(tr.Reason),
		})
	}
	return t
}

func orDash(n Number) string {
	if !n.Known() {
		return "-"
	}
	return rate(n)
}
