package main

import (
	"os"
	"path/filepath"
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
