package text

import (
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/safe"
)

// textHypotheses is a sentence for each claim of the experiment.
func textHypotheses(s *screen, doc *report.Document) {
	if len(doc.Hypotheses) == 0 || doc.Sealed() {
		return
	}
	s.heading(doc.Say("text.hypotheses"))
	for _, h := range doc.Hypotheses {
		s.words("  ", 2, safe.Sentence(h.Sentence))
	}
}
