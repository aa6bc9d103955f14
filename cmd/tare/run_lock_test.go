package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/runner"
)

// TestOneRunDirectoryAtATime: a run that is carried out elsewhere is not resumed from
// another state directory, and keeps every file as it is.
func TestOneRunDirectoryAtATime(t *testing.T) {
	rootfs := testRootfs(t)
	t.Parallel()
	e, err := experiment.Parse("x.yaml", fmt.Appendf(nil, lostSpec, rootfs, "tare"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if err := record.Create(dir, e, experiment.NewPlan(e)); err != nil {
		t.Fatal(err)
	}
	unlock, err := record.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // two state directories
		var out, errs bytes.Buffer
		code := run([]string{"run", "--resume", dir}, &terminal{out: &out, err: &errs, stateDir: t.TempDir()})
		if code != exitFailed || !strings.Contains(errs.String(), "another tare is executing this run") {
			t.Errorf("exit %d: %s", code, errs.String())
		}
	}
	if trials, err := os.ReadDir(filepath.Join(dir, record.TrialsDir)); err != nil || len(trials) > 0 {
		t.Errorf("trials were run: %v, %v", trials, err)
	}
	unlock()
	if unlock, err = record.Lock(dir); err != nil {
		t.Errorf("the lock stays: %v", err)
	} else {
		unlock()
	}
}

// TestRefusedRunLeavesNothing: a run that the lock of the state refuses leaves no directory.
func TestRefusedRunLeavesNothing(t *testing.T) {
	rootfs := testRootfs(t)
	t.Parallel()
	state, spec := t.TempDir(), filepath.Join(t.TempDir(), "x.yaml")
	if err := os.WriteFile(spec, fmt.Appendf(nil, lostSpec, rootfs, "tare"), 0o600); err != nil {
		t.Fatal(err)
	}
	unlock, err := runner.State{Dir: state}.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	dir := filepath.Join(t.TempDir(), "run")
	var out, errs bytes.Buffer
	code := run([]string{"run", spec, "--out", dir, "--state", state}, &terminal{out: &out, err: &errs})
	if code != exitFailed || !strings.Contains(errs.String(), "another tare is measuring on this machine") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory of the refused run is there: %v", err)
	}
}
