package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/tarebench/tare/"

// testOnly are packages that tests import.
var testOnly = map[string]bool{"internal/target/targettest": true, "internal/mysqld/mysqldtest": true, "internal/campaign/campaigntest": true, "internal/record/recordtest": true}

// architecture is what docs/architecture.md says.
type architecture struct {
	sentence, side map[string]string // by package
	level          map[string]int    // the line of the drawing, by what it names
	inside         map[string]int    // the line of the drawing of the packages of a report
}

func readArchitecture(t *testing.T) architecture {
	t.Helper()
	page, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	a := architecture{map[string]string{}, map[string]string{}, map[string]int{}, map[string]int{}}
	_, rest, _ := strings.Cut(string(page), "```\n")
	drawing, rest, _ := strings.Cut(rest, "```\n")
	for n, line := range strings.Split(drawing, "\n") {
		for name := range strings.FieldsFuncSeq(line, func(r rune) bool { return r == '|' || r == ',' }) {
			a.level[strings.TrimSpace(name)] = n
		}
	}
	_, rest, _ = strings.Cut(rest, "```\n")
	drawing, rest, _ = strings.Cut(rest, "```\n")
	for n, line := range strings.Split(drawing, "\n") {
		for _, name := range strings.Fields(line) {
			a.inside["internal/"+name] = n
		}
	}
	_, rest, _ = strings.Cut(rest, "| package |")
	table, _, _ := strings.Cut(rest, "\n\n")
	side := ""
	for _, line := range strings.Split(table, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " |")
		name := strings.Trim(cells[0], "`")
		if strings.HasPrefix(name, "*") {
			side = strings.Trim(name, "*")
		}
		if name == cells[0] || len(cells) < 2 || side == "" {
			continue
		}
		a.sentence[name], a.side[name] = strings.TrimSpace(cells[1]), side
	}
	return a
}

// drawn is the line of the drawing that has a package, by its own name or that of a
// package above it.
func (a architecture) drawn(name string) (line int, ok bool) {
	name = strings.TrimPrefix(name, "internal/")
	parent, _, below := strings.Cut(name, "/")
	for _, n := range []string{name, parent + "/*", parent} {
		if n == parent+"/*" && !below {
			continue
		}
		if line, ok := a.level[n]; ok {
			return line, true
		}
	}
	return 0, false
}

// TestArchitecture: every import of the code goes downwards in the drawing of
// docs/architecture.md, and none from one side to the other.
func TestArchitecture(t *testing.T) {
	a := readArchitecture(t)
	seen := map[string]bool{}
	for _, line := range goList(t, "{{.ImportPath}} {{join .Imports \" \"}}") {
		fields := strings.Fields(line)
		name := strings.TrimPrefix(fields[0], module)
		seen[name] = true
		if a.side[name] == "" {
			t.Errorf("docs/architecture.md has no row for %s", name)
			continue
		}
		for _, path := range fields[1:] {
			if other, ours := strings.CutPrefix(path, module); ours {
				checkImport(t, a, name, other)
			}
		}
	}
	for name := range a.side {
		if !seen[name] {
			t.Errorf("docs/architecture.md has a row for %s, which does not exist", name)
		}
	}
}

func checkImport(t *testing.T, a architecture, name, other string) {
	t.Helper()
	const above, both = "above both sides", "both sides"
	if side := a.side[other]; a.side[name] != above && side != both && side != a.side[name] {
		t.Errorf("%s (%s) may not import %s (%s)", name, a.side[name], other, side)
	}
	inner, ok1 := a.inside[name]
	below, ok2 := a.inside[other]
	if ok1 && ok2 {
		if below <= inner {
			t.Errorf("%s imports %s, which is not below it in the second drawing of docs/architecture.md", name, other)
		}
		return
	} else if !ok1 && strings.HasPrefix(name, "internal/report") {
		t.Errorf("the second drawing in docs/architecture.md lacks %s", name)
	}
	from, ok1 := a.drawn(name)
	to, ok2 := a.drawn(other)
	if !ok1 || !ok2 {
		t.Errorf("the drawing in docs/architecture.md lacks %s or %s", name, other)
	} else if own, _, _ := strings.Cut(strings.TrimPrefix(name, "internal/"), "/"); to <= from && !strings.HasPrefix(other, "internal/"+own) {
		t.Errorf("%s imports %s, which is not below it in the drawing of docs/architecture.md", name, other)
	}
}

