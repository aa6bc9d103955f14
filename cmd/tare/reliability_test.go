package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/results/reliability.md")

// provoked is one fault: what happens, how a test provokes it, what tare does then, and
// the tests, as package and name. docs/results/reliability.md is made from this table alone, so
// that it claims nothing that no test shows.
type provoked struct {
	fault, how, outcome string
	tests               []string
}

// faultGroup is a section of the page.
type faultGroup struct {
	title  string
	faults []provoked
}

const reliabilityHead = `# Reliability

What can go wrong around a measurement, and what tare then does. Every row is a test, which the last
column names. The page is generated from the table in ` + "`cmd/tare/reliability_table_test.go`" + `, which
also says how each fault is provoked (` + "`go test ./cmd/tare -run TestReliability -update`" + `).

Exit codes: 0 success; 1 a check failed; 2 an invalid command line, experiment or input file, or credentials that a cluster does not take;
3 the command failed, a server or cluster was not available, or the record of a run could not be
read or written; 130, 143, 129, 141 ended by SIGINT, SIGTERM, SIGHUP, SIGPIPE.

` + "`make crash`" + ` and ` + "`TARE_CRASH_KILLS=1 make lab-crash`" + ` on 25 to 27 November 2026, two CPUs, beside other tests: 686 kills. A kill counts as *lost* if a trial that was complete
has changed or is gone, as *left* if anything of the run is still on the machine or in the cluster after ` + "`tare clean`" + `:

| killed | kills | complete trials to be kept | lost | left |
|---|---|---|---|---|
| a run of a replicated database: tare at every point, a member at every step | 59 | 20 | 0 | 0 |
| a run by slices: tare at every point of a round and at 30 random moments | 167 | 80 | 0 | 0 |
| a run in a pod with every layer: tare at every point and at 200 random moments | 285 | 281 | 0 | 0 |
| the server and the load generator at every step of a trial, as processes and in a pod with every layer | 22 | 26 | 0 | 0 |
| a run in a cluster with load pods, a neighbour and the database of an operator: tare at every point and at every object | 55 | 9 | 0 | 0 |
| the API server, the kubelets and the operator at every step of such a run of eight trials | 98 | 8 | 0 | 0 |
`

// TestReliability generates docs/results/reliability.md and holds every row to a test that is
// there.
func TestReliability(t *testing.T) {
	var b strings.Builder
	b.WriteString(reliabilityHead)
	rows := 0
	for _, g := range faultGroups() {
		fmt.Fprintf(&b, "\n## %s\n\n| fault | what happens | test |\n|---|---|---|\n", g.title)
		for _, f := range g.faults {
			var names []string
			for _, test := range f.tests {
				dir, name, _ := strings.Cut(test, ".")
				if !slices.Contains(testsOf(t, dir), name) {
					t.Errorf("%s: no test %s is in %s", f.fault, name, dir)
				}
				names = append(names, "`"+name+"`")
			}
			if len(names) == 0 || f.fault == "" || f.how == "" || f.outcome == "" {
				t.Errorf("a row is not complete: %+v", f)
			}
			rows++
			fmt.Fprintf(&b, "| %s | %s | %s |\n", f.fault, f.outcome, strings.Join(names, ", "))
		}
	}
	path := filepath.Join("..", "..", "docs", "results", "reliability.md")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), string(page)); diff != "" {
		t.Errorf("docs/results/reliability.md is not what the table says (go test ./cmd/tare -run TestReliability -update):\n%s", diff)
	}
	if rows < 30 {
		t.Errorf("%d rows", rows)
	}
}

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)

// testsOf are the names of the tests of a package's directory.
func testsOf(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testFunction.FindAllSubmatch(source, -1) {
			names = append(names, string(m[1]))
		}
	}
	return names
}
