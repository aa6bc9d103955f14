package report

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report/language"
)

// TestGainWithoutUpperEnd: a cost below zero whose lower end is not determined is said as a gain, in all sentences.
func TestGainWithoutUpperEnd(t *testing.T) {
	c := Contrast{Arm: "b", Baseline: "a", Verdict: "inconclusive", Rounds: 6, EffectPercent: 385, Interval: &[2]Number{105, 1047}, Interval90: &[2]Number{150, 900}}
	doc := &Document{Run: RunInfo{MarginPercent: 1}}
	if said := doc.sentence(&c); !strings.Contains(said, "at least 105 % faster") || strings.Contains(said, "at most") {
		t.Error(said)
	}
	if key := sessionsKey(&c); key != "sessions.inconclusive.unbounded.faster" {
		t.Error(key)
	}
	l := language.English()
	c.NoVerdict = NoVerdictBusy
	if key, said := sessionsKey(&c), span(l, CostOf(&c)); key != "sessions.busy" || said != "at least 105 % faster" {
		t.Error(key, said)
	}
	c.NoVerdict = ""
	c.Interval = &[2]Number{-5, 1047}
	if said := span(l, CostOf(&c)); said != "at most 5 % slower" {
		t.Error(said)
	}
	if said := doc.sentence(&c); !strings.Contains(said, "at most 5 %") || strings.Contains(said, "faster") {
		t.Error(said)
	}
	if got := language.English().Interval(-1047, -105, 0); got != "at least 105 faster" {
		t.Error(got)
	}
}
