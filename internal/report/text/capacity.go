package text

import (
	"slices"

	"github.com/tarebench/tare/internal/report"
)

// allHits is the share of page reads, in %, from which a buffer pool holds what is read.
const allHits = 99.9

// textCapacity is the capacities on a terminal.
func textCapacity(s *screen, doc *report.Document) {
	if doc.Run.Find == nil || doc.Sealed() || len(doc.CapacitiesAlone()) > 0 { // those open the report
		return
	}
	s.heading(doc.Say("text.capacity", "limit", doc.Limit()))
	if len(doc.Capacities) == 0 {
		s.words("  ", 2, doc.NoCapacity())
	}
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
	// Where all pages are in the pool everywhere, it explains nothing; the page has the figures.
	if slices.ContainsFunc(doc.Pools, func(p report.Pool) bool { return p.HitPercent < allHits }) {
		s.heading(doc.Say("text.pool"))
		name := s.nameWidth(doc)
		for _, p := range doc.Pools {
			key := "text.pool-arm"
			if !p.DataBytes.Known() || !p.PoolBytes.Known() {
				key = "text.pool-hits"
			}
			s.words("  "+s.name(doc.Label(p.Arm, p.Threads), name)+"  ", name+4,
				doc.Say(key, "hit", report.Hits(p.HitPercent), "data", report.Mebibytes(p.DataBytes), "pool", report.Mebibytes(p.PoolBytes)))
		}
	}
}
