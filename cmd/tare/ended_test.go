package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

// TestAsEnded: what could not be removed after a signal is said beside the signal, and the end itself is not.
func TestAsEnded(t *testing.T) {
	ends := interrupted{os.Interrupt}
	canceled := fmt.Errorf("trial 3 (pod): %w", context.Canceled)
	left := errors.New("remove tare-60413cb4 from namespace shop: x509: unknown authority")
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"the end alone":        {canceled, "ended by SIGINT"},
		"with what is left":    {hinted{errors.Join(canceled, left), "continue with: tare run --resume runs/x"}, "ended by SIGINT: remove tare-60413cb4 from namespace shop: x509: unknown authority"},
		"left of two targets":  {errors.Join(canceled, errors.Join(left, left)), "ended by SIGINT: remove tare-60413cb4"},
		"an error of its own":  {left, "ended by SIGINT: remove tare-60413cb4"},
		"the signal's own":     {ends, "ended by SIGINT"},
		"a wrapped cancelling": {fmt.Errorf("%w: %w", left, context.Canceled), "ended by SIGINT"},
	} {
		got := asEnded(ends, c.err).Error()
		if !strings.HasPrefix(got, c.want) || strings.Contains(got, "context canceled") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	var h hinted
	if err := asEnded(ends, hinted{errors.Join(canceled, left), "continue"}); !errors.As(err, &h) || h.hint != "continue" {
		t.Errorf("the hint is lost: %v", err)
	}
}

// TestStoppedByItsServer: a run whose server ended while the data were prepared is not to be continued before the cause is
// corrected; one with failed trials names the report of the others.
func TestStoppedByItsServer(t *testing.T) {
	for name, c := range map[string]struct {
		dir  string
		err  error
		want string
	}{
		"its server": {t.TempDir(), record.PrepareData.Wrap(record.StartPod.Wrap(record.DiedBeforeReady.Error(mysqld.ErrDied, "why"))), "correct what the message says"},
		"its probe":  {t.TempDir(), record.PrepareData.Wrap(record.StartPod.Wrap(target.ErrProbe)), "correct what the message says"},
		"other":      {t.TempDir(), errors.New("no space left on device"), "continue with: tare run --resume "},
	} {
		var h hinted
		if err := stopped(t.Context(), c.dir, c.err); !errors.As(err, &h) || !strings.HasPrefix(h.hint, c.want) {
			t.Errorf("%s: %+v", name, h)
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../internal/report/testdata/runs/unfinished")); err != nil {
		t.Fatal(err)
	}
	var h hinted
	if err := stopped(t.Context(), dir, errors.New(record.SomeFailed.Say("1", "12"))); !errors.As(err, &h) || !strings.HasSuffix(h.hint, "; how the trials ended: tare report "+dir) {
		t.Errorf("%+v", h)
	}
}

// TestEndedAndRemoved: a run that a signal ended says that everything was removed where that is so, and not while something is
// there or of a verb that runs nothing.
func TestEndedAndRemoved(t *testing.T) {
	ends, state := interrupted{os.Interrupt}, t.TempDir()
	runs := new(atomic.Pointer[runner.Job])
	terminal := &terminal{stateDir: state, runs: runs}
	said := func(err error) string { return terminal.asRemoved(asEnded(ends, err), ends).Error() }
	if got := said(context.Canceled); got != "ended by SIGINT" {
		t.Errorf("without a run: %s", got)
	}
	runs.Store(&runner.Job{Experiment: &experiment.Experiment{}})
	const removed = "ended by SIGINT; everything that it started was removed"
	if got := said(context.Canceled); got != removed {
		t.Errorf("%s, want %s", got, removed)
	}
	var h hinted
	if err := terminal.asRemoved(asEnded(ends, hinted{context.Canceled, "continue"}), ends); err.Error() != removed || !errors.As(err, &h) || h.hint != "continue" {
		t.Errorf("with a hint: %v", err)
	}
	if got := said(errors.Join(context.Canceled, errors.New("remove pod: refused"))); got != "ended by SIGINT: remove pod: refused" {
		t.Errorf("with an error: %s", got)
	}
	owned, err := target.Own("t00000001", filepath.Join(state, "instances", "t00000001"), filepath.Join(state, "tare-run", "t00000001"), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer owned.Close()
	if got := said(context.Canceled); got != "ended by SIGINT" {
		t.Errorf("while a server is there: %s", got)
	}
}
