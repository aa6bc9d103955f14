package runner

import (
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/target"
)

// named is a target of which only the identity matters.
type named struct {
	target.Target
	name string
}

// TestSecondTarget: by slices the second measurement of a baseline has a target of its own, where there is one; by
// windows all measurements of an arm have the same. A run that goes over from slices to windows keeps both.
func TestSecondTarget(t *testing.T) {
	sliced := &experiment.Interleaving{Kind: experiment.KindSlices, Slices: &interleave.Slices{}, Otherwise: []experiment.Interleaving{{Kind: experiment.KindWindows}}}
	first, second := experiment.Trial{Arm: "a"}, experiment.Trial{Arm: "a", Again: true}
	for name, c := range map[string]struct {
		plan   experiment.Plan
		second target.Target
		want   string
	}{
		"slices":                {experiment.Plan{Protocol: sliced}, named{name: "second"}, "second"},
		"slices, then windows":  {experiment.Plan{Protocol: sliced, Changes: []experiment.Change{{To: 0}}}, named{name: "second"}, "second"},
		"windows":               {experiment.Plan{Protocol: &experiment.Interleaving{Kind: experiment.KindWindows}}, named{name: "second"}, "first"},
		"an old plan":           {experiment.Plan{}, named{name: "second"}, "first"},
		"slices of one process": {experiment.Plan{Protocol: sliced}, nil, "first"},
	} {
		j := Job{Plan: c.plan, Second: c.second, Targets: map[string]target.Target{"a": named{name: "first"}}}
		place, key := j.place(second)
		if got := place.(named).name; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		of, other := j.place(first)
		if of.(named).name != "first" || (key == other) != (c.want == "first") {
			t.Errorf("%s: %v, keys %+v and %+v", name, of, key, other)
		}
	}
}
