package record

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
)

// FuzzPlan: a plan that was changed in any way is refused, in bounded memory. What is accepted
// is the plan that the experiment gives.
func FuzzPlan(f *testing.F) {
	e, err := experiment.Parse("x.yaml", []byte(`apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: x}
protocol: {rounds: 3, seed: 7}
baseline: a
arms: {a: {target: process}, b: {target: process}}
`))
	if err != nil {
		f.Fatal(err)
	}
	plan := experiment.NewPlan(e)
	text, err := json.Marshal(plan)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	for from, to := range map[string]string{
		`"max_rounds":3`: `"max_rounds":30000000`, `"round":1`: `"round":99`, `"rounds":3`: `"rounds":-1`, `"slot":1`: `"slot":0`, `"arm":"a"`: `"arm":"../../a"`,
	} {
		f.Add([]byte(strings.Replace(string(text), from, to, 1)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var p experiment.Plan
		if err := strictUnmarshal(text, &p); err == nil && p.Check(e) == nil && p.Hash != plan.Hash {
			t.Errorf("a plan with hash %q is accepted, of an experiment with %q", p.Hash, plan.Hash)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 128<<20 {
			t.Errorf("%d bytes allocated for %d", got, len(text))
		}
	})
}
