//go:build lab

package main

// Kills in a cluster, at every step of a trial: of tare, of the API server, of the kubelets
// and of an operator.

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// clusterKillSpec has all that an arm can make in a cluster, load pods and a neighbour among
// it, and the database of an operator.
const clusterKillSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: killed-in-cluster}
database: {config: {innodb_buffer_pool_size: 64M}}
data: {tables: 1, rows: 200}
load: {workload: oltp_point_select, threads: 1, engine: tare}
protocol: {kind: windows, rounds: %d, warmup: 0s, measure: 2s, ready: 300s, seed: 1, aa: false, voids: 0}
baseline: pod
defaults: {target: kubernetes, kubeconfig: %q, namespace: tare, volumeSize: 1Gi, clients: 1, clientImage: "localhost/tare:1"}
arms:
  pod: {image: "localhost/mysql:1", address: service, neighbour: {cpu: 50m}}
  operator: {operator: %q, members: 1, image: "localhost/mysql:1"}
`

// newClusterKill is a killable in the cluster, whose stand-in operator runs until the test
// ends.
func newClusterKill(t *testing.T, rounds int) (k *killable, c *testCluster, o *standIn) {
	t.Helper()
	c, o = newTestCluster(t), newStandIn(t)
	dir := t.TempDir()
	k = &killable{binary: builtTare(t), state: filepath.Join(dir, "state"), spec: filepath.Join(dir, "x.yaml")}
	descriptor, err := filepath.Abs("../../lab/operator/descriptor.yaml")
	if err == nil {
		err = os.WriteFile(k.spec, fmt.Appendf(nil, clusterKillSpec, rounds, c.kubeconfig, descriptor), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return k, c, o
}

// standIn is the lab's operator (lab/operator), a process of this machine.
type standIn struct {
	program, admin string
	command        *exec.Cmd
}

func newStandIn(t *testing.T) *standIn {
	t.Helper()
	o := &standIn{program: os.Getenv("TARE_TEST_OPERATOR"), admin: os.Getenv("TARE_TEST_ADMIN")}
	if o.program == "" {
		t.Skip("TARE_TEST_OPERATOR names no stand-in operator (lab/operator)")
	}
	o.start(t)
	t.Cleanup(o.kill)
	return o
}

func (o *standIn) start(t *testing.T) {
	t.Helper()
	o.command = exec.Command(o.program, "-kubeconfig", o.admin, "-descriptor", "../../lab/operator/descriptor.yaml")
	if err := o.command.Start(); err != nil {
		t.Fatal(err)
	}
}

func (o *standIn) kill() {
	_ = o.command.Process.Kill() // it may have ended
	_ = o.command.Wait()         // with that signal
}

// once are the points of a list, each at its first time: a run that is resumed comes by
// most of them again.
func once(points []string) []string {
	var first []string
	for _, p := range points {
		if !slices.Contains(first, p+"#1") {
			first = append(first, p+"#1")
		}
	}
	return first
}

// TestKilledInClusterIsFinished kills tare at steps of a run in a cluster: eight of them,
// and every one with TARE_CRASH_KILLS. `tare clean` then removes all that was made, the
// operator's among it; --resume finishes the run; no complete trial is lost or run again; and
// the record is like that of an undisturbed run.
func TestKilledInClusterIsFinished(t *testing.T) {
	k, c, _ := newClusterKill(t, 1)
	before := c.names(t)
	dir := filepath.Dir(k.spec)
	whole := filepath.Join(dir, "whole")
	points := once(k.points(t, "run", k.spec, "--allow", "node", "--out", whole))
	k.tally.left += c.asBefore(t, before)
	t.Logf("%d points: %q", len(points), points)
	if !crashing() {
		points = spread(points, 8)
	}
	run := filepath.Join(dir, "run")
	for i, point := range points {
		out, err, _ := k.with(t, point, k.clusterArgs(run)...)
		if err == nil { // what was left of the run does not come by
			k.sealed = nil
			run += "-"
			out, err, _ = k.with(t, point, k.clusterArgs(run)...)
		}
		if !killed(err) {
			t.Fatalf("tare was to be killed at %q: %v\n%s", point, err, out)
		}
		k.keeps(t, run)
		k.tally.kills++
		if i%2 == 0 || i == len(points)-1 { // otherwise the next run has to cope with it
			k.cleanedIn(t, c, before)
		}
		if t.Failed() {
			t.Fatalf("after a kill at %q:\n%s", point, out)
		}
	}
	k.finishIn(t, run)
	if diff := cmp.Diff(structure(t, whole), structure(t, run)); diff != "" {
		t.Errorf("a run that was killed and resumed differs from one that was not (-whole +resumed):\n%s", diff)
	}
	k.cleanedIn(t, c, before)
	k.told(t)
}

// clusterArgs are args for arms on different nodes.
func (k *killable) clusterArgs(run string) []string {
	if args := k.args(run); args[1] == "--resume" {
		return args
	}
	return []string{"run", k.spec, "--allow", "node", "--out", run}
}

// cleanedIn removes what is left, here and in the cluster, and looks.
func (k *killable) cleanedIn(t *testing.T, c *testCluster, before []string) {
	t.Helper()
	var said []byte
	for _, args := range [][]string{{"clean"}, {"clean", "--kubeconfig", c.kubeconfig, "--namespace", c.namespace}} {
		out, err := k.command(args...).CombinedOutput()
		if err != nil {
			t.Fatalf("tare %v: %v\n%s", args, err, out)
		}
		said = append(said, out...)
	}
	if left := c.asBefore(t, before); left > 0 {
		k.tally.left += left
		t.Logf("tare clean:\n%s", said)
	}
}

// finishIn resumes a run until all its trials are measured. That a trial fails again is no
// defect of what was killed: the machine of a cluster in one machine is busy.
func (k *killable) finishIn(t *testing.T, run string) {
	t.Helper()
	for range 3 {
		out, err := k.command(k.clusterArgs(run)...).CombinedOutput()
		k.keeps(t, run)
		if err == nil {
			k.everyTrialHasAResult(t, run)
			return
		}
		t.Logf("resume: %v\n%s", err, out)
	}
	t.Error("the run was resumed three times and is not complete")
}

// clusterSteps are the steps of a trial in a cluster at which tare stops.
var clusterSteps = []string{
	"cluster: applied secrets", "cluster: applied statefulsets", "cluster: applied databases", "trial: before wait for the first answer",
	"trial: server answers", "trial: facts read", "cluster: applied jobs", "trial: an interval passed", loadEnded, "trial: measured", "cluster: deleted jobs",
}

// TestAgentsKilledAtEveryStep kills, while tare has stopped at a step, the API server, the
// kubelet of either node, or the operator; they are started again, as a cluster does. Each
// trial is whole or says that it failed; --resume measures those; nothing is left.
func TestAgentsKilledAtEveryStep(t *testing.T) {
	lab := os.Getenv("TARE_TEST_LAB")
	if lab == "" {
		t.Skip("TARE_TEST_LAB names no lab program, by which to kill its agents")
	}
	rounds := 1
	if crashing() {
		rounds = 4
	}
	k, c, o := newClusterKill(t, rounds)
	before := c.names(t)
	agents := [][]string{{"restart", "kube-apiserver"}, {"restart", "kubelet", "n1"}, {"restart", "kubelet", "n2"}, nil}
	stops := 0
	kill := func(trial int, point string) {
		agent := agents[(trial+slices.Index(clusterSteps, point))%len(agents)]
		stops++
		t.Logf("trial %d, %q: %v", trial, point, agent)
		if agent == nil {
			o.kill()
			o.start(t)
			return
		}
		if out, err := exec.Command(lab, agent...).CombinedOutput(); err != nil {
			t.Errorf("lab %v: %v\n%s", agent, err, out)
		}
	}
	run := filepath.Join(filepath.Dir(k.spec), "run")
	err := k.runStopping(t, clusterSteps, kill, k.clusterArgs(run)...)
	var exit *exitError
	if err != nil && (!errors.As(err, &exit) || exit.code != exitFailed) {
		t.Errorf("tare ended with %v, want exit code 0 or 3", err)
	}
	if stops < len(clusterSteps) {
		t.Errorf("tare stopped %d times", stops)
	}
	k.tally.kills = stops
	for dir, told := range structure(t, run) {
		if strings.HasPrefix(dir, "trials/") && told != "" {
			t.Logf("%s: %.60s", dir, told)
		}
	}
	k.keeps(t, run)
	k.finishIn(t, run)
	k.cleanedIn(t, c, before)
	k.told(t)
}
