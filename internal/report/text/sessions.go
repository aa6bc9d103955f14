package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// Sessions writes it for a terminal or a log.
func Sessions(w io.Writer, s *report.Sessions, o Options) error {
	t := newScreen(o)
	t.words("", 0, s.Title())
	t.gap()
	if len(s.Others) > 0 {
		t.words("", 0, s.BesideOthers())
		t.gap()
	}
	for _, v := range s.Verdicts() {
		t.verdict(v.Verdict, s.Language().Word(v.Verdict), v.Sentence)
	}
	sessionFigures(t, s)
	sessionLatencies(t, s)
	if len(s.Changed) > 0 {
		t.heading(s.Say("text.changed"))
		for _, c := range s.Changed[:min(len(s.Changed), 10)] {
			t.words("  ", 4, s.Change(c))
		}
		if n := len(s.Changed) - 10; n > 0 {
			t.words("  ", 4, s.Say("text.more-changes", "n", fmt.Sprint(n)))
		}
	}
	if len(s.Gates) > 0 {
		t.heading(s.Say("text.gates"))
		for _, g := range s.Gates {
			t.words("  ", 4, s.Say("sessions.gate", "state", s.GateWord(g), "condition", g.Condition, "arm", g.Arm, "reason", g.Reason))
		}
	}
	t.heading(s.Say("text.notes"))
	for _, warning := range s.Warnings {
		t.words("  - ", 4, warning)
	}
	return t.write(w, "comparison")
}

// sessionFigures is a line for each arm: both throughputs, and the cost of the later run with its interval.
func sessionFigures(t *screen, s *report.Sessions) {
	doc := s.Document()
	t.heading(doc.Say("text.session-figures", "unit", doc.Say("unit")))
	var rows [][3]string
	for i := range s.Contrasts {
		c := &s.Contrasts[i]
		row := [3]string{
			safe.Name(s.Say("arm.at", "arm", c.Arm, "threads", s.Language().Count(c.Threads, "thread"))),
			s.Say("text.from-to", "before", rateOrUnknown(s, c.BaselineThroughput), "after", rateOrUnknown(s, c.ArmThroughput)),
			sessionCost(s, c),
		}
		rows = append(rows, row)
	}
	sessionRows(t, rows)
}

// sessionLatencies is a line for p95 and for p99 of each arm that has them.
func sessionLatencies(t *screen, s *report.Sessions) {
	if len(s.Latencies) == 0 {
		return
	}
	t.heading(s.LatencyCaption())
	var rows [][3]string
	for i := range s.Latencies {
		l := &s.Latencies[i]
		before, after, change := l.Cells(s)
		rows = append(rows, [3]string{
			safe.Name(s.Say("arm.at", "arm", l.Arm, "threads", s.Language().Count(l.Threads, "thread"))),
			s.Say("sessions.latency-line", "p", l.Percentile, "before", before, "after", after), change,
		})
	}
	sessionRows(t, rows)
	if note := s.LatencyNote(); note != "" {
		t.words("  ", 2, note)
	}
}

// sessionRows writes rows of three cells below each other.
func sessionRows(t *screen, rows [][3]string) {
	var widths [2]int
	for _, row := range rows {
		for k := range widths {
			widths[k] = max(widths[k], runewidth.StringWidth(row[k]))
		}
	}
	widths[0] = min(widths[0], t.Width*4/10)
	for _, row := range rows {
		t.line(strings.TrimRight("  "+t.name(row[0], widths[0])+"  "+t.ascii(runewidth.FillRight(row[1], widths[1])+"  "+row[2]), " "))
	}
}

// sessionCost is the estimate with its interval, "" where the runs have no estimate.
func sessionCost(s *report.Sessions, c *report.Contrast) string {
	if !c.EffectPercent.Known() {
		return ""
	}
	if c.Interval == nil {
		return s.Say("text.session-estimate", "cost", language.Decimal(-float64(c.EffectPercent), 1))
	}
	cost := report.CostOf(c)
	n := cost.Digits()
	return s.Say("text.session-cost", "cost", language.Decimal(cost.Mid, n), "lo", language.Decimal(cost.Lo, n), "hi", language.Decimal(cost.Hi, n))
}

func rateOrUnknown(s *report.Sessions, n report.Number) string {
	if !n.Known() {
		return s.Say("cell.none")
	}
	return report.Rate(n)
}
