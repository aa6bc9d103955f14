package main

import (
	"context"
	"os/exec"
	"strings"
	"testing"
)

// TestServerEndsAtItsStart: an API server that has ended is not waited for.
func TestServerEndsAtItsStart(t *testing.T) {
	l := &lab{dir: t.TempDir()}
	server := exec.Command("false")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if err := l.waitForAPI(context.Background(), server.Process); err == nil || !strings.Contains(err.Error(), "it has ended: see "+l.dir) {
		t.Error(err)
	}
}
