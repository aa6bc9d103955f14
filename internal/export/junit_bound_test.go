package export

import (
	"slices"
	"testing"

	"github.com/tarebench/tare/internal/report"
)

// TestJUnitOfAnOpenBound: a bound that the text report calls not determined has no number here.
func TestJUnitOfAnOpenBound(t *testing.T) {
	for hi, want := range map[report.Number]string{1047: undetermined, 40: "-40"} {
		c := junitCase(&report.Document{}, report.Contrast{Arm: "b", EffectPercent: 30, Interval: &[2]report.Number{20, hi}}, Options{})
		if !slices.Contains(*c.Properties, junitPair{"lo95_percent", want}) || !slices.Contains(*c.Properties, junitPair{"hi95_percent", "-20"}) {
			t.Errorf("%v: %+v", hi, *c.Properties)
		}
	}
}
