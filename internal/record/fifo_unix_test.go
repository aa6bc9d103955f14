//go:build unix

package record

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOpenWaitsForNothing: a FIFO where a file should be is an error at once, in the
// plan's place and in a trial's, and not a wait for somebody who writes into it.
func TestOpenWaitsForNothing(t *testing.T) {
	for _, name := range []string{ExperimentFile, PlanFile, "stream", "void"} {
		dir, plan := created(t)
		path := filepath.Join(dir, name)
		switch name {
		case "stream":
			path = filepath.Join(TrialDir(dir, plan.Trials[0]), StreamFile)
		case "void":
			path = filepath.Join(dir, VoidsDir, "001-round-1", VoidFile)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s is a FIFO: %v", name, err)
		}
	}
}
