package report

import (
	"strings"
	"testing"
)

// TestCapacityOfFewTrials: of two trials without an interval the capacity is their mean, and not one's.
func TestCapacityOfFewTrials(t *testing.T) {
	doc := &Document{Arms: []Arm{{Name: "one"}}}
	doc.Run.Find = &Find{Percentile: 95, LimitMS: 60}
	for trials, want := range map[int]string{1: "(one trial, no interval)", 2: "(geometric mean of 2 trials, no interval)"} {
		if got := doc.capacitySentence(&Capacity{Arm: "one", Rate: 547.2, Trials: trials}); !strings.Contains(got, want) {
			t.Errorf("%d trials: %q", trials, got)
		}
	}
}
