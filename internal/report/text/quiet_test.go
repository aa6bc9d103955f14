package text

import (
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report"
)

// TestQuiet: the terminal leaves out sections that show no limit of an arm, and prints those that may.
func TestQuiet(t *testing.T) {
	for name, c := range map[string]struct {
		hits  report.Number
		share report.Number
		yes   compare.Answer
		want  bool
	}{
		"all in memory, an idle link":   {100, 0.02, compare.No, false},
		"pages are read from disk":      {99, 0.02, compare.No, true},
		"the link is the limit":         {100, 0.95, compare.Yes, true},
		"the link may be the limit":     {100, 0.3, compare.NotSure, true},
		"the link is busy, not limited": {100, 0.95, compare.No, true},
	} {
		doc := &report.Document{Pools: []report.Pool{{Arm: "a", Threads: 8, HitPercent: c.hits}},
			Network: &report.Network{Links: []report.LinkUse{{Arm: "a", Threads: 8, Share: c.share, Limited: string(c.yes)}}}}
		s := newScreen(Options{})
		textPrices(s, doc)
		textNetwork(s, doc)
		if got := s.out.Len() > 0; got != c.want {
			t.Errorf("%s: text is %v, want %v:\n%s", name, got, c.want, s.out.String())
		}
	}
}
