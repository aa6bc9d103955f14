package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/record"
)

// TestSaturatedClientIsNoVerdict: one trial in which the client was the limit is
// enough, in the arm or in the baseline; other arms are not touched.
func TestSaturatedClientIsNoVerdict(t *testing.T) {
	r := fill(planned(t, spec(6, "1%", "bare: {target: process}", "a: {target: container}", "b: {target: container}")),
		func(arm string, round int) float64 {
			return map[string]float64{"bare": 1000, "a": 900, "b": 800}[arm] + float64(round)
		})
	each(r, "a", func(tr *record.Trial) {
		if tr.Header.Round == 2 {
			tr.Facts = append(tr.Facts, record.Fact{Key: invalidLoad, Value: "its loops were busy 99 % of the time", Phase: "end"})
		}
	})
	res := Run(r)
	a, b := res.Contrasts[0], res.Contrasts[1]
	if a.Verdict != Invalid || a.Interval95 != nil || !strings.Contains(fmt.Sprint(a.Reasons), "client-saturated n=1 of=6 arm=a why=its loops were busy") {
		t.Errorf("a: %+v", a)
	}
	if b.Verdict != Costs {
		t.Errorf("b: %+v", b)
	}
}
