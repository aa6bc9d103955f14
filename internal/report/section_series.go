package report

import (
	"fmt"
	"math"
	"strings"
)

func seriesSection() Section {
	return Section{
		ID: "series", Question: "Was it steady?",
		Sentence: seriesSentence,
		Figures: []Figure{{
			ID: "fig-series", Chart: "series", Caption: "Throughput of every trial over time, " + Unit,
			Static: staticSeries, Shown: func(d *Document) bool { return highest(d) > 0 },
		}},
		Tables:  func(d *Document) []Table { return []Table{trialTable(d)} },
		Reading: "One strip per trial, all with the same scale from zero. The shaded start is the warm-up and counts for nothing.",
	}
}

func seriesSentence(d *Document) string {
	measured := 0
	for _, t := range d.Trials {
		if t.Outcome == "measured" {
			measured++
		}
	}
	s := fmt.Sprintf("%d of %s gave a number.", measured, count(max(len(d.Trials), d.Run.TrialsPlanned), "trial"))
	var two []string
	for _, a := range d.Arms {
		if len(a.States) == 2 {
			two = append(two, fmt.Sprintf("%s jumps between about %s and %s %s", d.called(a.Name, a.Threads), rounded(a.States[0].Level), rounded(a.States[1].Level), Unit))
		}
	}
	switch {
	case len(two) > 0:
		s += " " + strings.Join(two, "; ") + "."
	case measured > 0 && !d.sealed():
		s += " No arm stays on two separate levels."
	}
	return s
}

func trialTable(d *Document) Table {
	t := Table{
		Caption: "Trials in the order of their execution, " + Unit,
		Head:    []string{"Trial", "Round", "Slot", "Arm", "Outcome", "Throughput", "Slowest second", "Fastest second", "Reason"},
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
			words(strings.ReplaceAll(tr.Outcome, "-", " ")), number(orDash(tr.Throughput)), number(orDash(Number(lo))), number(orDash(Number(hi))), words(tr.Reason),
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
