package text

import (
	"testing"

	"github.com/tarebench/tare/internal/report"
)

// TestSessionCostWithoutInterval: two runs of a round each have an estimate and no interval.
func TestSessionCostWithoutInterval(t *testing.T) {
	s := &report.Sessions{}
	if got := sessionCost(s, &report.Contrast{EffectPercent: -12.5}); got == "" {
		t.Error("the estimate is missing")
	}
	if got := sessionCost(s, &report.Contrast{EffectPercent: report.Unknown()}); got != "" {
		t.Errorf("an unknown estimate is %q", got)
	}
}
