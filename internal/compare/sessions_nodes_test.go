package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// onNodes is a run of pods, all on one node of one kernel.
func onNodes(t *testing.T, seed uint64, arms, node, boot string) *record.Run {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	r := fill(planned(t, spec(8, "1%", "bare: {target: kubernetes"+arms+"}", "pod: {target: kubernetes, cpu: 1"+arms+"}")), func(arm string, _ int) float64 {
		return map[string]float64{"bare": 1000, "pod": 900}[arm] * math.Exp(0.002*rng.NormFloat64())
	})
	return fact(fact(r, keys.PodNode, node), keys.NodeBootID, boot)
}

// TestBetweenNodes: servers that the scheduler put on another machine in the later run are not compared. Nodes that the
// experiments name, and nodes of one machine, are compared, and are said to differ.
func TestBetweenNodes(t *testing.T) {
	moved := []Change{{"node.boot_id", "b1", "b2"}, {"pod.node (bare)", "n1", "n2"}, {"pod.node (pod)", "n1", "n2"}}
	for name, c := range map[string]struct {
		arms       string
		node, boot string
		verdict    Verdict
		reason     string
		warnings   int
		changed    []Change
	}{
		"the same node":      {"", "n1", "b1", Equivalent, "", 0, nil},
		"another machine":    {"", "n2", "b2", Invalid, "nodes-of-runs", 0, moved},
		"named nodes":        {", node: n1", "n2", "b2", Equivalent, "", 2, moved},
		"nodes of a machine": {"", "n2", "b1", Equivalent, "", 2, moved[1:]},
	} {
		s, err := Between(onNodes(t, 1, c.arms, "n1", "b1"), onNodes(t, 2, c.arms, c.node, c.boot), 0)
		if err != nil {
			t.Fatal(err)
		}
		got := s.Contrasts[1]
		if got.Verdict != c.verdict || c.reason != "" && got.Reasons[0].Code != c.reason {
			t.Errorf("%s: %s, %+v", name, got.Verdict, got.Reasons)
		}
		said := 0
		for _, w := range s.Warnings {
			if w.Code == "moved-between-runs" {
				said++
			}
		}
		if said != c.warnings {
			t.Errorf("%s: %d sentences, want %d", name, said, c.warnings)
		}
		if diff := cmp.Diff(c.changed, slices.DeleteFunc(s.Changed, func(x Change) bool { return x.Key == "" })); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestSchedulersNode: a run says beforehand that a later one can be on another node, unless its experiment names the node.
func TestSchedulersNode(t *testing.T) {
	for arms, want := range map[string]int{"": 1, ", node: n1": 0} {
		n := 0
		for _, w := range Run(onNodes(t, 1, arms, "n1", "b1")).Warnings {
			if w.Code == "schedulers-node" {
				n++
			}
		}
		if n != want {
			t.Errorf("%q: %d sentences, want %d", arms, n, want)
		}
	}
}
