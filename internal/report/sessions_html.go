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
		return sessionsPageOf(s.translated(l))
	})
}

func sessionsPageOf(s *Sessions) sessionsPage {
	p := sessionsPage{
		Sessions: s, Title: long(s.title()), Footer: s.say("page.footer", "tare", inert(s.Tare), "plan", ""),
		Meta:      []string{s.say("sessions.two"), s.say("meta.margin", "margin", trimmed(s.MarginPercent))},
		Contrasts: contrastsTable(s), Gates: gatesTable(s), Changed: changedTable(s),
		// The picture of the contrasts of a run draws those of two as well.
		Static: staticIntervals(s.document()),
	}
	for _, c := range s.Contrasts {
		m := markOf(c.Verdict)
		p.Verdicts = append(p.Verdicts, answer{m.glyph, s.words().word(c.Verdict), m.token, long(c.Sentence)})
	}
	return p
}
