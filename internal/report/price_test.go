package report

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report/language"
)

// TestPricesClaimNoMoreThanTheVerdict: a change of the price is said as a result only where the contrast of throughput
// has not lost its verdict, and a price over several rounds is not that of one trial.
func TestPricesClaimNoMoreThanTheVerdict(t *testing.T) {
	slower, around := &[2]Number{-60, -40}, &[2]Number{-5, 5}
	for name, c := range map[string]struct {
		contrast Contrast
		trials   int
		in       *[2]Number
		says     string
	}{
		"a cost":                                {Contrast{Verdict: "costs", Interval: slower}, 8, &[2]Number{1, 2}, "That is +100 %"},
		"an inconclusive change, another price": {Contrast{Verdict: "inconclusive", Interval: around}, 8, &[2]Number{1, 2}, "That is +100 %"},
		"too few rounds":                        {Contrast{Verdict: "inconclusive", NoVerdict: NoVerdictEarly, Interval: slower}, 2, &[2]Number{1, 2}, "is inconclusive: +100 %"},
		"a busy machine":                        {Contrast{Verdict: "inconclusive", NoVerdict: NoVerdictBusy, Interval: around}, 8, &[2]Number{1, 2}, "is inconclusive: +100 %"},
		"a verdict that was taken back":         {Contrast{Verdict: "inconclusive", Interval: slower}, 8, &[2]Number{1, 2}, "is inconclusive: +100 %"},
		"an interval that is not determined":    {Contrast{Verdict: "inconclusive"}, 8, nil, "(8 rounds; the interval is not determined)"},
		"one trial":                             {Contrast{Verdict: "inconclusive"}, 1, nil, "(one trial, no interval)"},
	} {
		c.contrast.Arm = "pod"
		doc := &Document{
			Arms: []Arm{{Name: "bare"}, {Name: "pod"}}, Contrasts: []Contrast{c.contrast},
			Prices:   []Price{{Arm: "pod", Hour: 1, Million: 1.5, Interval: c.in, Trials: c.trials, ChangePercent: 100, ChangeInterval: &[2]Number{67, 150}}},
			language: language.English(),
		}
		if doc.writePrices(); !strings.Contains(doc.Prices[0].Sentence, c.says) {
			t.Errorf("%s: %q, want %q", name, doc.Prices[0].Sentence, c.says)
		}
	}
}
