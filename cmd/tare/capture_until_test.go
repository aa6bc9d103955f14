package main

import (
	"context"
	"errors"
	"io"
	"testing"
)

// TestCaptureReadsUntilASignal: a log that does not end is left at the first signal.
func TestCaptureReadsUntilASignal(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (captureOptions{log: "-"}).readUntil(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}
