package text

import (
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/report/section"
)

func textNetwork(s *screen, doc *report.Document) {
	if doc.Network == nil {
		return
	}
	s.heading(doc.Say("network.question"))
	s.words("  ", 2, safe.Visible(section.NetworkSentence(doc), false))
}
