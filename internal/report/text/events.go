package text

import (
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/report/section"
)

// textEvents is a sentence for each event and each ledger.
func textEvents(s *screen, doc *report.Document) {
	if !section.HasEvents(doc) {
		return
	}
	s.heading(doc.Say("faults.question"))
	for _, sentence := range section.EventSentences(doc) {
		s.words("  ", 2, safe.Sentence(sentence))
	}
}
