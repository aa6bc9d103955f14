package report_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/text"
)

// TestStoppedRun: the report of a run that stopped says why, and does not advise to continue it as if nothing were wrong; once
// it was started again, it is unfinished like any other.
func TestStoppedRun(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/runs/unfinished")); err != nil {
		t.Fatal(err)
	}
	const why = "prepare data: start pod: pod db-0 does not start: container mysql ended with status 1: Error; it said: [ERROR] unknown variable 'x=1'"
	if _, err := record.AddFailure(dir, why+".", 9); err != nil {
		t.Fatal(err)
	}
	show := func() (*report.Document, string) {
		run, err := record.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := report.Build(run, "test")
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := text.Write(&out, doc, text.Options{Width: 1000}); err != nil {
			t.Fatal(err)
		}
		return doc, strings.Join(strings.Fields(out.String()), " ")
	}
	doc, shown := show()
	if !strings.Contains(shown, "The run stopped before its end: "+why+". 9 of 18 trials ") || strings.Contains(shown, "Results are sealed until") {
		t.Errorf("the report says\n%s", shown)
	}
	if step := report.Next(doc)[0]; !strings.HasPrefix(step.Do, "Correct why the run stopped.") {
		t.Errorf("next: %s", step.Do)
	}
	chinese, err := doc.In("zh")
	if err != nil {
		t.Fatal(err)
	}
	if said := chinese.SealedSentence(); !strings.HasPrefix(said, "运行在结束前停止：准备数据：") {
		t.Errorf("in Chinese: %s", said)
	}
	if err := record.ResumeFailed(dir); err != nil {
		t.Fatal(err)
	}
	if _, shown = show(); !strings.Contains(shown, "Results are sealed until") {
		t.Errorf("a run that was started again: %s", shown)
	}
}
