package report

import (
	"fmt"

	"github.com/tarebench/tare/internal/diagnose"
)

// textExplained is the confirmed causes, each with its counters.
func textExplained(s *screen, doc *Document) {
	if len(doc.Explained) == 0 {
		return
	}
	s.heading(doc.say("text.explained"))
	none := true
	for e, f := range doc.found(diagnose.Confirmed) {
		none = false
		s.words("  ", 4, fmt.Sprintf("%s: %s, %s: %s", inert(doc.label(e.Arm, e.Threads)), f.Rule, doc.ruleName(f), inert(doc.says(f))))
	}
	if none {
		s.words("  ", 2, explainedSentence(doc))
	}
}

func textCorrelations(s *screen, doc *Document) {
	all := doc.telling()
	if len(all) == 0 {
		return
	}
	s.heading(doc.say("text.correlations"))
	for _, c := range all {
		s.words("  ", 2, inert(c.Sentence))
	}
}
