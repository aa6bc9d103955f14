package diagnose

// Every rule has its cases in testdata/ID.txtar: a directory for each of fires,
// silent and unknown, with the files that lint is given (node.yaml by --node),
// and what the rule says of them in fires.want and unknown.want. -update writes
// the wants again.

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/tarebench/tare/internal/manifest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestEveryRuleHasItsCases(t *testing.T) {
	for _, rule := range Rules() {
		if rule.Check == nil {
			continue // TestRunRules
		}
		t.Run(rule.ID, func(t *testing.T) { checkCases(t, rule) })
	}
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, f := range files {
		if id := strings.TrimSuffix(filepath.Base(f), ".txtar"); !isRule(id) {
			t.Errorf("%s is of no rule", f)
		}
	}
}

func isRule(id string) bool { _, ok := Find(id); return ok }

func checkCases(t *testing.T, rule Rule) {
	name := filepath.Join("testdata", rule.ID+".txtar")
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatalf("%s: no recorded cases: %v", rule.ID, err)
	}
	got := *a
	got.Files = nil
	for _, f := range a.Files {
		if !strings.HasSuffix(f.Name, ".want") {
			got.Files = append(got.Files, f)
		}
	}
	for _, kind := range kindsOf(a) {
		result := lintCase(t, a, kind, rule)
		if len(result.Databases) == 0 {
			t.Errorf("%s/%s: no database in the case", rule.ID, kind)
		}
		hold(t, rule, kind, result)
		if !strings.HasPrefix(kind, "silent") {
			var b bytes.Buffer
			for _, f := range result.Findings {
				printFindingOrUnknown(&b, f)
			}
			got.Files = append(got.Files, txtar.File{Name: kind + ".want", Data: b.Bytes()})
		}
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(&got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(string(txtar.Format(a)), string(txtar.Format(&got))); d != "" {
		t.Errorf("%s (-recorded +got):\n%s", name, d)
	}
}

// kindsOf are the folders of an archive: fires, silent and unknown, and others that begin
// with one of them, such as fires-below-limit for a case at a threshold.
func kindsOf(a *txtar.Archive) []string {
	kinds := []string{"fires", "silent", "unknown"}
	for _, f := range a.Files {
		if dir, _, ok := strings.Cut(f.Name, "/"); ok && !slices.Contains(kinds, dir) {
			kinds = append(kinds, dir)
		}
	}
	return kinds
}

// hold checks the verdicts of a kind of case.
func hold(t *testing.T, rule Rule, kind string, r Result) {
	t.Helper()
	said := map[Verdict]int{}
	for _, f := range r.Findings {
		said[f.Verdict]++
		if f.Verdict != Unknown && (f.Says == "" || f.Fix == "" || f.Where.Line == 0) {
			t.Errorf("%s: a finding without place, words or remedy: %+v", rule.ID, f)
		}
	}
	name, _, _ := strings.Cut(kind, "-")
	ok := map[string]bool{
		"fires":   said[Confirmed]+said[Hint] > 0,
		"silent":  len(r.Findings) == 0,
		"unknown": said[Unknown] > 0 && said[Confirmed]+said[Hint] == 0,
	}[name]
	if !ok {
		t.Errorf("%s: the case %q has %+v", rule.ID, kind, r.Findings)
	}
}

func lintCase(t *testing.T, a *txtar.Archive, kind string, rule Rule) Result {
	t.Helper()
	return lintCaseWith(t, a, kind, rule, Facts{})
}

// lintCaseWith is lintCase with facts that are given beside the files of the case.
func lintCaseWith(t *testing.T, a *txtar.Archive, kind string, rule Rule, facts Facts) Result {
	t.Helper()
	var sources []manifest.Source
	for _, f := range a.Files {
		dir, base, ok := strings.Cut(f.Name, "/")
		if !ok || dir != kind {
			continue
		}
		source := manifest.Source{Name: base, Text: f.Data}
		if base == "node.yaml" {
			facts.Node = readAll(t, source)
			continue
		}
		sources = append(sources, source)
	}
	return Lint(readAll(t, sources...), facts, []Rule{rule})
}

func readAll(t *testing.T, sources ...manifest.Source) *manifest.Set {
	t.Helper()
	set, problems := manifest.Read(sources, nil)
	for _, p := range problems {
		t.Error(p)
	}
	return set
}

func printFindingOrUnknown(b *bytes.Buffer, f Finding) {
	if f.Verdict == Unknown {
		fmt.Fprintf(b, "unknown: %s\n", f.Says)
		return
	}
	f.Impact = "" // said once, in the rule
	fmt.Fprintf(b, "%s: %s: %s\n  fix: %s\n", f.Where, f.Verdict, f.Says, f.Fix)
	for _, e := range f.Edits {
		fmt.Fprintf(b, "  edit: %s: %s\n", e.At, e.Text)
	}
	for _, e := range f.Proposed {
		fmt.Fprintf(b, "  propose: %s: %s\n", e.At, strings.TrimSpace(e.Text))
	}
	if f.Change != "" {
		fmt.Fprintf(b, "  change: %s\n", f.Change)
	}
}

// TestRulesAreWhole: a rule without text, source or remedy helps nobody.
func TestRulesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if r.ID == "" || r.Title == "" || r.Severity == "" || r.What == "" || r.Fix == "" || len(r.Sources) == 0 || r.Check == nil && r.Run == nil || r.Check != nil && len(r.Needs) == 0 {
			t.Errorf("%s is not whole: %+v", r.ID, r)
		}
		if seen[r.ID] {
			t.Errorf("%s twice", r.ID)
		}
		seen[r.ID] = true
	}
	if len(seen) < 40 {
		t.Errorf("only %d rules", len(seen))
	}
}

