package report

import (
	"fmt"
)

func costSection() Section {
	return Section{
		ID:       "cost",
		Sentence: func(*Document) string { return "" }, // the answers stand above as the page's headline
		Figures: []Figure{{
			ID: "fig-intervals", Chart: "intervals",
			Shown: func(d *Document) bool { return len(d.Contrasts) > 0 && !d.sealed() },
		}},
		Tables: func(d *Document) []Table { return append([]Table{contrastTable(d)}, noiseTable(d)...) },
	}
}

func (doc *Document) sealed() bool {
	return len(doc.Contrasts) > 0 && doc.Contrasts[0].Verdict == "sealed"
}

// sealedSentence says why nothing is compared. A document that came as JSON may
// have no headline.
func (doc *Document) sealedSentence() string {
	if len(doc.Headline) == 0 {
		return doc.say("sealed")
	}
	return doc.Headline[0]
}

func contrastTable(d *Document) Table {
	t := Table{
		Caption: d.say("caption.contrasts", "base", inert(d.baseline())),
		Head:    d.heads("arm", "tps", "p95", "cost", "in95", "in90", "sign-flip", "rounds", "verdict", "why"),
		Open:    true,
	}
	if d.Run.Imported {
		t.Head[7] = d.say("head.trials")
	}
	for i := range d.Arms {
		if a := &d.Arms[i]; a.Baseline {
			row := append([]Cell{words(d.say("arms.baseline", "arm", d.label(a.Name, a.Threads)))}, d.absolute(a.Name, a.Threads)...)
			for len(row) < len(t.Head)-2 {
				row = append(row, number("-"))
			}
			t.Rows = append(t.Rows, append(row, words("-"), words("-")))
		}
	}
	for i := range d.Contrasts {
		c := &d.Contrasts[i]
		mid, in95, in90 := d.words().costCells(c)
		p := "-"
		if c.SignFlipP.Known() {
			p = decimal(float64(c.SignFlipP), 4)
		}
		row := append([]Cell{words(d.label(c.Arm, c.Threads))}, d.absolute(c.Arm, c.Threads)...)
		t.Rows = append(t.Rows, append(row, number(mid), number(in95), number(in90), number(p),
			number(grouped(int64(c.Rounds))), d.words().verdictCell(c.Verdict), Cell{Text: cut(visible(c.Reason, false), 600)}))
	}
	return t
}

// absolute is what an arm did: transactions per second, and p95 in milliseconds.
func (doc *Document) absolute(arm string, threads int) []Cell {
	a := doc.arm(arm, threads)
	if a == nil {
		return []Cell{number("-"), number("-")}
	}
	return []Cell{number(orDash(a.ThroughputMean)), number(msOrDash(a.percentile("95")))}
}

func (l *Language) costCells(c *Contrast) (mid, in95, in90 string) {
	switch {
	case c.Interval != nil:
		cost := costOf(c)
		n := cost.digits()
		return decimal(cost.mid, n),
			l.interval(cost.lo, cost.hi, n),
			l.interval(cost.lo90, cost.hi90, n)
	case c.EffectPercent.Known():
		return decimal(-float64(c.EffectPercent), 1), l.say("cell.none"), l.say("cell.none")
	}
	return "-", l.say("cell.none"), l.say("cell.none")
}

func (doc *Document) baseline() string {
	for _, a := range doc.Arms {
		if a.Baseline {
			return a.Name
		}
	}
	return ""
}

func roundsSection() Section {
	return Section{
		ID:       "rounds",
		Sentence: roundsSentence,
		Figures: []Figure{{
			ID: "fig-rounds", Chart: "rounds",
			Shown: func(d *Document) bool { return d.pairs() > 0 },
		}},
		Tables: roundTables,
	}
}

func (doc *Document) pairs() int {
	n := 0
	for _, c := range doc.Contrasts {
		n += len(c.Pairs)
	}
	return n
}

func roundsSentence(d *Document) string {
	switch {
	case d.Run.Imported:
		return d.say("rounds.imported")
	case d.sealed():
		return d.sealedSentence()
	case d.pairs() == 0:
		return d.say("rounds.none")
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
			parts = append(parts, d.say("rounds.arm", "arm", d.called(c.Arm, c.Threads), "n", fmt.Sprint(slower),
				"rounds", d.count(len(c.Pairs), "round"), "lo", decimal(lo, 1), "hi", decimal(hi, 1)))
		}
	}
	return d.words().list("clauses", parts) + d.say("end")
}

func roundTables(d *Document) []Table {
	t := Table{Caption: d.say("caption.rounds", "unit", d.say("unit")), Head: d.heads("arm", "round", "baseline", "arm", "cost")}
	for _, c := range d.Contrasts {
		for _, p := range c.Pairs {
			t.Rows = append(t.Rows, []Cell{
				words(d.label(c.Arm, c.Threads)), number(fmt.Sprint(p.Round)), number(rate(p.Baseline)), number(rate(p.Arm)),
				number(decimal(-float64(p.EffectPercent), 1)),
			})
		}
	}
	return []Table{t}
}
