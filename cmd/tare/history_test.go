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
	for lang, want := range map[string]string{"en": "bare with 8 threads, transactions/s: 0 runs\n", "zh": "bare，8 线程，事务/秒：0 次运行\n"} {
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