// TestCrashBecomesUnknown: one rule's defect takes no other down.
func TestCrashBecomesUnknown(t *testing.T) {
	set := readAll(t, manifest.Source{Name: "p.yaml", Text: []byte("{apiVersion: v1, kind: Pod, metadata: {name: db}, spec: {containers: [{name: m, image: 'mysql:8.4'}]}}")})
	bad := Rule{ID: "X", Check: func(*Case) []Finding { panic("boom") }}
	r := Lint(set, Facts{}, []Rule{bad, kQOS01()})
	if len(r.Findings) != 2 || r.Findings[0].Verdict != Unknown || r.Findings[1].Rule != "K-QOS-01" {
		t.Errorf("%+v", r.Findings)
	}
}

// TestOrderOfFiles: errors come first, and then findings file by file, whatever the order of the rules
// and however many databases share a file; those of the node's file are last.
func TestOrderOfFiles(t *testing.T) {
	pod := func(name, options string) manifest.Source {
		return manifest.Source{Name: name + ".yaml", Text: []byte("apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec:\n" +
			"  volumes: [{name: c, configMap: {name: shared}}]\n  containers:\n  - {name: m, image: 'mysql:8.4', volumeMounts: [{name: c, mountPath: /etc/my.cnf.d}]}\n" + options)}
	}
	shared := "---\nkind: ConfigMap\nmetadata: {name: shared}\ndata:\n  my.cnf: |\n    [mysqld]\n    general_log=ON\n    innodb_flush_neighbors=1\n"
	node := manifest.Source{Name: "node.yaml", Text: []byte("kind: KubeletConfiguration\ncpuManagerPolicy: none\n")}
	r := Lint(readAll(t, pod("z", shared), pod("a", ""), pod("m", "")), Facts{Node: readAll(t, node)}, Rules())
	var order []string
	for _, f := range r.Findings {
		if next := string(f.Severity) + " " + f.Where.File; len(order) == 0 || order[len(order)-1] != next {
			order = append(order, next)
		}
	}
	var want []string
	for _, severity := range []string{"error", "warning", "note"} {
		for _, file := range []string{"z.yaml", "a.yaml", "m.yaml"} {
			want = append(want, severity+" "+file)
		}
	}
	if d := cmp.Diff(want, order); d != "" {
		t.Error(d)
	}
}

// TestUnreadableRequest: a request that is not a quantity is reported, also where the
// limit would take its place.
func TestUnreadableRequest(t *testing.T) {
	for _, resources := range []string{"requests: {cpu: two}, limits: {cpu: 2, memory: 1Gi}", "requests: {cpu: 2}, limits: {cpu: 2, memory: 1G1}"} {
		set := readAll(t, manifest.Source{Name: "p.yaml", Text: []byte("{kind: Pod, metadata: {name: db}, spec: {containers: [{name: m, image: 'mysql:8.4', resources: {" + resources + "}}]}}")})
		r := Lint(set, Facts{}, []Rule{kQOS01()})
		if len(r.Findings) != 1 || r.Findings[0].Verdict != Unknown || !strings.Contains(r.Findings[0].Says, "is not a valid quantity") {
			t.Errorf("%s: %+v", resources, r.Findings)
		}
	}
}

