package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/text"
)

// No view of a run that is not finished holds the throughput of a trial, in whatever form.
func TestSealHoldsInEveryView(t *testing.T) {
	run, err := record.Open("testdata/runs/unfinished")
	if err != nil {
		t.Fatal(err)
	}
	doc := open(t, "unfinished")
	var all bytes.Buffer
	for _, err := range []error{text.Write(&all, doc, text.Options{Width: 120, Unicode: true}), markdown.Write(&all, doc), report.JSON(&all, doc)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	all.Write(testPage(t, doc))
	if strings.ContainsAny(all.String(), "▁▂▃▄▅▆▇█") {
		t.Error("a view draws the seconds of a trial")
	}
	shown := 0
	for _, trial := range run.Trials {
		if trial.Window == nil {
			continue
		}
		shown++
		tps := trial.Throughput()
		for _, form := range []string{report.Rate(report.Number(tps)), language.Decimal(tps, 2), language.Decimal(tps, 1), report.Trimmed(report.Number(tps))} {
			if strings.Contains(all.String(), form) {
				t.Errorf("trial %d: a view shows %s transactions/s", trial.Header.Trial, form)
			}
		}
	}
	if shown == 0 {
		t.Fatal("the run has no trial with a figure")
	}
}

// A seal that was broken shows the results, and every later report says so, the sealed
// ones among them.
func TestUnsealIsRecorded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(dir, os.DirFS("testdata/runs/unfinished")); err != nil {
		t.Fatal(err)
	}
	build := func(unseal bool) *report.Document {
		run, err := record.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if unseal {
			if err := run.Unseal(time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)); err != nil {
				t.Fatal(err)
			}
		}
		doc, err := report.Build(run, "test")
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	if doc := build(true); doc.Sealed() || !doc.Contrasts[0].EffectPercent.Known() || !doc.Arms[0].ThroughputMean.Known() {
		t.Errorf("--unseal shows nothing: %q", doc.Headline)
	}
	const said = "The results were viewed 1 time before the run had finished (last at 2026-11-20T09:30:00Z, after 9 of 18 trials)."
	doc := build(false)
	if !doc.Sealed() || !strings.Contains(strings.Join(doc.Warnings, " "), said) {
		t.Errorf("sealed %v, warnings %q", doc.Sealed(), doc.Warnings)
	}
	// A finished run has no seal to break.
	run, err := record.Open("testdata/runs/demo")
	if err == nil {
		err = run.Unseal(time.Now())
	}
	if err != nil || run.Unsealed || len(run.Looks) > 0 {
		t.Errorf("a finished run: %v, %v", run.Looks, err)
	}
}
