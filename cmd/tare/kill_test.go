package main

// Tests that kill tare in a run. `make crash` kills it at every fault point and at
// 200 random moments; `make test` at 30 of the points.

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

// killSpec runs the pod first: its trial has every layer there is at once. A round that
// other work of the machine disturbs is not run again, here and in the other tests of kills:
// its trials would be set aside, and look like lost ones.
const killSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: killed}
database: {rootfs: %s, config: {innodb_buffer_pool_size: 32M, innodb_redo_log_capacity: 8M}}
data: {tables: 1, rows: 200}
load: {engine: sysbench, workload: oltp_point_select, threads: 2, rate: 50/s}
protocol: {rounds: 1, warmup: 0s, measure: 1s, ready: 300s, voids: 0, seed: %d}
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
    neighbour: {cpu: 100m, memory: 16Mi, disk: 1}
`

// crashKills is how many random moments `make crash` asks for; "" is `make test`.
const crashKills = "TARE_CRASH_KILLS"

// TestKilledRunIsFinished kills tare with SIGKILL at steps of its work. Wherever it
// is: clean removes all that was left, resume finishes the run, a trial that was
// complete is not run again, and the record is like that of a run that nobody
// disturbed.
func TestKilledRunIsFinished(t *testing.T) {
	k, dir := newKillable(t)
	k.write(t, killSpec, podFirst)
	// An undisturbed run says which points there are.
	whole := filepath.Join(dir, "whole")
	all := k.points(t, "run", k.spec, "--out", whole)
	ready := slices.Index(all, dataReady)
	making, points := counted(all[:ready]), trialPoints(counted(all[ready:]))
	k.cleaned(t)

	random, every := 0, false
	if n := os.Getenv(crashKills); n != "" {
		var err error
		if random, err = strconv.Atoi(n); err != nil {
			t.Fatal(err)
		}
		every = true
	}
	if !every {
		making, points = spread(making, 6), spread(points, 24)
	}
	t.Logf("%d points while data are made, %d in a trial and after it, %d random moments", len(making), len(points), random)
	k.killAtRandom(t, dir, whole, random)
	k.cleaned(t)
	k.onlyCaches(t)
	k.told(t)
	// Each of these has a state of its own, so they need not wait for each other.
	t.Run("while data are made", func(t *testing.T) {
		c, dir := k.another(t)
		c.killAt(t, filepath.Join(dir, "run"), making)
		c.told(t)
	})
	for i, part := range [][]string{points[:len(points)/2], points[len(points)/2:]} {
		t.Run(fmt.Sprint("in a trial ", i+1), func(t *testing.T) {
			c, dir := k.another(t)
			c.points(t, "run", c.spec, "--out", filepath.Join(dir, "first")) // makes the data: points are counted from there
			c.finish(t, c.killAt(t, filepath.Join(dir, "run"), part), whole)
			c.cleaned(t)
			c.onlyCaches(t)
			c.told(t)
		})
	}
}

// podFirst is a seed with which the plan begins with the pod.
const podFirst = 3

// dataReady is the point at which the data are there and the first trial begins.
const dataReady = "data: ready"

// counted numbers points by how often they have been reached in the list.
func counted(points []string) []string {
	counts := map[string]int{}
	var numbered []string
	for _, p := range points {
		counts[p]++
		numbered = append(numbered, fmt.Sprintf("%s#%d", p, counts[p]))
	}
	return numbered
}

// trialPoints are the points up to the end of the first trial, and those of later
// ones that are reached nowhere else.
func trialPoints(all []string) []string {
	end := slices.Index(all, "stream synced#1") + 1
	points := slices.Clone(all[:end])
	for _, p := range all[end:] {
		if strings.HasSuffix(p, "#1") {
			points = append(points, p)
		}
	}
	return points
}

// spread are n of all, from the first to the last.
func spread(all []string, n int) []string {
	var some []string
	for i := range n {
		some = append(some, all[i*(len(all)-1)/(n-1)])
	}
	return slices.Compact(some)
}

// killable is a tare with a state directory of its own.
type killable struct {
	binary, state, spec string
	place               *place              // where it runs; nil: where the test does
	sealed              map[string][32]byte // the complete trials so far
	took                time.Duration       // of the last run that was not killed, from points
	seen                []target.Leftover   // every instance that a kill left
	tally               tally
}

// tally is what a run of kills comes to.
type tally struct{ kills, kept, lost, left int }

// instances are those of its state.
func (k *killable) instances() ([]target.Leftover, error) {
	state, err := runner.DefaultState(k.state)
	if err != nil {
		return nil, err
	}
	return state.Instances()
}

// told logs it: what `make crash` is for.
func (k *killable) told(t *testing.T) {
	t.Helper()
	t.Logf("%d kills: %d times a complete trial was there to be kept, lost %d, left %d", k.tally.kills, k.tally.kept, k.tally.lost, k.tally.left)
}

// newKillable is one in a directory of the test, beside other tests.
func newKillable(t *testing.T) (k *killable, dir string) {
	t.Helper()
	needRoot(t)
	testRootfs(t)
	t.Parallel()
	dir = t.TempDir()
	return &killable{binary: builtTare(t), state: filepath.Join(dir, "state"), spec: filepath.Join(dir, "x.yaml"), place: newPlace(t, dir)}, dir
}

// another is one with the same experiment, for a test beside this one.
func (k *killable) another(t *testing.T) (c *killable, dir string) {
	t.Helper()
	c, dir = newKillable(t)
	text, err := os.ReadFile(k.spec)
	if err == nil {
		err = os.WriteFile(c.spec, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c, dir
}

// write writes its experiment: a format whose first argument is the root file system.
func (k *killable) write(t *testing.T, format string, more ...any) {
	t.Helper()
	if err := os.WriteFile(k.spec, fmt.Appendf(nil, format, append([]any{testRootfs(t)}, more...)...), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (k *killable) command(args ...string) *exec.Cmd {
	cmd := exec.Command(k.binary, args...)
	if k.place != nil {
		cmd = k.place.command(k.binary, args...)
	}
	cmd.Env = append(os.Environ(), "TARE_STATE="+k.state)
	return cmd
}

// points runs tare to its end and returns the points that it passed.
func (k *killable) points(t *testing.T, args ...string) []string {
	t.Helper()
	begun := time.Now()
	out, err, reached := k.with(t, "nowhere", args...)
	k.took = time.Since(begun)
	if err != nil {
		t.Fatalf("tare %v: %v\n%s", args, err, out)
	}
	return reached
}

// with runs tare with a point at which it is to be killed.
func (k *killable) with(t *testing.T, point string, args ...string) (out []byte, err error, reached []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "points")
	if err := os.WriteFile(file, []byte(point+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := k.command(args...)
	cmd.Env = append(cmd.Env, fault.Variable+"="+file)
	// A file, not a pipe: what outlives tare would hold a pipe open.
	log, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	failed := cmd.Run()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if out, err = os.ReadFile(log.Name()); err != nil {
		t.Fatal(err)
	}
	return out, failed, strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
}

// killAt kills a run at each of the points, resuming it in between, and returns the
// run. Where what is left of it does not come to a point any more, another is begun:
// all points are on the path of a whole run.
func (k *killable) killAt(t *testing.T, run string, points []string) string {
	t.Helper()
	for i, point := range points {
		out, err, _ := k.with(t, point, k.args(run)...)
		if err == nil {
			k.sealed = nil
			run += "-"
			out, err, _ = k.with(t, point, k.args(run)...)
		}
		if !killed(err) {
			t.Fatalf("tare was to be killed at %q: %v\n%s", point, err, out)
		}
		k.check(t, run, point, i)
	}
	return run
}

// args begin the run or go on with it.
func (k *killable) args(run string) []string {
	if _, err := os.Stat(filepath.Join(run, record.PlanFile)); err == nil {
		return []string{"run", "--resume", run}
	}
	return []string{"run", k.spec, "--out", run}
}

func killed(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// check is made after every kill.
func (k *killable) check(t *testing.T, run, where string, i int) {
	t.Helper()
	left, err := k.instances()
	if err != nil {
		t.Fatal(err)
	}
	k.seen = append(k.seen, left...)
	for _, l := range left {
		if l.Alive {
			t.Errorf("killed at %q: instance %s counts as in use", where, l.Dir)
		}
	}
	if i%2 == 0 || slices.ContainsFunc([]string{"sweep:", "instance:", "start:"}, func(p string) bool { return strings.HasPrefix(where, p) }) {
		// Otherwise resume must cope with what is left by itself. These points are
		// reached by a sweep or a start as well: only after clean the next is the trial's.
		k.cleaned(t)
	}
	k.keeps(t, run)
	if k.tally.kills++; k.tally.kills%10 == 0 {
		k.told(t)
	}
}

// keeps compares the complete trials of a run with those that it had.
func (k *killable) keeps(t *testing.T, run string) {
	t.Helper()
	now := completeTrials(t, run)
	k.tally.kept += len(k.sealed)
	k.tally.lost += unchanged(t, k.sealed, now)
	k.sealed = now
}

// finish resumes the run to its end, and once more, and compares it with one that
// nobody disturbed.
func (k *killable) finish(t *testing.T, run, whole string) {
	t.Helper()
	if out, err := k.command(k.args(run)...).CombinedOutput(); err != nil {
		t.Fatalf("resume: %v\n%s", err, out)
	}
	k.keeps(t, run)
	if diff := cmp.Diff(structure(t, whole), structure(t, run)); diff != "" {
		t.Errorf("a run that was killed and resumed differs from one that was not (-whole +resumed):\n%s", diff)
	}
	if out, err := k.command("run", "--resume", run).CombinedOutput(); err != nil {
		t.Errorf("resume of a finished run: %v\n%s", err, out)
	}
	k.keeps(t, run)
	k.sealed = nil
}

// cleaned runs clean and looks for what it should have removed.
func (k *killable) cleaned(t *testing.T) {
	t.Helper()
	if out, err := k.command("clean").CombinedOutput(); err != nil {
		t.Fatalf("clean: %v\n%s", err, out)
	}
	for _, l := range k.seen {
		left, err := target.Scan(l.Name, l.Dir, l.RunDir)
		if err != nil {
			t.Fatal(err)
		}
		if left.Running() || len(left.Paths) > 0 {
			k.tally.left++
			t.Errorf("clean left of %s:\n%s", l.Dir, left)
		}
	}
	if after, err := k.instances(); err != nil || len(after) > 0 {
		k.tally.left += len(after)
		t.Errorf("instances after clean: %v, %v", after, err)
	}
	k.asBefore(t)
}

// onlyCaches: the state directory holds nothing but what is kept on purpose.
func (k *killable) onlyCaches(t *testing.T) {
	t.Helper()
	data, err := os.ReadDir(filepath.Join(k.state, "data"))
	if err != nil || len(data) != 1 {
		t.Errorf("prepared data: %v, %v; want one directory", data, err)
	}
	entries, err := os.ReadDir(k.state)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains([]string{"data", "instances", "images", "lock"}, e.Name()) {
			t.Errorf("left in the state directory: %s", e.Name())
		}
	}
}
