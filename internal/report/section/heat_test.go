package section

import (
	"testing"

	"github.com/tarebench/tare/internal/report"
)

// Every column is in one row, in order, whatever the warm-up.
func TestHeatSpans(t *testing.T) {
	for n := range 450 {
		for _, warm := range []report.Number{report.Unknown(), 0, 1, 7, report.Number(n), report.Number(n + 1)} {
			h := report.Heat{Warmup: warm}
			for k := range n {
				h.Ends = append(h.Ends, report.Number(k+1))
			}
			spans, next := spans(h), 0
			for _, s := range spans {
				if s[0] != next || s[1] <= s[0] {
					t.Fatalf("%d columns, warm-up %v: %v", n, warm, spans)
				}
				next = s[1]
			}
			if next != n || len(spans) > heatSpans {
				t.Fatalf("%d columns, warm-up %v: %v", n, warm, spans)
			}
		}
	}
}
