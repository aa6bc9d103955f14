package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

const module = "github.com/tarebench/tare/"

// mayImport is the house: which room may import which, and nothing else. The
// measuring side and the reading side meet in record, as files, so statistics
// and reports are built and tested without a database. docs/architecture.md
// draws the same.
var mayImport = map[string][]string{
	"internal/interleave": {},
	"internal/remove":     {},
	"internal/fault":      {},
	"internal/experiment": {"internal/interleave"},
	"internal/stats":      {},
	"internal/mysqld":     {"internal/remove"},
	"internal/record":     {"internal/experiment", "internal/remove", "internal/fault"},
	"internal/workload":   {"internal/record"},
	"internal/node":       {"internal/record"},
	"internal/probe":      {"internal/interleave", "internal/record"},
	"internal/network":    {"internal/record", "internal/remove"},
	"internal/target":     {"internal/layer", "internal/mysqld", "internal/record", "internal/remove", "internal/fault"},
	"internal/target/*":   {"internal/layer", "internal/target", "internal/operator", "internal/mysqld", "internal/node", "internal/network", "internal/record", "internal/remove"},
	"internal/loadgen":    {"internal/interleave", "internal/workload", "internal/record", "internal/mysqld", "internal/loadgen/*"},
	"internal/loadgen/*":  {"internal/interleave", "internal/workload", "internal/record", "internal/mysqld", "internal/loadgen/*"},
	"internal/layer":      {"internal/node", "internal/network"},
	"internal/runner":     {"internal/interleave", "internal/target", "internal/loadgen", "internal/probe", "internal/mysqld", "internal/node", "internal/record", "internal/experiment", "internal/remove", "internal/fault"},
	"internal/compare":    {"internal/stats", "internal/record", "internal/experiment"},
	"internal/operator":   {},
	"internal/image":      {"internal/remove"},
	"internal/manifest":   {"internal/operator"},
	"internal/diagnose":   {"internal/compare", "internal/manifest", "internal/record", "internal/experiment"},
	"internal/report":     {"internal/diagnose", "internal/compare", "internal/record"},
	"internal/progress":   {"internal/runner", "internal/record", "internal/experiment"},
	"internal/export":     {"internal/report"},
	"internal/serve":      {"internal/report", "internal/record"},
	"internal/campaign":   {"internal/runner", "internal/progress", "internal/report", "internal/diagnose", "internal/compare", "internal/stats", "internal/record", "internal/experiment"},
	"examples":            {},
	"cmd/tare":            {"*"},
}

// testOnly are packages that tests of the rooms named may import besides.
var testOnly = map[string]bool{"internal/target/targettest": true, "internal/mysqld/mysqldtest": true, "internal/campaign/campaigntest": true}

// TestImportDirections holds the rooms against the table.
func TestImportDirections(t *testing.T) {
	seen := map[string]bool{}
	for _, line := range goList(t, "{{.ImportPath}} {{join .Imports \" \"}}") {
		fields := strings.Fields(line)
		room := strings.TrimPrefix(fields[0], module)
		if testOnly[room] {
			continue
		}
		key, allowed := rules(room)
		if allowed == nil {
			t.Errorf("%s is no room of the house; draw it in docs/architecture.md and in mayImport", room)
			continue
		}
		seen[key] = true
		for _, path := range fields[1:] {
			other, ours := strings.CutPrefix(path, module)
			if ours && !allows(allowed, other) {
				t.Errorf("%s may not import %s", room, other)
			}
		}
	}
	for key := range mayImport {
		if !seen[key] {
			t.Errorf("%s stands in mayImport, but there is no such room", key)
		}
	}
}

func rules(room string) (string, []string) {
	if allowed, ok := mayImport[room]; ok {
		return room, allowed
	}
	parent := room[:max(0, strings.LastIndexByte(room, '/'))] + "/*"
	return parent, mayImport[parent]
}

func allows(allowed []string, path string) bool {
	for _, a := range allowed {
		if a == "*" || a == path || (strings.HasSuffix(a, "/*") && strings.HasPrefix(path, strings.TrimSuffix(a, "*"))) {
			return true
		}
	}
	return false
}

// TestKubernetesStaysInItsRoom: only the kubernetes target and manifest may pull
// in k8s.io.
func TestKubernetesStaysInItsRoom(t *testing.T) {
	for _, line := range goList(t, "{{.ImportPath}} {{join .Imports \" \"}}") {
		fields := strings.Fields(line)
		room := strings.TrimPrefix(fields[0], module)
		if strings.HasPrefix(room, "internal/target/kubernetes") || room == "internal/manifest" {
			continue
		}
		for _, path := range fields[1:] {
			if strings.HasPrefix(path, "k8s.io/") {
				t.Errorf("%s imports %s", room, path)
			}
		}
	}
}

// TestRoomsSayWhatTheyAre: every package opens with a sentence about itself,
// and docs/architecture.md repeats it word for word.
func TestRoomsSayWhatTheyAre(t *testing.T) {
	page, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	for _, line := range goList(t, "{{.ImportPath}}\t{{.Doc}}") {
		path, doc, _ := strings.Cut(line, "\t")
		room := strings.TrimPrefix(path, module)
		if !strings.HasPrefix(doc, "Package ") && room != "cmd/tare" && room != "internal/loadgen/bench" {
			t.Errorf("%s has no package comment", room)
			continue
		}
		if !strings.Contains(text, doc) {
			t.Errorf("docs/architecture.md does not have the sentence of %s: %s", room, doc)
		}
	}
}

// TestRemovalsAreChecked: directory trees are removed by package remove alone,
// which refuses a path that tare cannot have made. Packages that only tests use
// remove what the testing package gave them.
func TestRemovalsAreChecked(t *testing.T) {
	for _, line := range goList(t, "{{.ImportPath}}\t{{.Dir}}\t{{join .GoFiles \" \"}}") {
		f := strings.Split(line, "\t")
		room := strings.TrimPrefix(f[0], module)
		if testOnly[room] || room == "internal/loadgen/bench" {
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

// TestHouseRules: no init functions, no rooms whose name says nothing, no file
// beyond its ceiling.
func TestHouseRules(t *testing.T) {
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
