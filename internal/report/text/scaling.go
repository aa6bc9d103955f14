package text

import (
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/report/section"
)

// textScaling says at how many threads the arms are saturated.
func textScaling(s *screen, doc *report.Document) {
	knees := section.Knees(doc)
	if len(knees) == 0 {
		return
	}
	s.heading(doc.Say("text.scaling"))
	for _, sentence := range knees {
		s.words("  ", 2, safe.Sentence(sentence))
	}
}
