package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/keys"

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
			tr.Facts = append(tr.Facts, record.Fact{Key: keys.LoadInvalid, Value: "its loops were busy 99 % of the time", Phase: "end"})
		}
	})
	res := Run(r)
	a, b := res.Contrasts[0], res.Contrasts[1]
	if a.Verdict != Invalid || a.Interval95 != nil || !strings.Contains(fmt.Sprint(a.Reasons), "client-saturated n=1 of=6 arm=a why=[client-said text=its loops were busy") {
		t.Errorf("a: %+v", a)
	}
	if b.Verdict != Costs {
		t.Errorf("b: %+v", b)
	}
}

// The engine's code with its figures is the reason; an older record has the sentence alone.
func TestClientFault(t *testing.T) {
	for want, facts := range map[string][]record.Fact{
		"client-quota held=1.5 of=8":      {{Key: "load.invalid_code", Value: "quota"}, {Key: "load.throttled_s", Value: "1.5"}},
		"client-quota held=1.5 of=40":     {{Key: "load.invalid_code", Value: "quota"}, {Key: "load.throttled_s", Value: "1.5"}, {Key: "load.throttled_of_s", Value: "40"}},
		"client-busy share=98":            {{Key: "load.invalid_code", Value: "busy"}, {Key: "load.busiest_loop", Value: "0.98"}},
		"client-late ms=3.25":             {{Key: "load.invalid_code", Value: "late"}, {Key: "load.lateness_p99_ms", Value: "3.25"}},
		"client-said text=busy":           nil,
		"client-said text=busy, of later": {{Key: "load.invalid_code", Value: "of a later version"}},
	} {
		said := "busy"
		if len(facts) > 0 {
			said = "busy, of later"
		}
		tr := &record.Trial{Window: &record.Window{Seconds: 8}, Facts: append([]record.Fact{{Key: keys.LoadInvalid, Value: said}}, facts...)}
		if got := clientFault(tr).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
