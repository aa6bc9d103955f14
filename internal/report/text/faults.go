package text

import (
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/report/section"
)

// textFaults is a sentence for each fault and each ledger.
func textFaults(s *screen, doc *report.Document) {
	if !section.HasFaults(doc) {
		return
	}
	s.heading(doc.Say("faults.question"))
	for _, sentence := range section.FaultSentences(doc) {
		s.words("  ", 2, safe.Sentence(sentence))
	}
}
