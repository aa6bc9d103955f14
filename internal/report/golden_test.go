package report_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/page"
	"github.com/tarebench/tare/internal/report/text"
)

var (
	update     = flag.Bool("update", false, "rewrite the golden files")
	updateDirs = flag.Bool("runs", false, "rewrite the run directories under testdata/runs")
)

// names of the runs under testdata/runs.
func names() []string {
	all := []string{"imported"}
	for _, f := range fixtures() {
		all = append(all, f.name)
	}
	return all
}

// opened keeps the documents: the null distribution behind two levels is
// simulated for every trial. Nobody changes them.
var opened = map[string]*report.Document{}

func open(t *testing.T, name string) *report.Document {
	t.Helper()
	if opened[name] == nil {
		opened[name] = reopen(t, name)
	}
	return opened[name]
}

func reopen(t *testing.T, name string) *report.Document {
	t.Helper()
	run, err := record.Open(filepath.Join("testdata", "runs", name))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := report.Build(run, "test")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", path, diff)
	}
}

// testPage keeps the script out of the goldens: it belongs to web/.
func testPage(t *testing.T, doc *report.Document) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := page.Write(&b, doc, page.Assets{Script: "/* script */", Style: "/* style */"}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	if *updateDirs {
		updateRuns(t)
	}
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			doc := open(t, name)
			var plain, comment bytes.Buffer
			for _, err := range []error{text.Write(&plain, doc, text.Options{Width: 80, Unicode: true}), markdown.Write(&comment, doc)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			golden(t, name+".txt", plain.Bytes())
			golden(t, name+".md", comment.Bytes())
		})
	}
}

// TestOneThroughputOfAnArm: the list and the tables of the arms have the throughputs whose ratio is the printed change, as
// the first table of a comment has; a reader of two views reads one number.
func TestOneThroughputOfAnArm(t *testing.T) {
	for _, name := range []string{"demo", "verdicts", "layers"} {
		doc := open(t, name)
		var plain bytes.Buffer
		if err := text.Write(&plain, doc, text.Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		_, list, _ := strings.Cut(plain.String(), "\narms: ")
		for i := range doc.Contrasts {
			c := &doc.Contrasts[i]
			for arm, level := range map[string]report.Number{c.Arm: c.ArmThroughput, c.Baseline: c.BaselineThroughput} {
				if line := "\n  " + arm + " "; level.Known() && !strings.Contains(list, report.Rate(level)+" (") || !strings.Contains(list, line) {
					t.Errorf("%s: the list of the arms has not %s of %s:\n%s", name, report.Rate(level), arm, list)
				}
			}
		}
	}
}

// TestConfidenceSpeaksOfPrinted: where the text says which changes of p95 and p99 hold together, it prints them.
func TestConfidenceSpeaksOfPrinted(t *testing.T) {
	spoken := 0
	for _, name := range names() {
		doc := open(t, name)
		var plain bytes.Buffer
		if err := text.Write(&plain, doc, text.Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(doc.Confidence, "changes of p95 and p99") {
			continue
		}
		spoken++
		for i := range doc.Arms {
			for _, tail := range doc.Arms[i].Tails {
				if tail.CostInterval == nil {
					continue
				}
				in := report.Cost{Lo: float64(tail.CostInterval[0]), Hi: float64(tail.CostInterval[1])}
				want := fmt.Sprintf("%s %% [%s, %s]", language.Signed(float64(tail.CostPercent), in.Digits()), language.Decimal(in.Lo, in.Digits()), language.Decimal(in.Hi, in.Digits()))
				if !strings.Contains(plain.String(), want) {
					t.Errorf("%s: the change of p%s of %s is not printed, %s:\n%s", name, tail.Percentile, doc.Arms[i].Name, want, plain.String())
				}
			}
		}
	}
	if spoken == 0 {
		t.Error("no run has such changes")
	}
}

// TestMeansNoteIsEverywhere: whoever reads two throughputs and a change that they do not give is told why, in text, in a
// comment and on the page. The first table of a comment has the throughputs whose ratio is the change.
func TestMeansNoteIsEverywhere(t *testing.T) {
	doc := open(t, "levels")
	for i := range doc.Arms {
		if a := &doc.Arms[i]; !a.Baseline {
			a.ThroughputMean *= 3
		}
	}
	note := doc.MeansNote()
	if note == "" {
		t.Fatal("no note")
	}
	var plain, comment bytes.Buffer
	for _, err := range []error{text.Write(&plain, doc, text.Options{Width: 80, Unicode: true}), markdown.Write(&comment, doc)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	visible, _, _ := strings.Cut(comment.String(), "<details>")
	if c := doc.Contrasts[0]; !strings.Contains(visible, "| "+report.Rate(c.BaselineThroughput)+" | "+report.Rate(c.ArmThroughput)+" |") || strings.Contains(visible, note) {
		t.Errorf("the first table of a comment has other throughputs than those of the change:\n%s", visible)
	}
	for where, said := range map[string]string{"text": strings.Join(strings.Fields(plain.String()), " "), "Markdown": comment.String(), "page": string(testPage(t, doc))} {
		if !strings.Contains(said, note) {
			t.Errorf("%s: no %q", where, note)
		}
	}
}

// TestGoldenWidths has one run in every form of text.
func TestGoldenWidths(t *testing.T) {
	for name, o := range map[string]text.Options{
		"40": {Width: 40, Unicode: true}, "60": {Width: 60, Unicode: true}, "120": {Width: 120, Unicode: true},
		"color": {Width: 80, Unicode: true, Color: true}, "ascii": {Width: 80},
	} {
		var b bytes.Buffer
		if err := text.Write(&b, open(t, "demo"), o); err != nil {
			t.Fatal(err)
		}
		golden(t, "demo."+name+".txt", b.Bytes())
	}
}

// TestGoldenDocument has one small run as a document and as a page. The others are held to
// the schema, to their round trip and to what the views share (views_test.go): a golden
// page of a run of some trials has a quarter of a megabyte, and nobody reads its changes.
func TestGoldenDocument(t *testing.T) {
	var b bytes.Buffer
	if err := report.JSON(&b, open(t, "imported")); err != nil {
		t.Fatal(err)
	}
	golden(t, "imported.json", b.Bytes())
	golden(t, "imported.html", testPage(t, open(t, "imported")))
}

// TestPages writes whole pages, script included, for a look in a browser:
// TARE_PAGES=/tmp/pages go test -run TestPages ./internal/report
func TestPages(t *testing.T) {
	dir := os.Getenv("TARE_PAGES")
	if dir == "" {
		dir = t.TempDir()
	}
	for _, name := range names() {
		var b bytes.Buffer
		if err := page.Write(&b, open(t, name), page.Embedded()); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".html"), b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		if b.Len() > 1_500_000 {
			t.Errorf("%s: the page has %d bytes, more than 1.5 MB", name, b.Len())
		}
	}
}
