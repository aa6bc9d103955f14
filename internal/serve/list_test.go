package serve

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
)

func TestList(t *testing.T) {
	dir := folder(t, "demo", "layers", "unfinished", "imported")
	write(t, filepath.Join(dir, "corrupt", record.VerdictFile), `{"schema": "tare.res`)
	write(t, filepath.Join(dir, "half", record.ExperimentFile), "apiVersion: x\n")
	write(t, filepath.Join(dir, "notes", "todo.txt"), "no run")
	s := start(t, Options{Dir: dir})
	all := names(t, s, "")
	want := map[string]string{"demo": "finished", "layers": "finished", "imported": "finished", "unfinished": "unfinished", "corrupt": "unreadable", "half": "unreadable"}
	got := map[string]string{}
	for name, run := range all {
		got[name] = run.State
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if d := all["demo"]; len(d.Verdicts) != 2 || d.Verdicts[0] != "costs" || !strings.Contains(d.Headline[0], "45.5 % slower") || d.Run.RoundsComplete != 6 {
		t.Errorf("demo: %+v", d)
	}
	if u := all["unfinished"]; u.Run.Started == nil || !u.Run.Started.Before(u.Changed) || u.Run.MeasureSeconds == 0 || !u.Run.MarginPercent.Known() {
		t.Errorf("a run under way began at %v: %+v", u.Run.Started, u.Run)
	}
	if u := all["unfinished"]; u.Run.TrialsDone != 9 && u.Run.TrialsDone != 10 || u.Verdicts[0] != "sealed" {
		t.Errorf("unfinished: %+v", u)
	}
	status, page, header := get(t, s.URL+"/")
	for _, want := range []string{"6 runs", `href="/runs/demo/"`, "45.5 % slower", "2 × costs", "cannot be read", `<svg class="intervals"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the list lacks %q", want)
		}
	}
	if status != 200 || !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Error(status, header)
	}
	// What changed is read again; what is gone is gone.
	if err := os.RemoveAll(filepath.Join(dir, "layers")); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "verdicts")
	write(t, filepath.Join(dir, "demo", record.VerdictFile), "{}")
	if _, err := record.AddFailure(filepath.Join(dir, "unfinished"), "trial 9 (pod): start: unknown variable", 9); err != nil {
		t.Fatal(err)
	}
	all = names(t, s, "")
	if u := all["unfinished"]; u.State != "failed" || u.Fault != "trial 9 (pod): start: unknown variable" {
		t.Errorf("a run that stopped by itself: %+v", u)
	}
	for lang, want := range map[string]string{"en": "trial 9 (pod): start: unknown variable", "zh": "试验 9（pod）：启动：unknown variable"} {
		if _, page, _ := get(t, s.URL+"/?lang="+lang); !strings.Contains(page, ">"+want+"<") {
			t.Errorf("%s: the list does not say why a run failed", lang)
		}
	}
	if _, still := all["layers"]; still || all["verdicts"].State != "finished" || all["demo"].State != "unreadable" {
		t.Errorf("after the changes: %+v", all)
	}
}

func TestSearch(t *testing.T) {
	s := start(t, Options{Dir: folder(t, "demo", "layers", "imported")})
	for query, want := range map[string]string{"pod slower": "layers", "DEMO": "demo", "inconclusive": "imported", "besteffort guaranteed oltp": "demo", "nowhere": ""} {
		found := names(t, s, "?q="+strings.ReplaceAll(query, " ", "+"))
		if _, ok := found[want]; want != "" && (!ok || len(found) != 1) || want == "" && len(found) != 0 {
			t.Errorf("%q finds %v, want %q", query, found, want)
		}
	}
}

// A verdict that another hand wrote, without tare's line ends, is read as well.
func TestCompactVerdict(t *testing.T) {
	dir := folder(t, "verdicts")
	path := filepath.Join(dir, "verdicts", record.VerdictFile)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var before, after Summary
	if err := before.readVerdict(path); err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, b); err != nil {
		t.Fatal(err)
	}
	write(t, path, compact.String())
	if err := after.readVerdict(path); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after, cmp.Comparer(func(a, b report.Number) bool { return a == b || !a.Known() && !b.Known() })); diff != "" || len(after.Verdicts) != 6 {
		t.Error(diff)
	}
}

func FuzzVerdict(f *testing.F) {
	f.Add([]byte(`{"run":{"name":"x"},"headline":["a"],"contrasts":[{"verdict":"costs"}]}`))
	f.Add([]byte("{\n \"headline\": [],\n \"contrasts\": [{}]}"))
	f.Add([]byte(`{"run":{"rounds_planned":6},"headline":["a"],"contrasts":[{"verdict":"costs","sentence":"a","interval":[null,1]},{"threads":8}]}`))
	path := filepath.Join(f.TempDir(), "verdict.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		var s Summary
		if err := s.readVerdict(path); err == nil && !bytes.Contains(b, []byte("contrasts")) {
			t.Error("a verdict without contrasts was read")
		}
	})
}
