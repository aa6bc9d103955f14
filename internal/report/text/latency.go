package text

import (
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// textLatency is p95 and p99 of every arm at the fixed rate, each with its change from the baseline and
// the verdict; nothing in a run without one.
func textLatency(s *screen, doc *report.Document) {
	if doc.Rate() == "" || doc.Sealed() {
		return
	}
	s.heading(doc.Say(latencyHeading(doc), "rate", doc.Rate()))
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
				s.words(lead, name+4, figure+unchanged(doc, &a.Tails[k]))
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

// latencyHeading is the key of a heading that promises what the rows have.
func latencyHeading(doc *report.Document) string {
	few := false
	for i := range doc.Arms {
		for _, t := range doc.Arms[i].Tails {
			if t.Interval != nil {
				return "text.latency"
			}
			few = few || t.NoInterval == compare.Few
		}
	}
	if few {
		return "text.latency-bare"
	}
	return "text.latency-rate"
}

// unchanged says why a percentile has no change, or of the baseline no interval; "" where the heading says it.
func unchanged(doc *report.Document, t *report.Tail) string {
	switch {
	case latencyHeading(doc) == "text.latency-bare":
		return ""
	case t.NoChange == compare.Apart:
		return doc.Say("text.tail-apart")
	case t.NoChange == compare.Few:
		return doc.Say("text.tail-few")
	case t.NoChange == compare.NoBaseline:
		return doc.Say("text.tail-no-baseline", "base", doc.Baseline(), "p", t.Percentile)
	case t.NoInterval == compare.Apart:
		return doc.Say("text.tail-no-interval")
	}
	return ""
}

// tailsHaveIntervals tells whether any percentile has an interval: a heading promises none where none has.
func tailsHaveIntervals(doc *report.Document) bool {
	return slices.ContainsFunc(doc.Arms, func(a report.Arm) bool {
		return slices.ContainsFunc(a.Tails, func(t report.Tail) bool { return t.Interval != nil })
	})
}

// tailFigure is a percentile with its interval, and its change with that one's; "" of the baseline.
func tailFigure(doc *report.Document, t *report.Tail) (figure, change string) {
	figure = percentileText(doc, t)
	if t.CostInterval == nil {
		return figure, ""
	}
	n := report.Cost{Lo: float64(t.CostInterval[0]), Hi: float64(t.CostInterval[1])}.Digits()
	return figure, doc.Say("text.tail-change", "size", language.Signed(float64(t.CostPercent), n),
		"lo", language.Decimal(float64(t.CostInterval[0]), n), "hi", language.Decimal(float64(t.CostInterval[1]), n))
}

// percentileText is a percentile with its interval, or with the lowest and the highest of the trials where those are too
// far apart for one.
func percentileText(doc *report.Document, t *report.Tail) string {
	lo, hi, key := float64(t.Lowest), float64(t.Highest), "text.p95"
	switch {
	case t.Interval != nil:
		lo, hi, key = float64(t.Interval[0]), float64(t.Interval[1]), "text.p95-in"
	case t.Trials > 1:
		key = "text.p95-trials"
	}
	return doc.Say(key, "p", t.Percentile, "ms", language.Significant(float64(t.Mean)), "lo", language.Significant(lo), "hi", language.Significant(hi))
}
