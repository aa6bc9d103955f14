package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
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
