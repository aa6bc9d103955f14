package text

import (
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/report/section"
)

// textNetwork is what the network explains, if it explains something.
func textNetwork(s *screen, doc *report.Document) {
	if doc.Network == nil || len(doc.Network.Predictions) == 0 && !section.LinksMatter(doc) {
		return // the page says of every link that it limits nothing
	}
	s.heading(doc.Say("network.question"))
	s.words("  ", 2, safe.Visible(section.NetworkSentence(doc), false))
}
