// Command corpus runs `tare lint` over the manifests of a directory: it prints how many documents are read and
// not read, and the findings by rule, and checks every file that --fix would change.
//
// The files of a directory are read together, and what belongs to a Kustomization as kustomize builds it. A file
// fails where a rule or the reader crashes, or where the text that --fix writes cannot be read, has lost a
// comment or a line end, has the finding that was fixed or a new one, or is changed by a second run.
//
//	go run ./research/corpus [-v] DIR...
//
// -v prints every finding. The exit status is 1 if a file fails.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/manifest/files"
)

func main() {
	verbose := flag.Bool("v", false, "print every finding")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: corpus [-v] DIR...")
		os.Exit(2)
	}
	failed, err := run(os.Stdout, flag.Args(), rulesOfFiles(), *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(2)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// run lints each group of files of the directories and prints the counts. failed is how many files failed.
func run(w io.Writer, dirs []string, rules []diagnose.Rule, verbose bool) (failed int, err error) {
	for _, dir := range dirs {
		if _, err := os.Stat(dir); err != nil {
			return 0, err
		}
	}
	c := newCounts()
	for _, g := range groups(dirs) {
		for _, file := range c.lint(w, g, rules, verbose) {
			failed++
			fmt.Fprintf(w, "FAILED %s\n", file)
		}
	}
	c.print(w)
	fmt.Fprintf(w, "failed: %d\n", failed)
	return failed, nil
}

// rulesOfFiles are the rules that need no run.
func rulesOfFiles() []diagnose.Rule {
	return slices.DeleteFunc(diagnose.Rules(), func(r diagnose.Rule) bool { return r.Check == nil })
}

// group is what is read together.
type group struct {
	sources []manifest.Source
	unbuilt []files.Unbuilt
	broken  []error
}

// groups are the files of each directory, and each Kustomization.
func groups(dirs []string) []group {
	rest, built, unbuilt := files.Build(dirs)
	sources, broken := files.Read(nil, rest)
	all := []group{{unbuilt: unbuilt, broken: broken}}
	of := map[string]int{}
	for _, s := range sources {
		dir := filepath.Dir(s.Name)
		if of[dir] == 0 {
			of[dir] = len(all)
			all = append(all, group{})
		}
		all[of[dir]].sources = append(all[of[dir]].sources, s)
	}
	for _, s := range built {
		all = append(all, group{sources: []manifest.Source{s}})
	}
	return all
}

// lint lints a group, counts what it holds, and returns what fails, as FILE: REASON.
func (c *counts) lint(w io.Writer, g group, rules []diagnose.Rule, verbose bool) (failed []string) {
	defer func() {
		if crash := recover(); crash != nil {
			failed = append(failed, fmt.Sprintf("%s: crash: %v", g.name(), crash))
		}
	}()
	set, problems := manifest.Read(g.sources, os.ReadFile)
	for _, u := range g.unbuilt {
		set.Leave(u.File, u.Title, u.Err)
	}
	result := diagnose.Settle(set, diagnose.Facts{}, rules, diagnose.Lint(set, diagnose.Facts{}, rules))
	c.add(set, result, len(problems)+len(g.broken))
	for _, f := range result.Findings {
		if verbose && f.Found() {
			fmt.Fprintf(w, "%s: %s: %s [%s] %s | Fix: %s\n", f.Where, f.Severity, f.Subject, f.Rule, f.Says, f.Fix)
		}
		if diagnose.Crashed(f) {
			failed = append(failed, fmt.Sprintf("%s: rule %s: %s", f.Where.File, f.Rule, f.Says))
		}
	}
	x := fixing{set: set, problems: problems, rules: rules, before: result}
	wrong, fixed := x.check()
	c.fixed += fixed
	return append(failed, wrong...)
}

// name is how a group is called whose file is not known.
func (g group) name() string {
	if len(g.sources) == 0 {
		return "Kustomizations"
	}
	return filepath.Dir(g.sources[0].Name)
}
