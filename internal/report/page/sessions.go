package page

import (
	"html/template"
	"io"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/chart"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/report/section"
)

// sessionsPage is what the template lays out.
type sessionsPage struct {
	*report.Sessions
	Title, Footer string
	Meta          []string
	Verdicts      []section.Answer
	Static        template.HTML
	Contrasts     section.Table
	Tails         section.Table
	Gates         section.Table
	Changed       section.Table
}

// Sessions writes two runs compared as a page like the report's: in the language of
// the comparison, with the words of the others.
func Sessions(w io.Writer, s *report.Sessions, assets Assets) error {
	own := sessionsPageOf(s)
	show := layout{name: "sessions.tmpl", data: func(l *language.Language) any {
		if l == s.Language() {
			return own
		}
		return sessionsPageOf(s.InLanguage(l))
	}, quoted: func(l *language.Language) map[string]string {
		return quoted(s.Original().Document(), s.InLanguage(l).Document())
	}}
	return writePage(w, s.Language(), s.Translated(), s.Original(), assets, show)
}

func sessionsPageOf(s *report.Sessions) sessionsPage {
	p := sessionsPage{
		Sessions: s, Title: safe.Sentence(s.Title()), Footer: s.Say("page.footer", "tare", safe.Name(s.Tare), "plan", ""),
		Meta:      []string{s.Say("sessions.two"), s.Say("meta.margin", "margin", report.Trimmed(s.MarginPercent))},
		Contrasts: section.SessionContrasts(s), Tails: section.SessionLatencies(s), Gates: section.SessionGates(s), Changed: section.SessionChanges(s),
		// The picture of the contrasts of a run draws those of two as well.
		Static: chart.Intervals(s.Document()),
	}
	for _, v := range s.Verdicts() {
		m := report.MarkOf(v.Verdict)
		p.Verdicts = append(p.Verdicts, section.Answer{Glyph: m.Glyph, Word: s.Language().Word(v.Verdict), Token: m.Token, Sentence: safe.Sentence(v.Sentence)})
	}
	return p
}
