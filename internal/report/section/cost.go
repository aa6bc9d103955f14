package section

import (
	"fmt"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// ShortContrasts has the columns that a reviewer reads.
func ShortContrasts(doc *report.Document) Table {
	t := Table{Head: doc.Heads("arm", "baseline-unit", "arm-unit", "cost", "in95", "rounds", "verdict")}
	if doc.Run.Imported {
		t.Head[5] = doc.Say("head.trials")
	}
	for i := range doc.Contrasts {
		c := &doc.Contrasts[i]
		mid, in95, _ := report.CostCells(doc.Language(), c)
		t.Rows = append(t.Rows, []Cell{
			words(doc.Label(c.Arm, c.Threads)), number(levelCell(doc, c.BaselineThroughput, c.Baseline, c.Threads)), number(levelCell(doc, c.ArmThroughput, c.Arm, c.Threads)),
			number(mid), number(in95), number(fmt.Sprint(c.Rounds)), verdictCell(doc.Language(), c.Shown()),
		})
	}
	return t
}

// levelCell is a throughput whose ratio to that beside it is the change; without a change, the mean of the arm's trials.
func levelCell(doc *report.Document, level report.Number, arm string, threads int) string {
	if level.Known() {
		return orDash(level)
	}
	if a := doc.Arm(arm, threads); a != nil {
		return orDash(a.ThroughputMean)
	}
	return "-"
}

func costSection() Section {
	return Section{
		ID:       "cost",
		Sentence: func(*report.Document) string { return "" }, // the answers stand above as the page's headline
		Figures: []Figure{{
			ID: "fig-intervals", Chart: "intervals",
			Shown: func(d *report.Document) bool { return len(d.Contrasts) > 0 && !d.Sealed() },
		}},
		Tables: func(d *report.Document) []Table { return append([]Table{contrastTable(d)}, noiseTable(d)...) },
		Also:   (*report.Document).MeansNote,
	}
}

func contrastTable(d *report.Document) Table {
	t := Table{
		Caption: d.Say("caption.contrasts", "base", safe.Name(d.Baseline())),
		Head:    d.Heads("arm", "tps", "qps", "p95", "cost", "in95", "in90", "sign-flip", "rounds", "verdict", "why"),
		Open:    true,
	}
	if rate := d.Rate(); rate != "" {
		t.Head[3] = d.Say("head.p95-rate", "rate", rate)
	}
	if d.Run.Imported {
		t.Head[8] = d.Say("head.trials")
	}
	for i := range d.Arms {
		if a := &d.Arms[i]; a.Baseline {
			row := append([]Cell{words(d.Say("arms.baseline", "arm", d.Label(a.Name, a.Threads)))}, absolute(d, a.Name, a.Threads)...)
			for len(row) < len(t.Head)-2 {
				row = append(row, number("-"))
			}
			t.Rows = append(t.Rows, append(row, words("-"), words("-")))
		}
	}
	for i := range d.Contrasts {
		c := &d.Contrasts[i]
		mid, in95, in90 := report.CostCells(d.Language(), c)
		p := "-"
		if c.SignFlipP.Known() {
			p = language.PValue(float64(c.SignFlipP), 4)
		}
		row := append([]Cell{words(d.Label(c.Arm, c.Threads))}, absolute(d, c.Arm, c.Threads)...)
		t.Rows = append(t.Rows, append(row, number(mid), number(in95), number(in90), number(p),
			number(language.Grouped(int64(c.Rounds))), verdictCell(d.Language(), c.Shown()), Cell{Text: safe.Cut(safe.Visible(c.Reason, false), 600)}))
	}
	return t
}

// absolute is what an arm did: transactions and statements per second, and p95 in
// milliseconds.
func absolute(doc *report.Document, arm string, threads int) []Cell {
	a := doc.Arm(arm, threads)
	if a == nil {
		return []Cell{number("-"), number("-"), number("-")}
	}
	p95 := msOrDash(doc.Percentile(a, "95"))
	if doc.Run.Find != nil { // of the window after the search, which as often as not misses the limit
		p95 = "-"
	}
	return []Cell{number(orDash(a.ThroughputMean)), number(orDash(a.QueriesMean)), number(p95)}
}

func roundsSection() Section {
	return Section{
		ID:       "rounds",
		Sentence: roundsSentence,
		Figures: []Figure{{
			ID: "fig-rounds", Chart: "rounds",
			Shown: func(d *report.Document) bool { return pairs(d) > 0 },
		}},
		Tables: roundTables,
	}
}

func pairs(doc *report.Document) int {
	n := 0
	for _, c := range doc.Contrasts {
		n += len(c.Pairs)
	}
	return n
}

func roundsSentence(d *report.Document) string {
	switch {
	case d.Run.Imported:
		return d.Say("rounds.imported")
	case d.Sealed():
		return d.SealedSentence()
	case pairs(d) == 0:
		return d.Say("rounds.none")
	}
	var parts []string
	for _, c := range d.Contrasts {
		slower, lo, hi := 0, 0.0, 0.0
		for i, p := range c.Pairs {
			v := -float64(p.EffectPercent)
			if v > 0 {
				slower++
			}
			if i == 0 {
				lo, hi = v, v
			}
			lo, hi = min(lo, v), max(hi, v)
		}
		if len(c.Pairs) > 0 {
			parts = append(parts, d.Say("rounds.arm", "arm", d.Called(c.Arm, c.Threads), "n", fmt.Sprint(slower),
				"rounds", d.Count(len(c.Pairs), "round"), "lo", language.Decimal(lo, 1), "hi", language.Decimal(hi, 1)))
		}
	}
	return d.Language().List("clauses", parts) + d.Say("end")
}

func roundTables(d *report.Document) []Table {
	t := Table{Caption: d.Say("caption.rounds", "unit", d.Say("unit")), Head: d.Heads("arm", "round", "baseline", "arm", "cost")}
	for _, c := range d.Contrasts {
		for _, p := range c.Pairs {
			t.Rows = append(t.Rows, []Cell{
				words(d.Label(c.Arm, c.Threads)), number(fmt.Sprint(p.Round)), number(report.Rate(p.Baseline)), number(report.Rate(p.Arm)),
				number(language.Decimal(-float64(p.EffectPercent), 1)),
			})
		}
	}
	return []Table{t}
}
