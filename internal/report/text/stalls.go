package text

import (
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/safe"
)

func textStalls(s *screen, doc *report.Document) {
	if len(doc.Stalls) == 0 {
		return
	}
	s.heading(doc.Say("stalls.question"))
	s.words("  ", 2, safe.Visible(doc.StallsSentence(), false))
}
