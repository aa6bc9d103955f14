package campaign

import (
	"math"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
)

// TestBeside: what others use now decides what is said of a run.
func TestBeside(t *testing.T) {
	of := func(protocol string) *experiment.Experiment {
		e, err := experiment.Parse("x.yaml", []byte(`apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: x}
protocol: {rounds: 8`+protocol+`}
baseline: a
arms: {a: {target: process}, b: {target: process}}
`))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for _, c := range []struct {
		protocol      string
		others, steal float64
		want          []string
	}{
		{"", 0.04, 0, nil},
		{"", 0.06, 0, []string{"only while others use less than 10 %", "±1.7 % becomes about ±1.9 %"}},
		{"", 0.06, math.NaN(), []string{"only while others use less than 10 %"}},
		{"", 0.05, 0.05, []string{"no verdict: busy machine", "stop them"}},
		{"", math.NaN(), 0.3, []string{"no verdict: busy machine"}},
		{"", math.NaN(), math.NaN(), []string{"unknown"}},
		{", othersCPU: 99%", 0.73, 0, []string{"less than 99 %", "±1.7 % becomes about ±23 %"}},
		{", othersCPU: 99%", 0.95, 0, []string{"wider than ±100 %"}},
		{", othersCPU: 99%", 0.995, 0, []string{"less than 99 %", "wider than ±100 %"}},
		{", othersCPU: 99%", 1, 0, []string{"less than 99 %", "wider than ±100 %"}},
		{", othersCPU: 98%", 0.995, 0, []string{"no verdict: busy machine", "measure on a quieter machine"}},
		{", othersCPU: 3%", 0.04, 0, []string{"use 3 % of the CPU time or more"}},
	} {
		e := of(c.protocol)
		got := strings.Join(Beside(e, experiment.NewPlan(e), Spread{Low: 0.02, High: 0.02}, c.others, c.steal), "\n")
		if got == "" != (c.want == nil) {
			t.Errorf("%+v: %q", c, got)
		}
		if hint := strings.Contains(got, "--others-cpu 99% of"); hint && strings.Contains(c.protocol, "99%") {
			t.Errorf("%+v: advice that is followed: %q", c, got)
		}
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%+v: %q lacks %q", c, got, want)
			}
		}
	}
}
