package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// TestOtherNodes: arms whose servers were on different nodes in every round are compared only where the experiment names
// the nodes, or where somebody else places the servers; then, and where some rounds were on one node, a warning and a
// row of the differences name the nodes. Nodes with one kernel are one machine.
func TestOtherNodes(t *testing.T) {
	pod := func(name, more string) string { return fmt.Sprintf("%s: {target: kubernetes%s}", name, more) }
	in := func(base, arm string, mixed bool) func(arm string, round int) string {
		return func(of string, round int) string {
			if of == "bare" || mixed && round%2 == 0 {
				return base
			}
			return arm
		}
	}
	for name, c := range map[string]struct {
		bare, arm string
		at        func(arm string, round int) string
		boots     bool // one kernel
		invalid   bool
		warned    string // "in n of of"
		declared  string // of the row pod.node; "" for no row
	}{
		"one node":                    {"", ", qos: Burstable", in("n1", "n1", false), false, false, "", ""},
		"no node is named":            {"", ", qos: Burstable", in("n1", "n2", false), false, true, "", "false"},
		"one arm names its node":      {", node: n1", "", in("n1", "n2", false), false, true, "", "false"},
		"both name their nodes":       {", node: n1", ", node: n2", in("n1", "n2", false), false, false, "6 of 6", "true"},
		"some rounds are on one":      {"", ", qos: Burstable", in("n1", "n2", true), false, false, "3 of 6", "false"},
		"nodes are containers":        {"", ", qos: Burstable", in("n1", "n2", false), true, false, "", "false"},
		"the arms' own manifests":     {"", ", manifests: [db.yaml]", in("n1", "n2", false), false, false, "6 of 6", "false"},
		"the nodes are not on record": {"", ", qos: Burstable", in("", "", false), false, false, "", ""},
	} {
		r := fill(planned(t, spec(6, "1%", pod("bare", c.bare), pod("arm", c.arm))), func(_ string, round int) float64 { return 1000 + float64(round) })
		for _, tr := range r.Trials {
			at := c.at(tr.Header.Arm, tr.Header.Round)
			if at == "" {
				continue
			}
			boot := "b-" + at
			if c.boots {
				boot = "b"
			}
			for _, phase := range []string{"start", "end"} {
				tr.Facts = append(tr.Facts, record.Fact{Key: keys.PodNode, Value: at, Phase: phase})
			}
			tr.Facts = append(tr.Facts, record.Fact{Key: keys.NodeBootID, Value: boot, Phase: "start"})
		}
		res := Run(r)
		verdict := only(t, res)
		if (verdict.Verdict == Invalid) != c.invalid || c.invalid != (len(verdict.Reasons) > 0 && verdict.Reasons[0].Code == "nodes-apart") {
			t.Errorf("%s: %s %v", name, verdict.Verdict, verdict.Reasons)
		}
		warned := ""
		for _, w := range res.Warnings {
			if w.Code == "on-other-nodes" {
				warned = fmt.Sprintf("%v of %v", w.Numbers["n"], w.Numbers["of"])
			}
			if w.Code == "undeclared" && strings.Contains(w.String(), keys.PodNode) {
				t.Errorf("%s: two warnings of the node", name)
			}
		}
		if warned != c.warned {
			t.Errorf("%s: warned %q, want %q", name, warned, c.warned)
		}
		declared := ""
		for _, d := range res.Differences {
			if d.Key == keys.PodNode {
				declared = fmt.Sprint(d.Declared)
			}
		}
		if declared != c.declared {
			t.Errorf("%s: the row of the node is declared %q, want %q", name, declared, c.declared)
		}
	}
}
