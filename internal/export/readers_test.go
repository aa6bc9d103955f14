package export

import (
	"encoding/json"
	"encoding/xml"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"golang.org/x/perf/benchfmt"

	"github.com/tarebench/tare/internal/report"
)

// The programs that the formats are for read what is written here.

// tool is a program that the Makefile installs and names in the environment.
func tool(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("needs %s; make test has it", variable)
	}
	return path
}

// TestDuckDBAndPandas: both read the Parquet files, with the names, types and
// missing values that were written, and add up to the same sums.
func TestDuckDBAndPandas(t *testing.T) {
	python := tool(t, "TARE_PYTHON")
	doc := open(t, "verdicts")
	dir := t.TempDir()
	if err := Directory(dir, format(t, "parquet"), doc, Options{}); err != nil {
		t.Fatal(err)
	}
	read := exec.Command(python, filepath.Join("testdata", "read.py"), dir)
	var complaints strings.Builder
	read.Stderr = &complaints
	out, err := read.Output()
	if err != nil {
		t.Fatal(err, complaints.String())
	}
	type sums struct {
		Trials, Seconds, Buckets, Unknown int
		Throughput, Cost                  float64
		Types                             map[string]string
	}
	var got map[string]sums
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := sums{Trials: len(doc.Trials)}
	for _, trial := range doc.Trials {
		want.Seconds += len(trial.Seconds)
		want.Throughput += float64(trial.Throughput)
	}
	for row := range latency(doc) {
		_ = row
		want.Buckets++
	}
	for row := range effects(doc) {
		if row.Cost == nil {
			want.Unknown++
			continue
		}
		want.Cost += *row.Cost
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(a) })
	for reader, types := range map[string]map[string]string{
		"duckdb": {"round": "BIGINT", "arm": "VARCHAR", "transactions_per_s": "DOUBLE"},
		"pandas": {"round": "int64", "arm": "str", "transactions_per_s": "float64"},
	} {
		want.Types = types
		if diff := cmp.Diff(want, got[reader], near); diff != "" {
			t.Errorf("%s (-want +got):\n%s", reader, diff)
		}
	}
	if want.Unknown == 0 {
		t.Error("no missing value among the effects: nothing says how it is read")
	}
}

// TestBenchstat: the real benchstat reads the file without complaint and sees the
// arms as columns, with the sign and the size of the change from the baseline, also
// where another arm ran first.
func TestBenchstat(t *testing.T) {
	doc := open(t, "demo")
	slices.SortStableFunc(doc.Trials, func(a, b report.Trial) int { return -strings.Compare(a.Arm, b.Arm) })
	if doc.Trials[0].Arm == doc.Baseline() {
		t.Fatalf("the first trial is the baseline's, %s: the order is not tested", doc.Baseline())
	}
	path := filepath.Join(t.TempDir(), "demo.txt")
	if err := os.WriteFile(path, file(t, "benchfmt", doc, Options{}), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "benchstat", "-col", "/arm", path)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	for _, want := range []string{"tx/s", "besteffort", "-45", "-7.", "n=6"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("benchstat does not say %q:\n%s", want, out)
		}
	}
}

