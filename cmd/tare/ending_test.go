package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/record"
)

// TestRunOutlivesItsTerminal: a terminal that is closed sends SIGHUP, on which a run
// removes what it started; and a reader of its standard error that goes away ends
// nothing.
func TestRunOutlivesItsTerminal(t *testing.T) {
	k, dir := newKillable(t)
	k.write(t, endingSpec)
	run := filepath.Join(dir, "run")
	// nohup(1) has its command ignore SIGHUP, and tare keeps to that: the tests may run under it.
	endedUnder(t, k, run, syscall.SIGHUP, "env", "--default-signal=HUP")

	// The run continues, and its output is not read.
	cmd := k.command(k.args(run)...)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	cmd.Stderr = w
	out, err := cmd.Output()
	w.Close()
	if err != nil {
		t.Fatalf("a run whose standard error is closed: %v\n%s", err, out)
	}
	if got := len(completeTrials(t, run)); got != 2 {
		t.Errorf("%d of 2 trials are complete", got)
	}
}

const endingSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: ending}
database: {rootfs: %s, config: {innodb_buffer_pool_size: 32M, innodb_redo_log_capacity: 8M}}
data: {tables: 1, rows: 100}
load: {engine: sysbench, workload: oltp_point_select, threads: 1, rate: 50/s}
protocol: {rounds: 1, warmup: 0s, measure: 1s, ready: 300s, seed: 3}
baseline: a
arms:
  a: {target: process}
  b: {target: process}
`

// TestRunEndsInOrderUnder: what delivers SIGTERM twice, to the process and to its process group, and what
// delivers it to the group, gives the run time to remove what it started.
func TestRunEndsInOrderUnder(t *testing.T) {
	for name, under := range map[string][]string{
		"timeout": {"timeout", "1h"},
		"jobs":    {"bash", "-c", `set -m; trap 'kill %1' TERM; "$@" & wait %1; wait %1`, "bash"},
	} {
		t.Run(name, func(t *testing.T) {
			k, dir := newKillable(t)
			k.write(t, endingSpec)
			endedUnder(t, k, filepath.Join(dir, "run"), syscall.SIGTERM, under...)
		})
	}
}

// endedUnder starts a run under a program and signals that when the first instance is there: the run ends
// with the signal's code, leaves nothing, and can be resumed.
func endedUnder(t *testing.T, k *killable, run string, s syscall.Signal, under ...string) {
	t.Helper()
	cmd := k.command(k.args(run)...)
	program, err := exec.LookPath(under[0])
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path, cmd.Args = program, slices.Concat(under, []string{cmd.Path}, cmd.Args[1:])
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	instances := filepath.Join(k.state, "instances", "t*")
	for limit := time.Now().Add(5 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if made, err := filepath.Glob(instances); err != nil || len(made) > 0 {
			break
		}
		if time.Now().After(limit) {
			t.Fatal("the run makes no instance")
		}
	}
	if err := cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	err = <-ended
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 128+int(s) || strings.Contains(said.String(), "ended at once") {
		t.Errorf("after %s: %v, want exit code %d: %s", s, err, 128+int(s), said.String())
	}
	if left, err := filepath.Glob(instances); err != nil || len(left) > 0 {
		t.Errorf("left after %s: %v, %v", s, left, err)
	}
	if _, err := os.Stat(filepath.Join(run, record.PlanFile)); err != nil {
		t.Errorf("the run cannot be resumed: %v", err)
	}
	k.cleaned(t) // nothing was left, so nothing is found
}
