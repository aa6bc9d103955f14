package main

import (
	"errors"
	"testing"

	"github.com/tarebench/tare/internal/runner"
)

// TestErrorsInside: in a pod no error has the reader resume a directory of the pod, and one that each attempt has ends the Job.
func TestErrorsInside(t *testing.T) {
	var h hinted
	if err := ofInside(stopped(t.Context(), t.TempDir(), errors.New("no network"))); errors.As(err, &h) || exitCode(err) != exitFailed {
		t.Errorf("%v, %q", err, h.hint)
	}
	if err := ofInside(stopped(t.Context(), t.TempDir(), runner.HopelessError{})); !errors.As(err, &h) || exitCode(err) != exitInvalid {
		t.Errorf("%v, %q", err, h.hint)
	}
}
