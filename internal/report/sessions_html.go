package report

import (
	"html/template"
	"io"
)

// sessionsPage is what the template lays out.
type sessionsPage struct {
	*Sessions
	Title, Footer string
	Meta          []string
	Verdicts      []answer
	Static        template.HTML
	Contrasts     Table
	Gates         Table
	Changed       Table
}

// SessionsHTML writes two runs compared as a page like the report's: in the language of
// the comparison, with the words of the others.
func SessionsHTML(w io.Writer, s *Sessions, assets Assets) error {
	own := sessionsPageOf(s)
	return writePage(w, s.words(), s.Translated(), s.original(), assets, "sessions.tmpl", func(l *Language) any {
		if l == s.words() {
			return own
		}
		return sessionsPageOf(s.in(l))
	})
}

func sessionsPageOf(s *Sessions) sessionsPage {
	p := sessionsPage{
		Sessions: s, Title: long(s.title()), Footer: s.say("page.footer", "tare", inert(s.Tare), "plan", ""),
		Meta:      []string{s.say("sessions.two"), s.say("meta.margin", "margin", trimmed(s.MarginPercent))},
		Contrasts: contrastsTable(s), Gates: gatesTable(s), Changed: changedTable(s),
		// The picture of the contrasts of a run draws those of two as well.
		Static: staticIntervals(&Document{Run: RunInfo{MarginPercent: s.MarginPercent}, Contrasts: s.Contrasts, Arms: loads(s.Contrasts), language: s.words()}),
	}
	for _, c := range s.Contrasts {
		m := markOf(c.Verdict)
		p.Verdicts = append(p.Verdicts, answer{m.glyph, s.words().word(c.Verdict), m.token, long(c.Sentence)})
	}
	return p
}

func (s *Sessions) table(caption string, head ...string) Table {
	t := Table{Caption: s.say(caption)}
	for _, key := range head {
		t.Head = append(t.Head, s.say("head."+key))
	}
	return t
}

// contrastsTable is every arm with its figures and the reason for its verdict.
func contrastsTable(s *Sessions) Table {
	l := s.words()
	t := s.table("sessions.caption", "arm", "threads", "cost", "in95", "trials", "verdict", "reason")
	for i := range s.Contrasts {
		c := &s.Contrasts[i]
		mid, in95, _ := l.costCells(c)
		t.Rows = append(t.Rows, []Cell{
			words(c.Arm), number(grouped(int64(c.Threads))), number(mid), number(in95), number(grouped(int64(c.Rounds))),
			l.verdictCell(c.Verdict), {Text: cut(visible(c.Reason, false), 600)},
		})
	}
	return t
}

func gatesTable(s *Sessions) Table {
	t := s.table("sessions.gates", "condition", "arm", "outcome", "reason")
	t.Open = true
	for _, g := range s.Gates {
		t.Rows = append(t.Rows, []Cell{words(g.Condition), words(g.Arm), words(s.gateWord(g)), {Text: cut(visible(g.Reason, false), 600)}})
	}
	return t
}

// changedTable is the facts that differ, with the runs over the columns.
func changedTable(s *Sessions) Table {
	t := s.table("sessions.changed-facts", "fact")
	t.Head = append(t.Head, inert(s.Before.Run), inert(s.After.Run))
	t.Open = true
	for _, c := range s.Changed {
		t.Rows = append(t.Rows, []Cell{words(c.Key), words(c.Before), words(c.After)})
	}
	return t
}