// TestFixTouchesNoOtherOption: an option that is not set is not written over one
// that is. It is proposed on a line of its own.
func TestFixTouchesNoOtherOption(t *testing.T) {
	text := "[client]\r\nport=3306\r\n[mysqld]\r\n  max_connections=100 # most\r\n"
	pod := "---\nkind: Pod\nmetadata: {name: db}\nspec:\n  volumes: [{name: c, configMap: {name: conf}}]\n  containers:\n" +
		"  - {name: m, image: 'mysql:8.0.36', resources: {limits: {cpu: 2, memory: 8Gi}}, volumeMounts: [{name: c, mountPath: /etc/my.cnf.d}]}\n"
	block := "kind: ConfigMap\nmetadata: {name: conf}\ndata:\n  my.cnf: |\n    [mysqld]\n    max_connections=100\n    # end\n" + pod
	for name, c := range map[string]struct{ text, want string }{
		"my.cnf": {text, strings.Replace(text, "# most\r\n", "# most\r\n  innodb_redo_log_capacity=2G\r\n", 1)},
		"p.yaml": {block, strings.Replace(block, "=100\n", "=100\n    innodb_redo_log_capacity=2G\n", 1)},
	} {
		rule := kRedoOf(name)
		set := readAll(t, manifest.Source{Name: name, Text: []byte(c.text)})
		var proposed []manifest.Edit
		for _, f := range Lint(set, Facts{}, []Rule{rule}).Findings {
			if len(f.Edits) > 0 {
				t.Errorf("%s: %+v is written over something", name, f.Edits)
			}
			proposed = append(proposed, f.Proposed...)
		}
		got, n, err := set.Files[0].Apply(proposed)
		if err != nil || n != 1 || string(got) != c.want {
			t.Errorf("%s: %d, %v\n%s", name, n, err, got)
		}
	}
}

// TestRemedyOfAPreset: what the operator runs the server with is what a change is measured
// against, not the server's default.
func TestRemedyOfAPreset(t *testing.T) {
	set := readAll(t, manifest.Source{Name: "kb.yaml", Text: []byte("apiVersion: apps.kubeblocks.io/v1\nkind: Cluster\nmetadata: {name: db}\n" +
		"spec: {componentSpecs: [{name: mysql, componentDef: mysql-8.0, serviceVersion: 8.0.39, resources: {limits: {cpu: 2, memory: 8Gi}}}]}\n")})
	all, err := ProposeFiles(set, Facts{}, []Rule{mLOG01()}, nil)
	if err != nil || len(all) != 1 || len(all[0].Changes) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	if arm, change := all[0].Arm, all[0].Changes[0].Patch; !strings.Contains(arm, `general_log: "ON"`) || change != "{config: {general_log: OFF}}" {
		t.Errorf("the arm %s, the change %s", arm, change)
	}
}

// kRedoOf is M-REDO-01, which for an option file by itself is told the version.
func kRedoOf(name string) Rule {
	r := mREDO01()
	if name == "my.cnf" {
		check := r.Check
		r.Needs, r.Check = nil, func(c *Case) []Finding {
			c.DB.Product, c.DB.Version = manifest.MySQL, manifest.Version{Major: 8, Minor: 0, Patch: 36}
			return check(c)
		}
	}
	return r
}

// TestKernelsWithTheSliceDefect: the first and the last kernel of each series that expires
// unused quota, and those beside them.
func TestKernelsWithTheSliceDefect(t *testing.T) {
	for kernel, want := range map[string]bool{
		"3.10.0-956.el7.x86_64": false, "3.10.0-957.el7.x86_64": true, "3.10.0-1061.el7.x86_64": true, "3.10.0-1062.el7.x86_64": false,
		"3.12.0-1000.el7.x86_64": false, "4.10.0-1000.el7.x86_64": false,
		"4.15.0-66-generic": true, "4.15.0-67-generic": false,
		"4.14.153": true, "4.14.154": false, "4.19.83": true, "4.19.84": false, "5.3.8": true, "5.3.9": false,
		"4.17.9": false, "4.18.0": true, "4.18.0-80.el8.x86_64": false, "4.20.1": true, "5.2.21": true, "5.4.0": false, "5.15.0-101-generic": false,
	} {
		v, ok := kernelVersion(kernel)
		if got := hasSliceDefect(v, kernel); !ok || got != want {
			t.Errorf("%s: %t, want %t", kernel, got, want)
		}
	}
}

// TestWordsOfSARIF: a sentence that ends with its own full stop gets no second one.
func TestWordsOfSARIF(t *testing.T) {
	f := Finding{Rule: "M-OPT-01", Severity: Error, Subject: "my.cnf", Says: "x is not a number", Impact: "The server does not start.", Fix: "write 1"}
	if got, want := resultOf(f, 0).Message.Text, "my.cnf: x is not a number. Impact: The server does not start. Fix: write 1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