// TestBenchstatOfTwoRuns: the files of two runs of an experiment are the columns of one table.
func TestBenchstatOfTwoRuns(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"before.txt", "after.txt"} {
		doc := open(t, "demo")
		doc.Run.Name, doc.Run.PlanHash, doc.Tare = name, name, name
		for k := range doc.Trials {
			doc.Trials[k].Throughput *= report.Number(1 + 0.1*float64(i))
		}
		if err := os.WriteFile(filepath.Join(dir, name), file(t, "benchfmt", doc, Options{}), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("go", "tool", "benchstat", filepath.Join(dir, "before.txt"), filepath.Join(dir, "after.txt")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if n := strings.Count(string(out), "vs base"); n != 1 || !strings.Contains(string(out), "+10.00%") {
		t.Errorf("%d tables that compare, want 1:\n%s", n, out)
	}
}

// TestBenchfmtReadsBack: the numbers and the configuration survive, whatever the
// names are.
func TestBenchfmtReadsBack(t *testing.T) {
	doc := open(t, "demo")
	doc.Run.Workload, doc.Run.Name, doc.Trials[0].Arm = "a\nb: c", "a\nBenchmarkX 1 1 tx/s", "x y/z=\u202e1"
	r := benchfmt.NewReader(strings.NewReader(string(file(t, "benchfmt", doc, Options{}))), "memory")
	n, trials := 0, baselineFirst(doc)
	for r.Scan() {
		res, ok := r.Result().(*benchfmt.Result)
		if !ok {
			if bad, is := r.Result().(*benchfmt.SyntaxError); is {
				t.Error(bad)
			}
			continue
		}
		got, _ := res.Value("tx/s")
		if want := float64(trials[n].Throughput); got != want || res.GetConfig("workload") != "a b: c" {
			t.Errorf("trial %d: %v in %q, want %v", n, got, res.GetConfig("workload"), want)
		}
		if trials[n].Arm == doc.Trials[0].Arm && !strings.Contains(string(res.Name), "/arm=x_y_z__1/") {
			t.Errorf("name %s", res.Name)
		}
		n++
	}
	if n != len(doc.Trials) || r.Err() != nil {
		t.Errorf("%d results of %d, %v", n, len(doc.Trials), r.Err())
	}
}

// TestJUnit: what was not shown is never a pass, and names from outside stay text.
func TestJUnit(t *testing.T) {
	doc := open(t, "verdicts")
	doc.Contrasts[0].Sentence = "]]><x>\x1b\x00&"
	for _, strict := range []bool{false, true} {
		var got junitSuites
		if err := xml.Unmarshal(file(t, "junit", doc, Options{StrictJUnit: strict}), &got); err != nil {
			t.Fatal(err)
		}
		s := got.Suites[0]
		if s.Tests != len(doc.Contrasts) || s.Tests != len(s.Cases) {
			t.Fatalf("%d tests for %d contrasts", s.Tests, len(doc.Contrasts))
		}
		for i, c := range s.Cases {
			want := map[string]string{"costs": "failure", "gains": "", "within-margin": "", "equivalent": "", "inconclusive": "skipped", "invalid": "error"}[doc.Contrasts[i].Verdict]
			if strict && want == "skipped" {
				want = "failure"
			}
			is := map[string]bool{"failure": c.Failure != nil, "error": c.Error != nil, "skipped": c.Skipped != nil}
			for kind, yes := range is {
				if yes != (kind == want) {
					t.Errorf("strict %v, %s: %s is %v", strict, doc.Contrasts[i].Verdict, kind, yes)
				}
			}
		}
	}
}

// TestPrometheusText: Prometheus's own parser and its linter take the samples.
func TestPrometheusText(t *testing.T) {
	samples := file(t, "prometheus", open(t, "layers"), Options{})
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(string(samples)))
	if err != nil || len(families) < 8 {
		t.Fatal(err, len(families))
	}
	cmd := exec.Command(filepath.Join(tool(t, "TARE_PROMETHEUS"), "promtool"), "check", "metrics")
	cmd.Stdin = strings.NewReader(string(samples))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool: %v: %s", err, out)
	}
}

// Hostile names in every place make valid files.
func TestHostileNames(t *testing.T) {
	doc := open(t, "layers")
	bad := "</x>\"'\x00\x1b[2J\u202e{}\\\n,;=" + strings.Repeat("A", 1<<16)
	doc.Run.Name, doc.Tare, doc.Run.Workload = bad, bad, bad
	for i := range doc.Contrasts {
		doc.Contrasts[i].Arm += bad
	}
	for i := range doc.Arms {
		doc.Arms[i].Name += bad
	}
	doc.Attributions[0].Layers[0].Layer = bad
	for _, f := range Formats() {
		if f.File != nil {
			file(t, f.Name, doc, Options{})
		} else if err := Directory(t.TempDir(), f, doc, Options{}); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	var suites junitSuites
	if err := xml.Unmarshal(file(t, "junit", doc, Options{}), &suites); err != nil {
		t.Error(err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	if _, err := parser.TextToMetricFamilies(strings.NewReader(string(file(t, "prometheus", doc, Options{})))); err != nil {
		t.Error(err)
	}
}
