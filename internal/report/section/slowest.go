package section

import (
	"fmt"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// slowestTold says what the slowest are, and of each arm how many; "" without any.
func slowestTold(d *report.Document) string {
	var arms []string
	for i := range d.Explained {
		if e := &d.Explained[i]; e.Slowest != nil {
			arms = append(arms, e.Slowest.Told(d.Language(), safe.Name(d.Label(e.Arm, e.Threads))))
		}
	}
	if len(arms) == 0 {
		return ""
	}
	return d.Say("slowest.reading", "arms", d.Language().List("list", arms)) + d.Say("join.sentences") + d.Say("slowest.places")
}

// slowestTable is every arm's slow transaction and its parts, one arm below the other.
func slowestTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.slowest"), Open: true, Head: d.Heads("arm", "part", "average-ms", "slowest-ms", "in95", "change-ms", "in95", "rounds")}
	for i := range d.Explained {
		e := &d.Explained[i]
		if e.Slowest == nil {
			continue
		}
		for k, p := range e.Slowest.Parts {
			if !e.Slowest.WorthARow(p) {
				continue
			}
			name := d.Language().Place(p.Name)
			if k == 0 {
				name = d.Say("slowest.whole", "part", name, "slow", language.Grouped(e.Slowest.Slow), "all", language.Grouped(e.Slowest.All))
			}
			t.Rows = append(t.Rows, append([]Cell{words(d.Label(e.Arm, e.Threads)), words(name)}, slowCells(d, e.Slowest, p)...))
		}
	}
	return t
}

func slowCells(doc *report.Document, s *report.Slowest, p report.SlowPart) []Cell {
	in := func(b *[2]report.Number) Cell {
		if b == nil {
			return number("-")
		}
		return number(language.Minus(doc.Language().Between(fmt.Sprintf("%.3f", float64(b[0])), fmt.Sprintf("%.3f", float64(b[1])))))
	}
	average, slow := s.Shares(p)
	change, rounds := "-", p.SlowRounds
	if p.Change.Known() {
		change, rounds = language.Minus(fmt.Sprintf("%+.3f", float64(p.Change))), p.Rounds
	}
	with := func(ms report.Number, share float64) Cell {
		return number(language.Minus(fmt.Sprintf("%.3f (%s)", float64(ms), doc.Say("percent", "x", language.Decimal(share, 0)))))
	}
	return []Cell{with(p.Average, average), with(p.Slow, slow), in(p.SlowInterval), number(change), in(p.Interval), number(fmt.Sprint(rounds))}
}
