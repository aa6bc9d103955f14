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
	}{{strings.ReplaceAll(string(written), "{{.By}}", "versus"), true}, {"apiVersion: tarebench.io/v1alpha1\n", false}} {
		doc := &Document{Arms: []Arm{{Target: "external"}, {Target: "external"}}, ExperimentYAML: c.yaml}
		for _, l := range language.All() {
			said := l.Say(doc.OfVersus("next.margin", "next.margin.versus"), "margin", "2.0")
			if strings.Contains(said, "--print-spec") != c.versus {
				t.Errorf("%.30q: %s", c.yaml, said)
			}
		}
	}
}

// TestScopeNamesServers: which product and release the servers are stands in the scope: once, or for each arm.
func TestScopeNamesServers(t *testing.T) {
	two := []Arm{{Name: "old", Servers: []string{"MariaDB 10.11.19"}}, {Name: "new", Servers: []string{"MariaDB 11.8.3"}}}
	alike := []Arm{{Name: "a", Servers: []string{"MySQL 9.7.4"}}, {Name: "b", Servers: []string{"MySQL 9.7.4"}}, {Name: "b", Threads: 2, Servers: []string{"MySQL 9.7.4"}}}
	for _, c := range []struct {
		tag, want string
		arms      []Arm
	}{
		{"en", "Servers: MariaDB 10.11.19 in old, MariaDB 11.8.3 in new.", two}, {"en", "Server of all arms: MySQL 9.7.4.", alike},
		{"zh", "服务器：old 为 MariaDB 10.11.19、new 为 MariaDB 11.8.3。", two}, {"zh", "所有测试配置的服务器：MySQL 9.7.4。", alike},
	} {
		l, err := language.Of(c.tag)
		if err != nil {
			t.Fatal(err)
		}
		doc := &Document{Arms: c.arms, language: l}
		if said := doc.scope(); !strings.HasSuffix(said, c.want) {
			t.Errorf("%s: %s", c.tag, said)
		}
	}
	if said := (&Document{Arms: []Arm{{Name: "a"}}}).servers(); said != "" {
		t.Errorf("of an unknown server: %s", said)
	}
}
