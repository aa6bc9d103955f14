package text

import (
	"fmt"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/report/section"
)

// textExplained is the confirmed causes, each with its counters.
func textExplained(s *screen, doc *report.Document) {
	if len(doc.Explained) == 0 {
		return
	}
	s.heading(doc.Say("text.explained"))
	none := true
	for e, f := range doc.Found(diagnose.Confirmed) {
		none = false
		s.words("  ", 4, fmt.Sprintf("%s: %s, %s: %s", safe.Name(doc.Label(e.Arm, e.Threads)), f.Rule, doc.RuleName(f), safe.Sentence(doc.Says(f))))
	}
	if none {
		s.words("  ", 2, section.ExplainedSentence(doc))
	}
}

func textCorrelations(s *screen, doc *report.Document) {
	all := doc.Telling()
	if len(all) == 0 {
		return
	}
	s.heading(doc.Say("text.correlations"))
	for _, c := range all {
		s.words("  ", 2, safe.Sentence(c.Sentence))
	}
}
