package section

import (
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

func sessionTable(s *report.Sessions, caption string, head ...string) Table {
	doc := s.Document()
	t := Table{Caption: doc.Say(caption, "unit", doc.Say("unit"))}
	for _, key := range head {
		t.Head = append(t.Head, s.Say("head."+key))
	}
	return t
}

// SessionContrasts is every arm with its figures and the reason for its verdict.
func SessionContrasts(s *report.Sessions) Table {
	l := s.Language()
	t := sessionTable(s, "sessions.caption", "arm", "threads", "earlier", "later", "cost", "in95", "trials", "verdict", "reason")
	for i := range s.Contrasts {
		c := &s.Contrasts[i]
		mid, in95, _ := report.CostCells(l, c)
		t.Rows = append(t.Rows, []Cell{
			words(c.Arm), number(language.Grouped(int64(c.Threads))), rateCell(l, c.BaselineThroughput), rateCell(l, c.ArmThroughput), number(mid), number(in95), number(language.Grouped(int64(c.Rounds))),
			verdictCell(l, c.Shown()), {Text: safe.Cut(safe.Visible(c.Reason, false), 600)},
		})
	}
	return t
}

// SessionLatencies is p95 and p99 of every arm that has them.
func SessionLatencies(s *report.Sessions) Table {
	t := sessionTable(s, "sessions.latency", "arm", "threads", "percentile", "earlier", "later", "change95")
	t.Caption, t.Open = s.LatencyCaption(), true
	if note := s.LatencyNote(); note != "" {
		t.Caption += s.Say("join.sentences") + note
	}
	for i := range s.Latencies {
		l := &s.Latencies[i]
		before, after, change := l.Cells(s)
		t.Rows = append(t.Rows, []Cell{
			words(l.Arm), number(language.Grouped(int64(l.Threads))), words("p" + l.Percentile), number(before), number(after), number(change),
		})
	}
	return t
}

func rateCell(l *language.Language, n report.Number) Cell {
	if !n.Known() {
		return number(l.Say("cell.none"))
	}
	return number(report.Rate(n))
}

// SessionGates are the conditions with what became of them.
func SessionGates(s *report.Sessions) Table {
	t := sessionTable(s, "sessions.gates", "condition", "arm", "outcome", "reason")
	t.Open = true
	for _, g := range s.Gates {
		t.Rows = append(t.Rows, []Cell{words(g.Condition), words(g.Arm), words(s.GateWord(g)), {Text: safe.Cut(safe.Visible(g.Reason, false), 600)}})
	}
	return t
}

// SessionChanges is the facts that differ, with the runs over the columns.
func SessionChanges(s *report.Sessions) Table {
	t := sessionTable(s, "sessions.changed-facts", "fact")
	t.Head = append(t.Head, safe.Name(s.Before.Run), safe.Name(s.After.Run))
	t.Open = true
	for _, c := range s.Changed {
		t.Rows = append(t.Rows, []Cell{words(c.Key), words(c.Before), words(c.After)})
	}
	return t
}
