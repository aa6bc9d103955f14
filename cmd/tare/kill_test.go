package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

const killSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: killed}
database: {rootfs: %s, config: {innodb_buffer_pool_size: 32M, innodb_redo_log_capacity: 8M}}
data: {tables: 1, rows: 1000}
load: {workload: oltp_point_select, threads: 2}
protocol: {rounds: 2, warmup: 0s, measure: 1s, ready: 300s, seed: 3}
baseline: bare
arms:
  bare: {target: process, client: host}
  pod:
    target: container
    qos: Guaranteed
    cpu: 1
    memory: 1Gi
    exclusive: true
    filesystem: overlay
    volume: block
    volumeSize: 512Mi
    io: gp3
    seccomp: RuntimeDefault
    noNewPrivileges: true
    capabilities: none
    client: other-node
    network: {plugin: bridge, between: udp, rate: 1Gbit, qdisc: htb, delay: 250us, loss: 0.1%%}
    service: {proxy: iptables, others: 10}
    neighbour: {cpu: 100m, memory: 16Mi, memoryBandwidth: 1, disk: 1, network: 1}
`

// TestKilledRunIsFinished kills tare with SIGKILL at moments spread over a run,
// preparation and teardown included. Its pod has every layer there is at once. Whatever the moment: clean removes all that
// was left, resume finishes the run, and a trial that was complete is not run
// again.
func TestKilledRunIsFinished(t *testing.T) {
	rootfs := os.Getenv("TARE_TEST_ROOTFS")
	if rootfs == "" || os.Geteuid() != 0 {
		t.Skip("needs root and a root file system with a MySQL (TARE_TEST_ROOTFS); make test has both")
	}
	t.Parallel()
	dir := t.TempDir()
	tare := killable{builtTare(t), filepath.Join(dir, "state")}
	spec, run := filepath.Join(dir, "x.yaml"), filepath.Join(dir, "run")
	if err := os.WriteFile(spec, fmt.Appendf(nil, killSpec, rootfs), 0o644); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 1))
	args := []string{"run", spec, "--out", run}
	var sealed map[string][32]byte
	for kill := range 6 {
		// The first falls into the preparation, later ones further on.
		after := time.Duration(float64(kill+1)*(0.4+1.2*rng.Float64())*1000) * time.Millisecond
		if err := tare.killAfter(t, after, args...); err == nil {
			break // it was done before the kill
		}
		if kill%2 == 0 { // resume must cope with leftovers by itself, too
			tare.cleaned(t)
		}
		now := completeTrials(t, run)
		unchanged(t, sealed, now)
		sealed = now
		if _, err := os.Stat(filepath.Join(run, record.PlanFile)); err == nil {
			args = []string{"run", "--resume", run}
		}
	}
	out, err := tare.command(args...).CombinedOutput()
	if err != nil {
		t.Fatalf("resume: %v\n%s", err, out)
	}
	now := completeTrials(t, run)
	unchanged(t, sealed, now)
	if len(now) != 4 {
		t.Errorf("%d of 4 trials are complete:\n%s", len(now), out)
	}
	// Once more: nothing is left to run, and nothing is run.
	if out, err := tare.command("run", "--resume", run).CombinedOutput(); err != nil {
		t.Errorf("resume of a finished run: %v\n%s", err, out)
	}
	unchanged(t, now, completeTrials(t, run))
	tare.cleaned(t)
}

// killable is a tare with a state directory of its own.
type killable struct{ binary, state string }

func (k killable) command(args ...string) *exec.Cmd {
	cmd := exec.Command(k.binary, args...)
	cmd.Env = append(os.Environ(), "TARE_STATE="+k.state)
	return cmd
}

// killAfter starts tare and kills it. It returns nil if tare had ended well by then.
func (k killable) killAfter(t *testing.T, d time.Duration, args ...string) error {
	t.Helper()
	var out bytes.Buffer
	cmd := k.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Fatalf("tare %v: %v\n%s", args, err, out.String())
		}
		return nil
	case <-time.After(d):
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		return <-done
	}
}

// cleaned runs clean and looks for what it should have removed.
func (k killable) cleaned(t *testing.T) {
	t.Helper()
	before, err := target.Instances(k.state)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := k.command("clean").CombinedOutput(); err != nil {
		t.Fatalf("clean: %v\n%s", err, out)
	}
	for _, l := range before {
		left, err := target.Scan(l.Name, l.Dir, l.RunDir)
		if err != nil {
			t.Fatal(err)
		}
		if left.Running() || len(left.Paths) > 0 {
			t.Errorf("clean left of %s:\n%s", l.Dir, left)
		}
	}
	if after, err := target.Instances(k.state); err != nil || len(after) > 0 {
		t.Errorf("instances after clean: %v, %v", after, err)
	}
}

// completeTrials are the checksums of the streams that count.
func completeTrials(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	sums := map[string][32]byte{}
	if _, err := os.Stat(filepath.Join(dir, record.PlanFile)); err != nil {
		return sums // killed before the plan was saved
	}
	run, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range run.Trials {
		if trial.Incomplete == "" {
			b, err := os.ReadFile(filepath.Join(trial.Dir, record.StreamFile))
			if err != nil {
				t.Fatal(err)
			}
			sums[trial.Dir] = sha256.Sum256(b)
		}
	}
	return sums
}

func unchanged(t *testing.T, before, after map[string][32]byte) {
	t.Helper()
	for dir, sum := range before {
		if after[dir] != sum {
			t.Errorf("%s was complete and has been run again", dir)
		}
	}
}
