package report_test

import (
	"testing"

	"github.com/tarebench/tare/internal/report"
)

// TestConfidenceOfEarlierDocuments: a document whose contrasts name no family has no sentence about
// families in any language, so that its page has the same texts in all of them.
func TestConfidenceOfEarlierDocuments(t *testing.T) {
	in := [2]report.Number{-5, -3}
	doc := &report.Document{Contrasts: []report.Contrast{{Arm: "pod", Baseline: "bare", Verdict: "costs", EffectPercent: -4, Interval: &in, Interval90: &in}}}
	zh, err := doc.In("zh")
	if err != nil {
		t.Fatal(err)
	}
	if zh.Confidence != "" {
		t.Errorf("%q", zh.Confidence)
	}
	doc.Contrasts[0].Joint = report.Joint{Family: "throughput", FamilySize: 2, Level: 0.95, LevelAlone: 0.975}
	if zh, err = doc.In("zh"); err != nil || zh.Confidence == "" {
		t.Errorf("%q, %v", zh.Confidence, err)
	}
}
