package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/serve"
)

// changedPlans are what somebody can do to plan.json after it was fixed.
func changedPlans() map[string]func(plan map[string]any) {
	trials := func(p map[string]any) []any { return p["trials"].([]any) }
	return map[string]func(map[string]any){
		"trials removed":     func(p map[string]any) { p["trials"] = trials(p)[:len(trials(p))-1] },
		"trials emptied":     func(p map[string]any) { p["trials"] = []any{} },
		"no trials":          func(p map[string]any) { delete(p, "trials") },
		"rounds changed":     func(p map[string]any) { p["rounds"] = p["rounds"].(float64) - 1 },
		"rounds 99":          func(p map[string]any) { p["rounds"] = 99 },
		"round of 99":        func(p map[string]any) { trials(p)[0].(map[string]any)["round"] = 99 },
		"round of -1":        func(p map[string]any) { trials(p)[0].(map[string]any)["round"] = -1 },
		"max_rounds 3·10^7":  func(p map[string]any) { p["max_rounds"] = 30_000_000 },
		"max_rounds 10^15":   func(p map[string]any) { p["max_rounds"] = 1e15 },
		"rounds a fraction":  func(p map[string]any) { p["rounds"] = 1.5 },
		"an unknown version": func(p map[string]any) { p["version"] = 99 },
	}
}

// TestChangedPlan: a changed plan.json ends `tare report` with a clear error, and
// `tare serve` lists the run with the same error and all others as before.
func TestChangedPlan(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	source := filepath.Join("..", "..", "internal", "report", "testdata", "runs", "demo")
	for name, change := range changedPlans() {
		dir := filepath.Join(folder, strings.NewReplacer(" ", "-", "·", "-").Replace(name))
		copyWithoutVerdict(t, source, dir)
		path := filepath.Join(dir, record.PlanFile)
		var plan map[string]any
		b, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(b, &plan)
		}
		if err != nil {
			t.Fatal(err)
		}
		change(plan)
		if b, err = json.Marshal(plan); err == nil {
			err = os.WriteFile(path, b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		refusedEverywhere(t, name, dir)
	}
	fifo := filepath.Join(folder, "fifo")
	copyWithoutVerdict(t, source, fifo)
	stream, err := filepath.Glob(filepath.Join(fifo, record.TrialsDir, "*", record.StreamFile))
	if err != nil || len(stream) == 0 {
		t.Fatal(stream, err)
	}
	if err := os.Remove(stream[0]); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(stream[0], 0o644); err != nil {
		t.Fatal(err)
	}
	refusedEverywhere(t, "a FIFO", fifo)
	copyWithoutVerdict(t, source, filepath.Join(folder, "whole"))
	handler, err := serve.New(serve.Options{Dir: folder, BuildReport: buildReport, Hosts: []string{"localhost"}})
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://localhost/", nil))
	page := answer.Body.String()
	if answer.Code != http.StatusOK || !strings.Contains(page, "whole") || strings.Count(page, "check plan: ") < len(changedPlans())-1 {
		t.Errorf("the list of runs, %d:\n%s", answer.Code, page)
	}
}

// refusedEverywhere runs the verbs that read a run.
func refusedEverywhere(t *testing.T, name, dir string) {
	t.Helper()
	for _, verb := range [][]string{{"report", dir}, {"report", "--format", "json", dir}, {"compare", dir, dir}, {"export", "csv", dir, "--out", filepath.Join(t.TempDir(), "out")}} {
		var out, errs bytes.Buffer
		code := run(verb, &terminal{out: &out, err: &errs})
		if code == exitDone || out.Len() > 0 || !strings.HasPrefix(errs.String(), "tare: ") || strings.Contains(errs.String(), "goroutine ") {
			t.Errorf("%s: tare %s: exit %d, %q, %s", name, verb[0], code, out.String(), errs.String())
		}
	}
}

func copyWithoutVerdict(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(filepath.Join(to, record.VerdictFile)) // the list would believe it
}
