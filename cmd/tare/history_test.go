package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHistoryWhateverTheFolderIsCalled: brackets in its path are no pattern.
func TestHistoryWhateverTheFolderIsCalled(t *testing.T) {
	run, err := filepath.Abs(filepath.Join("testdata", "records", "stream-4-plan-2"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "mysql[8.4]")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(run, filepath.Join(dir, "one")); err != nil {
		t.Fatal(err)
	}
	if runs, err := runsIn(dir); err != nil || len(runs) != 1 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

// TestHistoryInChinese: history takes --lang as the other verbs do, and refuses a language that it does not have.
func TestHistoryInChinese(t *testing.T) {
	one, err := filepath.Abs(filepath.Join("testdata", "records", "stream-4-plan-2"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(one, filepath.Join(dir, "one")); err != nil {
		t.Fatal(err)
	}
	for lang, want := range map[string]string{"en": "bare with 8 threads, transactions/s: 1 run, 1 without a figure\n", "zh": "bare，8 线程，事务/秒：1 次运行，其中 1 次没有数值\n"} {
		var out, errs strings.Builder
		if code := run([]string{"history", dir, "--lang", lang}, &terminal{out: &out, err: &errs}); code != exitDone || !strings.Contains(out.String(), want) {
			t.Errorf("%s: exit code %d, %s%s", lang, code, out.String(), errs.String())
		}
	}
	var out, errs strings.Builder
	if code := run([]string{"history", dir, "--lang", "xx"}, &terminal{out: &out, err: &errs}); code != exitInvalid || !strings.Contains(errs.String(), "unknown language xx, expected") {
		t.Errorf("exit code %d, %s", code, errs.String())
	}
}

// TestHistoryOfABusyMachine: a run beside a load of others has a figure with --others-cpu, which says so, and is named
// without it, with what gives it one. The oldest run names the series.
func TestHistoryOfABusyMachine(t *testing.T) {
	busy, err := filepath.Abs(filepath.Join("..", "..", "internal", "report", "testdata", "runs", "busy"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(busy, filepath.Join(dir, "one")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags      []string
		have, lack string
	}{
		{nil, "--others-cpu 99% gives it one all the same", "; others used"},
		{[]string{"--others-cpu", "99%"}, "; others used 73 % of the CPU time\n", "no figure"},
		{[]string{"--others-cpu", "99%", "-o", "json"}, `"others_percent": 73`, `"reason"`},
		{[]string{"--others-cpu", "70%"}, "(the limit is 70 %)", "; others used"},
	} {
		for _, verb := range [][]string{{"history", dir}, {"compare", "--history", dir}} {
			var out, errs strings.Builder
			if code := run(append(verb, c.flags...), &terminal{out: &out, err: &errs}); code != exitDone {
				t.Fatalf("%v %v: exit code %d, %s", verb, c.flags, code, errs.String())
			}
			// The lines are wrapped.
			said := strings.Join(strings.Fields(out.String()), " ")
			if !strings.Contains(said, strings.Join(strings.Fields(c.have), " ")) || strings.Contains(said, c.lack) {
				t.Errorf("%v %v: want %q, without %q:\n%s", verb, c.flags, c.have, c.lack, out.String())
			}
		}
	}
}
