package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

// TestErrorsInside: in a pod no error has the reader resume a directory of the pod, and one that each attempt has ends the Job.
func TestErrorsInside(t *testing.T) {
	var h hinted
	if err := ofInside(stopped(t.Context(), t.TempDir(), errors.New("no network"))); errors.As(err, &h) || exitCode(err) != exitFailed {
		t.Errorf("%v, %q", err, h.hint)
	}
	for _, hopeless := range []error{runner.HopelessError{}, record.PrepareData.Wrap(target.Hopeless{Err: errors.New("no such StorageClass")})} {
		if err := ofInside(stopped(t.Context(), t.TempDir(), hopeless)); !errors.As(err, &h) || exitCode(err) != exitInvalid || !strings.Contains(h.hint, "start a new run") {
			t.Errorf("%v, %q", err, h.hint)
		}
	}
}
