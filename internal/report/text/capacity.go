package text

import "github.com/tarebench/tare/internal/report"

// textCapacity is the capacities on a terminal.
func textCapacity(s *screen, doc *report.Document) {
	if len(doc.Capacities) == 0 {
		return
	}
	s.heading(doc.Say("text.capacity", "limit", doc.Limit()))
	for _, c := range doc.Capacities {
		s.words("  ", 2, c.Sentence)
	}
}

// textPrices are the prices and the buffer pools on a terminal.
func textPrices(s *screen, doc *report.Document) {
	if len(doc.Prices) > 0 {
		s.heading(doc.Say("text.price"))
		for _, p := range doc.Prices {
			s.words("  ", 2, p.Sentence)
		}
	}
	if len(doc.Pools) > 0 {
		s.heading(doc.Say("text.pool"))
		name := s.nameWidth(doc)
		for _, p := range doc.Pools {
			s.words("  "+s.name(doc.Label(p.Arm, p.Threads), name)+"  ", name+4,
				doc.Say("text.pool-arm", "hit", report.Hits(p.HitPercent), "data", report.Mebibytes(p.DataBytes), "pool", report.Mebibytes(p.PoolBytes)))
		}
	}
}
