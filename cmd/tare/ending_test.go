package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
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
	hungUp(t, k, run)
	k.cleaned(t) // nothing was left, so nothing is found

	// The run goes on, and nobody reads what it says.
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

// hungUp starts a run and sends it SIGHUP when its first instance is there.
func hungUp(t *testing.T, k *killable, run string) {
	t.Helper()
	cmd := k.command(k.args(run)...)
	// nohup(1) has its command ignore SIGHUP, and tare keeps to that: the tests may run under it.
	env, err := exec.LookPath("env")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path, cmd.Args = env, append([]string{"env", "--default-signal=HUP", cmd.Path}, cmd.Args[1:]...)
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
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	err = <-ended
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 129 {
		t.Errorf("after SIGHUP: %v, want exit code 129", err)
	}
	if left, err := filepath.Glob(instances); err != nil || len(left) > 0 {
		t.Errorf("left after SIGHUP: %v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(run, record.PlanFile)); err != nil {
		t.Errorf("the run cannot be resumed: %v", err)
	}
}
