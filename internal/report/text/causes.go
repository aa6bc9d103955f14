package text

import (
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/report/section"
)

// textExplained is the causes that the counters show, each with its state and its counters.
func textExplained(s *screen, doc *report.Document) {
	if len(doc.Explained) == 0 {
		return
	}
	s.heading(doc.Say("text.explained"))
	none := true
	for e, f := range doc.Found(diagnose.Confirmed) {
		none = false
		s.words("  ", 4, doc.Say("text.cause", "arm", safe.Name(doc.Label(e.Arm, e.Threads)), "state", doc.Say("finding."+f.State), "rule", f.Rule, "cause", doc.RuleName(f),
			"evidence", safe.Sentence(doc.Says(f)))+doc.Recovers(e, f))
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
