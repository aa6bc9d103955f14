package report

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report/language"
)

// TestTakenBackIsSaid: where the interval alone would bear a verdict, the sentence does
// not claim that it holds "none", and says what took the verdict back, in every language.
func TestTakenBackIsSaid(t *testing.T) {
	c := Contrast{
		Arm: "pod", Baseline: "bare", Verdict: "inconclusive", Rounds: 9, EffectPercent: -47.8,
		Interval: &[2]Number{-51.1, -44.3}, Interval90: &[2]Number{-50.5, -45}, Reason: "something changed during the run",
	}
	doc := &Document{Run: RunInfo{MarginPercent: 1}, Contrasts: []Contrast{c}}
	for _, l := range language.All() {
		s := doc.InLanguage(l).sentence(&c)
		for _, want := range []string{"44.3", "51.1", c.Reason} {
			if !strings.Contains(s, want) {
				t.Errorf("%q lacks %q", s, want)
			}
		}
	}
	if s := doc.sentence(&c); !strings.Contains(s, "no verdict") || strings.Contains(s, "none") {
		t.Errorf("%q", s)
	}
	c.Interval, c.Interval90 = &[2]Number{-51.1, 2}, &[2]Number{-50.5, 1.5}
	if s := doc.sentence(&c); !strings.Contains(s, "inconclusive") {
		t.Errorf("%q", s)
	}
}
