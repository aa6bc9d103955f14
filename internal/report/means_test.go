package report

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report/language"
)

// TestMeansNote: of rounds of 100 and 900 an arm that is 80 % faster in one and 20 % slower in the other has a mean
// that says something else than the change.
func TestMeansNote(t *testing.T) {
	of := func(mean, effect float64) *Document {
		return &Document{
			Arms:      []Arm{{Name: "bare", Threads: 1, ThroughputMean: 500}, {Name: "pod", Threads: 1, ThroughputMean: Number(mean)}},
			Contrasts: []Contrast{{Arm: "pod", Baseline: "bare", Threads: 1, EffectPercent: Number(effect)}},
			language:  language.English(),
		}
	}
	if note := of(450, 20).MeansNote(); !strings.Contains(note, "at most 30.0 points") {
		t.Errorf("%q", note)
	}
	if note := of(599, 20).MeansNote(); note != "" {
		t.Errorf("they agree: %q", note)
	}
}
