package report

import (
	"fmt"
	"strings"
)

func costSection() Section {
	return Section{
		ID: "cost", Question: "What does it cost?",
		Sentence: func(*Document) string { return "" }, // the answers stand above as the page's headline
		Figures: []Figure{{
			ID: "fig-intervals", Chart: "intervals", Caption: "Cost in throughput, per cent of the baseline",
			Static: staticIntervals, Shown: func(d *Document) bool { return len(d.Contrasts) > 0 && !d.sealed() },
		}},
		Tables: func(d *Document) []Table { return append([]Table{contrastTable(d)}, noiseTable(d)...) },
		Reading: "Right of zero is slower. The dot is the best estimate; the thin line is the 95 % interval, to be held against zero; " +
			"the thick line is the 90 % interval, to be held against the shaded margin, which was fixed before the first trial. " +
			"Where there are several arms, the intervals hold for all of them at once (Bonferroni).",
	}
}

func (doc *Document) sealed() bool {
	return len(doc.Contrasts) > 0 && doc.Contrasts[0].Verdict == "sealed"
}

// sealedSentence says why nothing is compared. A document that came as JSON may
// have no headline.
func (doc *Document) sealedSentence() string {
	if len(doc.Headline) == 0 {
		return "Nothing is compared before the run has ended."
	}
	return doc.Headline[0]
}

func contrastTable(d *Document) Table {
	t := Table{
		Caption: "Every arm against the baseline " + inert(d.baseline()),
		Head:    []string{"Arm", "Cost, %", "95 % interval", "90 % interval", "Sign-flip p", "Rounds", "Verdict", "Why"},
	}
	if d.Run.Imported {
		t.Head[5] = "Trials"
	}
	for i := range d.Contrasts {
		c := &d.Contrasts[i]
		mid, in95, in90 := costCells(c)
		p := "-"
		if c.SignFlipP.Known() {
			p = decimal(float64(c.SignFlipP), 4)
		}
		t.Rows = append(t.Rows, []Cell{
			words(d.label(c.Arm, c.Threads)), number(mid), number(in95), number(in90), number(p),
			number(grouped(int64(c.Rounds))), verdict(c.Verdict), {Text: cut(visible(c.Reason, false), 600)},
		})
	}
	return t
}

func costCells(c *Contrast) (mid, in95, in90 string) {
	switch {
	case c.Interval != nil:
		cost := costOf(c)
		n := cost.digits()
		return decimal(cost.mid, n),
			fmt.Sprintf("%s to %s", bounded(cost.lo, n), decimal(cost.hi, n)),
			fmt.Sprintf("%s to %s", bounded(cost.lo90, n), decimal(cost.hi90, n))
	case c.EffectPercent.Known():
		return decimal(-float64(c.EffectPercent), 1), "none", "none"
	}
	return "-", "none", "none"
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
		ID: "rounds", Question: "Did every round say so?",
		Sentence: roundsSentence,
		Figures: []Figure{{
			ID: "fig-rounds", Chart: "rounds", Caption: "Cost of each round, per cent of the baseline in the same round",
			Static: staticRounds, Shown: func(d *Document) bool { return d.pairs() > 0 },
		}},
		Tables: roundTables,
		Reading: "A round holds every arm once, in an order drawn anew, so that both sides of a pair saw the machine in the same state. " +
			"A round is one observation; the seconds within it are not.",
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
		return "An imported run has no rounds: nobody recorded which trials belong together."
	case d.sealed():
		return d.sealedSentence()
	case d.pairs() == 0:
		return "The rounds are not compared; the verdicts above say why."
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
			parts = append(parts, fmt.Sprintf("%s was slower in %d of %s (cost %s to %s %%)",
				d.called(c.Arm, c.Threads), slower, count(len(c.Pairs), "round"), decimal(lo, 1), decimal(hi, 1)))
		}
	}
	return strings.Join(parts, "; ") + "."
}

func roundTables(d *Document) []Table {
	t := Table{Caption: "Rounds, " + Unit, Head: []string{"Arm", "Round", "Baseline", "Arm", "Cost, %"}}
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
