package diagnose

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/tarebench/tare/internal/manifest"
)

// TestFixesOfEveryCase makes the judged changes of every recorded case of every rule: the files can be read
// afterwards, each finding that was fixed is gone, none is new, comments and line ends are kept, and a second run
// changes nothing. A finding that is not changed has a reason.
func TestFixesOfEveryCase(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	rules, fixed := Rules(), 0
	for _, name := range archives {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range kindsOf(a) {
			fixed += fixCase(t, name+" "+kind, a, kind, rules)
			fixCase(t, name+" "+kind+" with CRLF", withCRLF(a), kind, rules)
		}
	}
	if fixed < 30 {
		t.Errorf("only %d findings were fixed", fixed)
	}
}

// withCRLF is an archive whose files have the line ends of Windows.
func withCRLF(a *txtar.Archive) *txtar.Archive {
	b := *a
	b.Files = slices.Clone(a.Files)
	for i, f := range b.Files {
		b.Files[i].Data = bytes.ReplaceAll(f.Data, []byte("\n"), []byte("\r\n"))
	}
	return &b
}

// loneEnds is how many line ends of a text have no carriage return before them.
func loneEnds(text []byte) int {
	return bytes.Count(text, []byte("\n")) - bytes.Count(text, []byte("\r\n"))
}

// fixCase fixes one case and returns how many findings that were.
func fixCase(t *testing.T, name string, a *txtar.Archive, kind string, rules []Rule) int {
	t.Helper()
	set, facts := caseOf(t, a, kind)
	before := Settle(set, facts, rules, Lint(set, facts, rules))
	for _, f := range before.Findings {
		if f.Found() && (len(f.Edits) > 0) == (f.NotMade.String() != "") {
			t.Errorf("%s: %s has %d edits and %q as the reason for none", name, f.Rule, len(f.Edits), f.NotMade)
		}
	}
	edits := editsOf(before)
	if len(edits) == 0 {
		return 0
	}
	again, err := set.Reread(edits)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return 0
	}
	after := Settle(again, facts, rules, Lint(again, facts, rules))
	was, is := perSubject(before), perSubject(after)
	for _, key := range is.order {
		if is.count[key] > was.count[key] {
			t.Errorf("%s: %s is new after the fix", name, key.rule)
		}
	}
	n := 0
	for _, f := range before.Findings {
		if key := (subjectRule{f.Subject, f.Rule}); len(f.Edits) > 0 {
			if n++; is.count[key] >= was.count[key] {
				t.Errorf("%s: %s is still there after its fix", name, f.Rule)
			}
		}
	}
	if left := editsOf(after); len(left) > 0 {
		t.Errorf("%s: a second run would change %v", name, left)
	}
	for i, f := range again.Files {
		if old := comments.FindAllString(string(set.Files[i].Text), -1); !slices.Equal(old, comments.FindAllString(string(f.Text), -1)) {
			t.Errorf("%s: a comment of %s is gone", name, f.Name)
		}
		if loneEnds(set.Files[i].Text) == 0 && loneEnds(f.Text) > 0 {
			t.Errorf("%s: the line ends of %s are mixed:\n%q", name, f.Name, f.Text)
		}
	}
	return n
}

var comments = regexp.MustCompile(`(?m)#.*$`)

func editsOf(r Result) (all []manifest.Edit) {
	for _, f := range r.Findings {
		for _, e := range f.Edits {
			if !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
	}
	return all
}

// TestSettleRefuses: an edit that leaves its finding, and one that brings another, are dropped with the reason; the
// others are kept.
func TestSettleRefuses(t *testing.T) {
	text := "kind: ConfigMap\nmetadata: {name: c}\ndata:\n  my.cnf: |\n    [mysqld]\n    general_log=ON\n    sync_binlog=7\n"
	set := readAll(t, manifest.Source{Name: "c.yaml", Text: []byte(text)})
	at := func(c *Case, name string) manifest.Spot {
		o, ok := c.DB.Option(name)
		if !ok {
			t.Fatalf("no %s", name)
		}
		return o.Spot
	}
	is := func(c *Case, name, value string) bool {
		o, _ := c.DB.Option(name)
		return o.Value == value
	}
	rules := []Rule{
		{ID: "GOOD", Check: func(c *Case) []Finding {
			if is(c, "general_log", "OFF") {
				return nil
			}
			return list(confirmed(at(c, "general_log"), "on").fix("off").edit(at(c, "general_log"), "OFF"))
		}},
		{ID: "USELESS", Check: func(c *Case) []Finding {
			return list(confirmed(at(c, "sync_binlog"), "always").fix("5").edit(at(c, "sync_binlog"), "5"))
		}},
		{ID: "HARMFUL", Check: func(c *Case) []Finding {
			if is(c, "sync_binlog", "9") {
				return nil
			}
			return list(confirmed(at(c, "sync_binlog"), "not 9").fix("9").edit(at(c, "sync_binlog"), "9"))
		}},
		{ID: "OTHER", Check: func(c *Case) []Finding {
			if is(c, "sync_binlog", "9") {
				return list(confirmed(at(c, "sync_binlog"), "9").fix("none"))
			}
			return nil
		}},
	}
	got := map[string]string{}
	for _, f := range Settle(set, Facts{}, rules, Lint(set, Facts{}, rules)).Findings {
		got[f.Rule] = f.NotMade.String()
		if (len(f.Edits) > 0) != (f.Rule == "GOOD") {
			t.Errorf("%s has the edits %v", f.Rule, f.Edits)
		}
	}
	for rule, want := range map[string]string{"GOOD": "", "USELESS": "the finding would remain", "HARMFUL": "it would lead to another finding: `tare explain OTHER`"} {
		if got[rule] != want {
			t.Errorf("%s: %q, want %q", rule, got[rule], want)
		}
	}
}
