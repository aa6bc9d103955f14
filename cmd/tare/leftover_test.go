package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

// TestStuckLeftover: a leftover of a killed run that cannot be removed keeps neither the
// next leftover nor a run. `tare clean` names it each time, and ends with an error.
func TestStuckLeftover(t *testing.T) {
	k, dir := newKillable(t)
	k.write(t, endingSpec)
	precious := filepath.Join(dir, "precious")
	if err := errors.Join(os.Mkdir(precious, 0o755), os.WriteFile(filepath.Join(precious, "file"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	state, err := runner.DefaultState(k.state)
	if err != nil {
		t.Fatal(err)
	}
	stuck, gone := leftBehind(t, state, "t0-stuck"), leftBehind(t, state, "t1-gone")
	stuckName := filepath.Base(stuck)
	// A link in place of a directory of the instance: a sweep refuses to follow it.
	link := filepath.Join(state.RunDir, stuckName)
	if err := errors.Join(target.OwnDirectory(state.RunDir), os.Symlink(precious, link)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Remove(link); err != nil {
			t.Error(err)
		}
	})
	run := filepath.Join(dir, "run")
	cmd := k.command(k.args(run)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil || !strings.Contains(said.String(), "some leftovers of an earlier run could not be removed") || !strings.Contains(said.String(), stuckName) {
		t.Errorf("a run beside a leftover that is stuck: %v\n%s", err, said.String())
	}
	if n := len(completeTrials(t, run)); n != 2 {
		t.Errorf("%d of 2 trials are complete", n)
	}
	if _, err := os.Stat(gone); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the leftover after the one that is stuck: %v", err)
	}
	again := leftBehind(t, state, "t2-gone")
	out, err := k.command("clean").CombinedOutput()
	if err == nil || !strings.Contains(string(out), stuckName) || !strings.Contains(string(out), "1 removed") {
		t.Errorf("clean: %v\n%s", err, out)
	}
	for path, there := range map[string]bool{stuck: true, again: false, filepath.Join(precious, "file"): true} {
		if _, err := os.Stat(path); (err == nil) != there {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// leftBehind is the state directory of an instance whose tare has ended. The instance's name is prefix with the
// number of this process: every run of the tests on this machine has the same directory below /run.
func leftBehind(t *testing.T, state runner.State, prefix string) (dir string) {
	t.Helper()
	name := fmt.Sprintf("%s-%d", prefix, os.Getpid())
	dir = filepath.Join(state.Dir, "instances", name)
	owned, err := target.Own(name, dir, filepath.Join(state.RunDir, name), "/runs/killed")
	if err == nil {
		err = owned.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
