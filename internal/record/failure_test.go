package record

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFailure: a run has failed for good when a second attempt got no further.
func TestFailure(t *testing.T) {
	dir := t.TempDir()
	if f, err := ReadFailure(dir); f != nil || err != nil || f.Final() {
		t.Fatal(f, err)
	}
	for i, step := range []struct {
		complete int
		final    bool
	}{{0, false}, {4, false}, {4, true}, {4, true}, {5, false}} {
		f, err := AddFailure(dir, "start: no such option", step.complete)
		if err != nil || f.Final() != step.final {
			t.Errorf("attempt %d with %d complete: final %v, want %v (%v)", i, step.complete, f.Final(), step.final, err)
		}
		if err := ResumeFailed(dir); err != nil {
			t.Fatal(err)
		}
		if f, err = ReadFailure(dir); err != nil || !f.Resumed || f.Reason != "start: no such option" {
			t.Errorf("read back: %+v, %v", f, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, FailureFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFailure(dir); err == nil {
		t.Error("half a file is read")
	}
	for range 2 {
		if err := ClearFailure(dir); err != nil {
			t.Error(err)
		}
	}
}
