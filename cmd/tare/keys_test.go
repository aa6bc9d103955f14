package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
)

// The tests of this file compare package keys with what writes facts and metrics, with what
// reads them, with the records of this repository, and with docs/names.md.

const keysPackage = "internal/keys"

// fieldsToo are names of facts that are fields of an experiment as well: a literal may mean
// the field.
var fieldsToo = []string{"data.each", "load.from", "load.rate", "network.between", "network.mtu", "network.plugin", "replication.proxy"}

// composed are names that a package composes of parts, with a part by which the file is found.
var composed = map[string]string{
	"network.streams.bytes_per_s": `"network.streams"`,
	"network.uploads.bytes_per_s": `"network.uploads"`,
	"network.node.":               `"network."`,
	"cgroup.":                     `"cgroup."`,
}

// key is a constant of package keys.
type key struct{ name, text, says, file string }

func (k key) begins() bool { return strings.HasSuffix(k.name, "Prefix") }

func (k key) isMetric() bool { return k.file == "metrics.go" }

// matches says that the constant is the name of a fact, or its beginning.
func (k key) matches(name string) bool {
	return name == k.text || k.begins() && strings.HasPrefix(name, k.text)
}

func readKeys(t *testing.T) []key {
	t.Helper()
	var all []key
	paths, err := filepath.Glob("../../" + keysPackage + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		for _, d := range parsed(t, token.NewFileSet(), path).Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range group.Specs {
				spec := s.(*ast.ValueSpec)
				text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, key{spec.Names[0].Name, text, strings.TrimSpace(spec.Comment.Text()), filepath.Base(path)})
			}
		}
	}
	if len(all) < 300 {
		t.Fatalf("%d constants in %s", len(all), keysPackage)
	}
	return all
}

func parsed(t *testing.T, files *token.FileSet, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// eachFile calls f with every Go file of tare but the tests, and the name of its package.
func eachFile(t *testing.T, f func(files *token.FileSet, pkg string, file *ast.File)) {
	t.Helper()
	for _, line := range goList(t, "{{.ImportPath}}\t{{.Dir}}\t{{join .GoFiles \" \"}}") {
		part := strings.Split(line, "\t")
		for _, name := range strings.Fields(part[2]) {
			files := token.NewFileSet()
			f(files, strings.TrimPrefix(part[0], module), parsed(t, files, filepath.Join(part[1], name)))
		}
	}
}

// declared are the metrics of all probes.
func declared() map[string]record.Metric {
	all := map[string]record.Metric{}
	for _, p := range slices.Concat(probe.All(), probe.OfRunning()) {
		for _, m := range p.Metrics {
			all[m.Name] = m
		}
	}
	all[keys.ProbeCPUNS] = record.Metric{} // of the probes themselves
	return all
}

// TestKeysAreConstants: a name of a fact or a metric is written in package keys and nowhere else.
func TestKeysAreConstants(t *testing.T) {
	all, probes := readKeys(t), map[string]bool{}
	for _, p := range slices.Concat(probe.All(), probe.OfRunning()) {
		probes[p.Name] = true // such as cgroup.cpu, which is a probe and a fact
	}
	eachFile(t, func(files *token.FileSet, pkg string, file *ast.File) {
		if pkg == keysPackage || pkg == "internal/experiment" || pkg == "research/recompute" {
			return // names of fields, and a program that shares no code with tare
		}
		ast.Inspect(file, func(n ast.Node) bool {
			l, ok := n.(*ast.BasicLit)
			if !ok || l.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(l.Value)
			if err != nil || slices.Contains(fieldsToo, text) || probes[text] {
				return true
			}
			for _, k := range all {
				if text == k.text {
					t.Errorf("%s: %q; write keys.%s", files.Position(l.Pos()), text, k.name)
				}
			}
			return true
		})
	})
}

// TestKeysAreWritten: every name that can be read is one that something writes. A rule that asks
// for another would be unknown for ever.
func TestKeysAreWritten(t *testing.T) {
	all, metrics := readKeys(t), declared()
	writers := keyWriters(t, all)
	for _, k := range all {
		_, isDeclared := metrics[k.text]
		switch {
		case k.isMetric() && !isDeclared:
			t.Errorf("keys.%s: no probe declares the metric %s", k.name, k.text)
		case !k.isMetric() && len(writers[k.name]) == 0:
			t.Errorf("keys.%s: nothing on the measuring side writes the fact %s", k.name, k.text)
		}
	}
}

// keyWriters are the packages of the measuring side that use each constant, or the beginning of its
// name, or a part by which it is composed.
func keyWriters(t *testing.T, all []key) map[string][]string {
	t.Helper()
	a, by := readArchitecture(t), map[string]map[string]bool{}
	eachFile(t, func(_ *token.FileSet, pkg string, file *ast.File) {
		if a.side[pkg] != "measuring side" && pkg != "cmd/tare" {
			return
		}
		used := map[string]bool{} // names of constants, and literals
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				used[n.Sel.Name] = true
			case *ast.BasicLit:
				used[n.Value] = true
			}
			return true
		})
		for _, k := range all {
			if k.writtenBy(used, all) {
				if by[k.name] == nil {
					by[k.name] = map[string]bool{}
				}
				by[k.name][pkg] = true
			}
		}
	})
	writers := map[string][]string{}
	for name, pkgs := range by {
		writers[name] = slices.Sorted(maps.Keys(pkgs))
	}
	return writers
}

