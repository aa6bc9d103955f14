package diagnose

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
)

const pages = "../../docs/rules"

// TestPages holds docs/rules and docs/rules.md against the rules; -update writes
// them again.
func TestPages(t *testing.T) {
	want := map[string]string{"../../docs/rules.md": index(t, Rules())}
	for _, r := range Rules() {
		want[filepath.Join(pages, r.ID+".md")] = r.Page("en")
	}
	old, _ := filepath.Glob(pages + "/*.md")
	for _, f := range old {
		if _, ok := want[f]; !ok {
			t.Errorf("%s is of no rule", f)
		}
	}
	for name, text := range want {
		if *update {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil || string(got) != text {
			t.Errorf("%s is not what the rules say (%v): go test ./internal/diagnose -update", name, err)
		}
	}
}

// TestSARIF holds the document against the published schema, and against what
// section 3 of SARIF 2.1.0 demands besides: indices that point at their rule,
// lines and columns from 1, byte regions inside of the file.
func TestSARIF(t *testing.T) {
	text := "{kind: Pod, apiVersion: v1, metadata: {name: db}, spec: {containers: [{name: m, image: 'mysql:8.4', resources: {limits: {cpu: 1500m, memory: 8Gi}}}]}}\n---\n" +
		"{kind: KubeletConfiguration, apiVersion: kubelet.config.k8s.io/v1beta1, cpuManagerPolicy: static}\n"
	r := Lint(readAll(t, manifest.Source{Name: "dir with space/p.yaml", Text: []byte(text)}), Facts{}, Rules())
	var b bytes.Buffer
	if err := SARIF(&b, r, Rules(), "1.2.3"); err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.NewCompiler().Compile("testdata/sarif/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(instance); err != nil {
		t.Errorf("not SARIF 2.1.0: %v", err)
	}
	var log sarifLog
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	if err := d.Decode(&log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || !strings.HasSuffix(log.Schema, "sarif-2.1.0.json") || len(log.Runs) != 1 {
		t.Fatalf("%s %s, %d runs", log.Version, log.Schema, len(log.Runs))
	}
	run := log.Runs[0]
	if run.Tool.Driver.Name == "" || len(run.Results) < 3 || len(run.Tool.Driver.Rules) != len(Rules()) {
		t.Errorf("%d results, %d rules", len(run.Results), len(run.Tool.Driver.Rules))
	}
	fixes := 0
	for _, res := range run.Results {
		if run.Tool.Driver.Rules[res.RuleIndex].ID != res.RuleID {
			t.Errorf("%s has the index of %s", res.RuleID, run.Tool.Driver.Rules[res.RuleIndex].ID)
		}
		if !slices.Contains([]string{"error", "warning", "note"}, res.Level) || res.Kind != "fail" || res.Message.Text == "" || len(res.Locations) != 1 {
			t.Errorf("%+v", res)
		}
		p := res.Locations[0].Physical
		if p.Artifact.URI != "dir%20with%20space/p.yaml" || p.Region.StartLine < 1 || p.Region.StartColumn < 1 {
			t.Errorf("%s: %+v", res.RuleID, p)
		}
		for _, f := range res.Fixes {
			for _, c := range f.Changes {
				fixes++
				g := c.Replacements[0].Deleted
				if g.Length < 0 || g.Offset+g.Length > len(text) || !strings.Contains("1500m", text[g.Offset:g.Offset+g.Length]) { // nothing where a line is inserted
					t.Errorf("%s replaces %+v", res.RuleID, g)
				}
			}
		}
	}
	if fixes == 0 {
		t.Error("no fix for a fraction of a CPU")
	}
}

// index is the table of all rules, in Markdown.
func index(t *testing.T, rules []Rule) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Rules\n\n`tare lint` checks files and `tare explain RUN` checks the counters of a run against these rules. `tare explain RULE` prints\n" +
		"the same pages, with `--lang zh` in Chinese. `go test ./internal/diagnose -update` writes them from the rules.\n\n" +
		"Releases: those for which the rule finds something in its test cases, where not all, of those whose options were asked (" +
		"MySQL 5.7, 8.0, 8.4 and 9.7; MariaDB 10.3, 10.5, 10.6, 10.11, 11.4 and 11.8).\n\n" +
		"| rule | name | severity | releases |\n|---|---|---|---|\n")
	for _, r := range rules {
		releases := ""
		if mysql, mariadb := r.releases(t, option.MySQL), r.releases(t, option.MariaDB); mysql != "all" || mariadb != "all" {
			releases = " MySQL " + mysql + "; MariaDB " + mariadb
		}
		fmt.Fprintf(&b, "| [%s](rules/%s.md) | %s | %s |%s |\n", r.ID, r.ID, r.Title, r.Severity, releases)
	}
	return b.String()
}
