//go:build guest

package main

// Tests for a machine of their own (research/guest.sh), whose kernel has cgroup v2 alone and
// whose clock may be set. `make guest` runs them.

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/containerd/cgroups/v3"
	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/record"
)

// newGuestKill is a killable in the emulated machine, with a tare that was built outside it.
func newGuestKill(t *testing.T) (k *killable, dir string) {
	t.Helper()
	binary := os.Getenv("TARE_TEST_PROGRAM")
	if binary == "" || cgroups.Mode() != cgroups.Unified {
		t.Fatal("this is not the machine of research/guest.sh; run make guest")
	}
	dir = t.TempDir()
	return &killable{binary: binary, state: filepath.Join(dir, "state"), spec: filepath.Join(dir, "x.yaml"), place: newPlace(t, dir)}, dir
}

const guestSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: unified}
database: {rootfs: %s, config: {innodb_buffer_pool_size: 32M, innodb_redo_log_capacity: 8M}}
data: {tables: 1, rows: 200}
load: {engine: tare, workload: oltp_point_select, threads: 2}
protocol: {kind: windows, rounds: 1, warmup: 0s, measure: 3s, ready: 1200s, seed: 3, aa: false, voids: 0}
baseline: runc
defaults:
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
  network: {plugin: bridge, rate: 1Gbit, qdisc: htb, delay: 250us}
  service: {proxy: iptables, others: 10}
  neighbour: {cpu: 100m, memory: 16Mi, disk: 1}
arms:
  runc: {runtime: runc}
  crun: {runtime: crun}
`

// TestUnifiedPods: pods with every layer are measured on cgroup v2 under runc and crun. A
// tare that is killed while they run leaves nothing that clean does not remove; --resume
// finishes the run.
func TestUnifiedPods(t *testing.T) {
	k, dir := newGuestKill(t)
	k.write(t, guestSpec)
	whole := filepath.Join(dir, "whole")
	all := k.points(t, "run", k.spec, "--out", whole)
	k.cleaned(t)
	run, err := record.Open(whole)
	if err != nil || len(run.Trials) != 2 {
		t.Fatal(run, err)
	}
	for _, trial := range run.Trials {
		if trial.End.Outcome != record.Measured {
			t.Errorf("%s: %s %s", trial.Header.Arm, trial.End.Outcome, trial.End.Reason)
		}
		// The kubelet sets no quota where CPUs are exclusive, since v1.33 (DisableCPUQuotaWithExclusiveCPUs).
		for key, want := range map[string]string{"cpu.max": "max 100000", "cpuset.cpus.effective": "1", "memory.max": "1073741824"} {
			key = "cgroup.container." + key
			if i := slices.IndexFunc(trial.Facts, func(f record.Fact) bool { return f.Key == key }); i < 0 || trial.Facts[i].Value != want {
				t.Errorf("%s: want %s %s, got %v", trial.Header.Arm, key, want, trial.Facts[max(i, 0)])
			}
		}
		t.Logf("%s: %s, %d transactions in %.1f s", trial.Header.Arm, trial.End.Outcome, trial.Window.Counts.Transactions, trial.Window.Seconds)
	}
	points := trialPoints(counted(all[slices.Index(all, dataReady):]))
	if !crashing() {
		points = spread(points, 4)
	}
	k.finish(t, k.killAt(t, filepath.Join(dir, "run"), points), whole)
	k.cleaned(t)
	k.onlyCaches(t)
	k.told(t)
}

// TestClockOfTheMachine: the time of day is set by an hour and by a year, forward and back,
// while a server is loaded. The trials are measured, and no time in their record has the jump
// in it.
func TestClockOfTheMachine(t *testing.T) {
	for _, engine := range []string{"tare", "sysbench"} {
		t.Run(engine, func(t *testing.T) {
			k, dir := newGuestKill(t)
			spec := strings.NewReplacer("engine: sysbench", "engine: "+engine, "ready: 300s", "ready: 1200s, kind: windows").Replace(killOthersSpec)
			k.write(t, spec, 2)
			jumps := []time.Duration{time.Hour, -time.Hour, 365 * 24 * time.Hour, -366 * 24 * time.Hour}
			set := map[int]bool{}
			run := filepath.Join(dir, "run")
			err := k.runStopping(t, []string{"trial: an interval passed"}, func(trial int, _ string) {
				if !set[trial] {
					set[trial] = true
					setClock(t, jumps[(trial-1)%len(jumps)])
				}
			}, "run", k.spec, "--out", run)
			if err != nil || len(set) != len(jumps) {
				t.Fatalf("%v; the clock was set in %d trials", err, len(set))
			}
			measuredAlone(t, run, len(jumps))
			if out, err := k.command("report", run).CombinedOutput(); err != nil {
				t.Errorf("report: %v\n%s", err, out)
			}
			k.nothingLeft(t)
		})
	}
}

func setClock(t *testing.T, by time.Duration) {
	t.Helper()
	now := unix.NsecToTimespec(time.Now().Add(by).UnixNano())
	if err := unix.ClockSettime(unix.CLOCK_REALTIME, &now); err != nil {
		t.Fatal(err)
	}
}

// jumped is less than any of the jumps, and longer than anything takes.
const jumped = 45 * time.Minute

// measuredAlone looks for a jump in every time of the trials.
func measuredAlone(t *testing.T, dir string, trials int) {
	t.Helper()
	run, err := record.Open(dir)
	if err != nil || len(run.Trials) != trials {
		t.Fatal(run, err)
	}
	for _, trial := range run.Trials {
		if trial.End.Outcome != record.Measured {
			t.Errorf("trial %d: %s %s", trial.Header.Trial, trial.End.Outcome, trial.End.Reason)
			continue
		}
		times := map[string]float64{"the trial": trial.End.Duration.Seconds(), "the window": trial.Window.Seconds}
		for i, interval := range trial.Intervals {
			times[fmt.Sprint("interval ", i)] = interval.Length
		}
		for i, sample := range trial.Samples {
			times[fmt.Sprint("sample ", i)] = sample.At.Seconds()
		}
		for what, seconds := range times {
			if seconds < 0 || math.Abs(seconds) > jumped.Seconds() {
				t.Errorf("trial %d: %s is %g s", trial.Header.Trial, what, seconds)
			}
		}
	}
}
