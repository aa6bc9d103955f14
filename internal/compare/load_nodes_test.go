package compare

import (
	"fmt"
	"testing"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// TestLoadNodes: loads of one round that came from different nodes have different network paths, which is said.
func TestLoadNodes(t *testing.T) {
	for name, c := range map[string]struct {
		base, arm []string // of two load pods
		want      string
	}{
		"the same nodes in another order": {[]string{"n1", "n2"}, []string{"n2", "n1"}, ""},
		"another node":                    {[]string{"n1", "n1"}, []string{"n1", "n3"}, "6 of 6 [n1+n3/n1 ×6]"},
		"no load pods":                    {nil, []string{"n1"}, ""},
	} {
		r := fill(planned(t, spec(6, "1%", "bare: {target: external}", "a: {target: external, host: a}")), func(string, int) float64 { return 1000 })
		for arm, nodes := range map[string][]string{"bare": c.base, "a": c.arm} {
			each(r, arm, func(tr *record.Trial) {
				for i, n := range nodes {
					tr.Facts = append(tr.Facts, record.Fact{Key: fmt.Sprintf("%s%d.node", keys.LoadPodPrefix, i), Value: n, Phase: "start"})
				}
			})
		}
		got := ""
		for _, w := range Run(r).Warnings {
			if w.Code == "load-on-other-nodes" {
				got += fmt.Sprintf("%v of %v %v", w.Numbers["n"], w.Numbers["of"], w.Names["pairs"])
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