// TestKubernetesImports: only the kubernetes target and manifest may pull
// in k8s.io.
func TestKubernetesImports(t *testing.T) {
	for _, line := range goList(t, "{{.ImportPath}} {{join .Imports \" \"}}") {
		fields := strings.Fields(line)
		name := strings.TrimPrefix(fields[0], module)
		if strings.HasPrefix(name, "internal/target/kubernetes") || name == "internal/manifest" {
			continue
		}
		for _, path := range fields[1:] {
			if strings.HasPrefix(path, "k8s.io/") {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}

// TestPackageSentences: every package begins with a sentence about itself, and
// docs/architecture.md repeats it word for word.
func TestPackageSentences(t *testing.T) {
	a := readArchitecture(t)
	for _, line := range goList(t, "{{.ImportPath}}\t{{.Doc}}") {
		path, doc, _ := strings.Cut(line, "\t")
		name := strings.TrimPrefix(path, module)
		if !strings.HasPrefix(doc, "Package ") && !slices.Contains([]string{"cmd/tare", "cmd/tare-pod", "internal/loadgen/bench", "research/mutants", "research/recompute", "research/corpus", "research/judge"}, name) {
			t.Errorf("%s has no package comment", name)
		} else if a.sentence[name] != doc {
			t.Errorf("docs/architecture.md says of %s %q, its package comment %q", name, a.sentence[name], doc)
		}
	}
}

// TestRemovalsAreChecked: directory trees are removed by package remove alone,
// which refuses a path that tare cannot have made. Packages that only tests use
// remove what the testing package gave them.
func TestRemovalsAreChecked(t *testing.T) {
	for _, line := range goList(t, "{{.ImportPath}}\t{{.Dir}}\t{{join .GoFiles \" \"}}") {
		f := strings.Split(line, "\t")
		path := strings.TrimPrefix(f[0], module)
		if testOnly[path] || path == "internal/loadgen/bench" {
			continue
		}
		for _, name := range strings.Fields(f[2]) {
			b, err := os.ReadFile(f[1] + "/" + name)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(b, []byte("os.RemoveAll(")) {
				t.Errorf("%s/%s calls os.RemoveAll; use remove.Tree", f[0], name)
			}
		}
	}
}

// TestCapabilitiesAreDeclared: what a target or a server can do beyond the others is in
// internal/target/capabilities.go. A type assertion would fail silently once the method
// that it asks for is renamed.
func TestCapabilitiesAreDeclared(t *testing.T) {
	asserted := regexp.MustCompile(`(\bTargets\[[^\]]+\]|\bplace|\bserver)\.\((\*?\w+\.|interface\b|\w+\))`)
	for _, line := range goList(t, "{{.ImportPath}}\t{{.Dir}}\t{{join .GoFiles \" \"}}") {
		f := strings.Split(line, "\t")
		for _, name := range strings.Fields(f[2]) {
			b, err := os.ReadFile(f[1] + "/" + name)
			if err != nil {
				t.Fatal(err)
			}
			if found := asserted.Find(b); found != nil {
				t.Errorf("%s/%s asserts a type: %s; declare a capability of package target", f[0], name, found)
			}
		}
	}
}

// TestLayoutRules: no init functions, no packages whose name says nothing, no file
// beyond its ceiling.
func TestLayoutRules(t *testing.T) {
	initFunction := regexp.MustCompile(`(?m)^func init\(\)`)
	nameless := regexp.MustCompile(`(^|/)(util|utils|common|helpers|types|core|manager|pkg|lib)(/|$)`)
	for _, line := range goList(t, "{{.ImportPath}}\t{{.Dir}}\t{{join .GoFiles \" \"}}") {
		f := strings.Split(line, "\t")
		if nameless.MatchString(strings.TrimPrefix(f[0], module)) {
			t.Errorf("%s: the name says nothing of what is in it", f[0])
		}
		for _, name := range strings.Fields(f[2]) {
			b, err := os.ReadFile(f[1] + "/" + name)
			if err != nil {
				t.Fatal(err)
			}
			if initFunction.Match(b) {
				t.Errorf("%s/%s: an init function", f[0], name)
			}
			if n := bytes.Count(b, []byte("\n")); n > 400 {
				t.Errorf("%s/%s has %d lines; the ceiling is 400", f[0], name, n)
			}
		}
	}
}

func goList(t *testing.T, format string) []string {
	t.Helper()
	cmd := exec.Command("go", "list", "-f", format, "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var lines []string
	s := bufio.NewScanner(bytes.NewReader(out))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	return lines
}
