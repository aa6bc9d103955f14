package report

import (
	"os"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report/language"
)

// TestAdviceForVersus: who compared servers with `tare versus` has no experiment file to write fields into, and the
// advice says how to get one. Who used `tare run` has one.
func TestAdviceForVersus(t *testing.T) {
	written, err := os.ReadFile("../../cmd/tare/versus.yaml.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		yaml   string
		versus bool
	}{{string(written), true}, {"apiVersion: tarebench.io/v1alpha1\n", false}} {
		doc := &Document{Arms: []Arm{{Target: "external"}, {Target: "external"}}, ExperimentYAML: c.yaml}
		for _, l := range language.All() {
			said := l.Say(doc.OfVersus("next.margin", "next.margin.versus"), "margin", "2.0")
			if strings.Contains(said, "--print-spec") != c.versus {
				t.Errorf("%.30q: %s", c.yaml, said)
			}
		}
	}
}
