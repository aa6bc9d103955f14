package report

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report/language"
)

// TestMeansNote: arms of which other rounds are complete have throughputs that say something else than the change.
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
	imported := of(450, 20)
	imported.Run.Imported = true
	if note := imported.MeansNote(); !strings.Contains(note, "at most 30.0 points") || strings.Contains(note, "rounds") {
		t.Errorf("of a log, which has no rounds: %q", note)
	}
	if note := of(599, 20).MeansNote(); note != "" {
		t.Errorf("they agree: %q", note)
	}
	against := of(510, -3)
	against.Contrasts[0].ArmThroughput, against.Contrasts[0].BaselineThroughput = 388, 400
	if note := against.MeansNote(); !strings.Contains(note, "opposite order to the change, which is that of their geometric means over the same rounds or trials, 388.0 and 400.0.") {
		t.Errorf("the means have the opposite order: %q", note)
	}
	near := of(500.04, -0.01) // as they are printed, the means are equal
	near.Contrasts[0].ArmThroughput, near.Contrasts[0].BaselineThroughput = 499.96, 500
	if note := near.MeansNote(); note != "" {
		t.Errorf("no reader sees it: %q", note)
	}
	small := of(502, -0.4)
	small.Contrasts[0].ArmThroughput, small.Contrasts[0].BaselineThroughput = 498, 500
	if note := small.MeansNote(); !strings.HasPrefix(note, "The throughputs of pod and bare are in the opposite order") {
		t.Errorf("below a point: %q", note)
	}
}
