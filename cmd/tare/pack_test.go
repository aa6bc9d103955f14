package main

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// TestPackIdle: the time without a request does not pass while one is answered, and passes from the
// end of the last one. The clock is that of synctest.
func TestPackIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := false
		open := startIdle(packIdle, func() { over = true })
		defer open.timer.Stop()
		passes := func(d time.Duration, what string, want bool) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if over != want {
				t.Errorf("%s: over %v, want %v", what, over, want)
			}
		}
		passes(packIdle-time.Second, "before the first request", false)
		open.begin()
		passes(3*packIdle, "while it is answered", false)
		open.begin()
		open.end()
		passes(3*packIdle, "while the first of two is answered", false)
		open.end()
		passes(packIdle-time.Second, "after the last request", false)
		passes(time.Second, "when nobody has asked for so long", true)
	})
}

// TestPackOfNothing: a run that ended before it began has no directory, which is another answer than a transfer that breaks.
func TestPackOfNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { served <- servePacked(ctx, l, filepath.Join(t.TempDir(), "run")) }()
	answer, err := http.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusNotFound {
		t.Error(answer.Status)
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
