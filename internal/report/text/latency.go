package text

import (
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// textLatency is p95 and p99 of every arm at the fixed rate, each with its change from the baseline and
// the verdict; nothing in a run without one.
func textLatency(s *screen, doc *report.Document) {
	if doc.Rate() == "" || doc.Sealed() {
		return
	}
	s.heading(doc.Say("text.latency", "rate", doc.Rate()))
	name := s.nameWidth(doc)
	var widest [2]int
	for i := range doc.Arms {
		for k := range doc.Arms[i].Tails {
			figure, _ := tailFigure(doc, &doc.Arms[i].Tails[k])
			widest[k] = max(widest[k], runewidth.StringWidth(figure))
		}
	}
	for i := range doc.Arms {
		a := &doc.Arms[i]
		lead := "  " + s.name(doc.Label(a.Name, a.Threads), name) + "  "
		if why := doc.NoTail(a); why != "" {
			s.words(lead, name+4, why)
			continue
		}
		for k := range a.Tails {
			figure, change := tailFigure(doc, &a.Tails[k])
			row, shown := lead+runewidth.FillRight(figure, max(widest[0], widest[1])), ""
			if change != "" {
				m := report.MarkOf(a.Tails[k].Verdict)
				shown = change + "  " + s.paint(m.Bold(), s.glyph(a.Tails[k].Verdict))
			}
			switch one := runewidth.StringWidth(row+change) + 5; {
			case change == "":
				s.words(lead, name+4, figure)
			case one <= s.Width:
				s.line(row + "  " + shown)
			default:
				s.words(lead, name+4, figure)
				s.line("    " + shown)
			}
			lead = strings.Repeat(" ", name+4)
		}
	}
	if said := doc.AtRate(); said != "" { // an open loop has a warning of its own
		s.words("  ", 2, said)
	}
}

// tailFigure is a percentile with its interval, and its change with that one's; "" of the baseline.
func tailFigure(doc *report.Document, t *report.Tail) (figure, change string) {
	figure = doc.Say("text.p95", "p", t.Percentile, "ms", language.Significant(float64(t.Mean)))
	if t.Interval != nil {
		figure = doc.Say("text.p95-in", "p", t.Percentile, "ms", language.Significant(float64(t.Mean)),
			"lo", language.Significant(float64(t.Interval[0])), "hi", language.Significant(float64(t.Interval[1])))
	}
	if t.CostInterval == nil {
		return figure, ""
	}
	n := report.Cost{Lo: float64(t.CostInterval[0]), Hi: float64(t.CostInterval[1])}.Digits()
	return figure, doc.Say("text.tail-change", "size", language.Signed(float64(t.CostPercent), n),
		"lo", language.Decimal(float64(t.CostInterval[0]), n), "hi", language.Decimal(float64(t.CostInterval[1]), n))
}
