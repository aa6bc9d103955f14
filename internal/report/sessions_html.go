package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
)

//go:embed page/sessions.tmpl
var sessionsTemplate string

// SessionsHTML writes two runs compared as a page without scripts: one file that
// fetches nothing.
func SessionsHTML(w io.Writer, s *Sessions) error {
	style := neutral(pageStyle)
	verdicts := make([]answer, len(s.Contrasts))
	for i, c := range s.Contrasts {
		m := markOf(c.Verdict)
		verdicts[i] = answer{m.glyph, english().word(c.Verdict), m.token, long(c.Sentence)}
	}
	t, err := template.New("sessions").Funcs(template.FuncMap{"inert": inert, "minus": minus, "long": long}).Parse(sessionsTemplate)
	if err != nil {
		return fmt.Errorf("parse page: %w", err)
	}
	var b bytes.Buffer
	err = t.Execute(&b, struct {
		*Sessions
		Policy   string
		Style    template.CSS
		Verdicts []answer
		Static   template.HTML
	}{
		Sessions: s, Policy: policy("", style), Style: template.CSS(style), Verdicts: verdicts,
		// The picture of the contrasts of a run draws those of two as well.
		Static: staticIntervals(&Document{Run: RunInfo{MarginPercent: s.MarginPercent}, Contrasts: s.Contrasts}),
	})
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}
