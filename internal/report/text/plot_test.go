package text

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report"
)

// However narrow the picture, an interval crosses zero exactly when it holds it.
func TestPlotTellsTheSideOfZero(t *testing.T) {
	for _, in := range [][2]float64{{-0.02, -0.01}, {0.01, 0.02}, {-0.01, 0.01}, {-30, -0.001}, {0.001, 30}, {-40, 0.001}} {
		c := report.Contrast{Verdict: "inconclusive", EffectPercent: report.Number((in[0] + in[1]) / 2),
			Interval: &[2]report.Number{report.Number(in[0]), report.Number(in[1])}, Interval90: &[2]report.Number{report.Number(in[0]), report.Number(in[1])}}
		wide := report.Contrast{Verdict: "costs", EffectPercent: -50, Interval: &[2]report.Number{-60, 40}, Interval90: &[2]report.Number{-60, 40}}
		doc := &report.Document{Run: report.RunInfo{MarginPercent: 1}, Contrasts: []report.Contrast{c, wide}}
		for width := 12; width < 80; width++ {
			row := (&screen{}).plot(doc, &c, report.ScaleOf(doc), width)
			crosses := !strings.Contains(row, "|")
			if holds := in[0] <= 0 && in[1] >= 0; crosses != holds {
				t.Errorf("%v at width %d: %q", in, width, row)
			}
		}
	}
}

// TestBeyondTheScale: an interval and an estimate beyond the scale are an arrow at its end, and not a point there.
func TestBeyondTheScale(t *testing.T) {
	c := report.Contrast{Verdict: "inconclusive", EffectPercent: 385, Interval: &[2]report.Number{105, 1047}, Interval90: &[2]report.Number{150, 900}}
	doc := &report.Document{Run: report.RunInfo{MarginPercent: 1}, Contrasts: []report.Contrast{c}}
	for unicode, want := range map[bool]string{false: "<", true: "◀"} {
		s := &screen{}
		s.Unicode = unicode
		row := s.plot(doc, &c, report.ScaleOf(doc), 40)
		if !strings.HasPrefix(row, want) || strings.ContainsAny(row, "o●") {
			t.Errorf("%q, want %s at the left end", row, want)
		}
	}
	if got := doc.NumbersOf(&c); got != "-385 [at least 105 faster] %" {
		t.Error(got)
	}
}
