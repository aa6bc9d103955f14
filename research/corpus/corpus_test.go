package main

// The test of the tool: a small corpus, and one that fails in every way.

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/manifest"
)

var update = flag.Bool("update", false, "write the golden file")

// TestCorpus: the counts of a small corpus, and no failure; -v names each finding.
func TestCorpus(t *testing.T) {
	var out bytes.Buffer
	failed, err := run(&out, []string{"testdata"}, rulesOfFiles(), false)
	if err != nil || failed != 0 {
		t.Fatalf("%d failed: %v\n%s", failed, err, &out)
	}
	var all bytes.Buffer
	if _, err := run(&all, []string{"testdata/mixed"}, rulesOfFiles(), true); err != nil || !strings.Contains(all.String(), "my.cnf:2:25: error: my.cnf [M-OPT-01] ") {
		t.Errorf("-v: %v\n%s", err, &all)
	}
	const golden = "testdata/golden.txt"
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("- golden, + printed:\n%s", diff)
	}
	if _, err := run(&out, []string{"testdata/none"}, nil, false); err == nil {
		t.Error("a directory that is not there is no error")
	}
}

// TestCrash: a rule that crashes fails the files that it was run on, and only those.
func TestCrash(t *testing.T) {
	var out bytes.Buffer
	rules := []diagnose.Rule{{ID: "BROKEN", Check: func(*diagnose.Case) []diagnose.Finding { panic("broken") }}}
	failed, err := run(&out, []string{"testdata/kustomized"}, rules, false)
	if want := "FAILED testdata/kustomized/kustomization.yaml: rule BROKEN: the rule crashed: broken\n"; err != nil || failed != 1 || !strings.HasPrefix(out.String(), want) {
		t.Errorf("%d failed, %v:\n%s\nwant it to begin with %s", failed, err, &out, want)
	}
}

// TestDamage: what a changed file can lose.
func TestDamage(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"f.yaml", "a: 1 # one\n", "a: 2 # one\n", ""},
		{"f.yaml", "a: 1 # one\nb: 2 # two\n", "a: 1 # one\nb: 3\n", `the comment "# two" is lost`},
		{"f.yaml", "a: 1 # one\nb: 2 # two\n", "b: 2 # two\na: 1 # one\n", `the comment "# two" is lost`},
		{"f.yaml", "a: 1\r\n", "a: 2\n", "a line end is not \\r\\n as the others are"},
		{"f.yaml", "a: 1\n---\nb: 2\n", "a: 1\n---\nb: [2\n", "1 documents of 2 can be read: "},
		{"my.cnf", "[mysqld]\n", "[mysqld\n", ""}, // lint itself reads it again
	} {
		got := damage([]byte(c.before), manifest.Source{Name: c.name, Text: []byte(c.after)})
		if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("%q -> %q: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

// TestBadFixes: fixes that lint's own judge has not seen are found: one that leaves its finding, one that brings
// another, one that a second run makes again.
func TestBadFixes(t *testing.T) {
	text := []byte("[mysqld]\nsync_binlog=7\n")
	value := func(c *diagnose.Case) manifest.Option {
		o, _ := c.DB.Option("sync_binlog")
		return o
	}
	change := func(id, from, to string) diagnose.Rule {
		return diagnose.Rule{ID: id, Check: func(c *diagnose.Case) []diagnose.Finding {
			o := value(c)
			if from != "" && o.Value != from {
				return nil
			}
			return []diagnose.Finding{{Verdict: diagnose.Confirmed, Says: "it is " + o.Value, Edits: []manifest.Edit{{At: o.Spot, Text: to}}}}
		}}
	}
	other := diagnose.Rule{ID: "OTHER", Check: func(c *diagnose.Case) []diagnose.Finding {
		if value(c).Value == "7" {
			return nil
		}
		return []diagnose.Finding{{Verdict: diagnose.Confirmed, Says: "it is not 7"}}
	}}
	for _, c := range []struct {
		name  string
		rules []diagnose.Rule
		want  string
	}{
		{"good", []diagnose.Rule{change("GOOD", "7", "9")}, ""},
		{"another finding", []diagnose.Rule{change("GOOD", "7", "9"), other}, "my.cnf: OTHER is there after --fix: it is not 7"},
		{"its own finding", []diagnose.Rule{change("SAME", "", "7x")}, "my.cnf: SAME is there after --fix: it is 7x"},
		{"a second run", []diagnose.Rule{change("FIRST", "7", "9"), change("SECOND", "9", "11")},
			"my.cnf: a second run changes it again [SECOND]\nmy.cnf: SECOND is there after --fix: it is 9"},
	} {
		set, problems := manifest.Read([]manifest.Source{{Name: "my.cnf", Text: text}}, nil)
		x := fixing{set: set, problems: problems, rules: c.rules, before: diagnose.Lint(set, diagnose.Facts{}, c.rules)}
		wrong, fixed := x.check()
		if strings.Join(wrong, "\n") != c.want || fixed != 1 {
			t.Errorf("%s: %d fixed, %q, want %q", c.name, fixed, wrong, c.want)
		}
	}
}