func (k key) writtenBy(used map[string]bool, all []key) bool {
	if used[k.name] {
		return true
	}
	for begin, part := range composed {
		if strings.HasPrefix(k.text, begin) && used[part] {
			return true
		}
	}
	return slices.ContainsFunc(all, func(family key) bool {
		return family.begins() && family.name != k.name && strings.HasPrefix(k.text, family.text) && used[family.name]
	})
}

// TestFactsOfRecordsAreListed: every fact and metric of the records of this repository has a constant,
// or is a metric of a probe.
func TestFactsOfRecordsAreListed(t *testing.T) {
	all, metrics, seen := readKeys(t), declared(), map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if d.Name() == record.StreamFile {
			factsOf(t, path, seen)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) < 500 {
		t.Fatalf("%d facts in all records", len(seen))
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		_, isMetric := metrics[name]
		if !isMetric && !strings.HasPrefix(name, "network.") && !slices.ContainsFunc(all, func(k key) bool { return k.matches(name) }) {
			t.Errorf("the fact %s of a record has no constant in %s", name, keysPackage)
		}
	}
}

func factsOf(t *testing.T, path string, seen map[string]bool) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var line record.Line
		if err := json.Unmarshal(lines.Bytes(), &line); err == nil && line.Fact != nil { // the last line of a killed run is cut
			seen[line.Fact.Key] = true
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestNamesPage: docs/names.md is what the code says.
func TestNamesPage(t *testing.T) {
	const path = "../../docs/names.md"
	want := namesPage(t)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(have)); diff != "" {
		t.Errorf("docs/names.md is not what the code says; run the test with -update:\n%s", diff)
	}
}

// namesPage has the facts by the packages that write them, and the metrics by probe.
func namesPage(t *testing.T) string {
	t.Helper()
	all := readKeys(t)
	writers := keyWriters(t, all)
	var b strings.Builder
	b.WriteString("# Names of facts and metrics\n\nThe facts and metrics of a [record](record.md), from `" + keysPackage +
		"` and the probes. `*` stands for the rest of a name. Facts are text, as it was read.\n\n## Facts, by what writes them\n")
	slices.SortFunc(all, func(a, b key) int { return strings.Compare(a.text, b.text) })
	facts := map[string][]string{}
	for _, k := range all {
		if k.isMetric() {
			continue
		}
		name := k.text
		if k.begins() {
			name += "*"
		}
		by := strings.ReplaceAll(strings.Join(writers[k.name], ", "), "internal/", "")
		facts[by] = append(facts[by], fmt.Sprintf("- `%s`: %s\n", name, k.says))
	}
	for _, by := range slices.Sorted(maps.Keys(facts)) {
		fmt.Fprintf(&b, "\n### %s\n\n%s", by, strings.Join(facts[by], ""))
	}
	b.WriteString("\n## Metrics, by probe\n\nWith the unit, unless it is a number.\n")
	for _, p := range slices.Concat(probe.All(), probe.OfRunning()) {
		if len(p.Metrics) > 0 {
			fmt.Fprintf(&b, "\n### `%s`\n\n", p.Name)
		}
		for _, m := range p.Metrics {
			unit := ""
			if m.Unit != "1" {
				unit = " (" + m.Unit + ")"
			}
			fmt.Fprintf(&b, "- `%s`%s: %s\n", m.Name, unit, m.Help)
		}
	}
	return b.String()
}
