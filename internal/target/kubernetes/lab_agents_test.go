//go:build lab

package kubernetes

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tarebench/tare/internal/record"
)

// agentsSpec loads the same server three times, from a pod of another node.
const agentsSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: agents}
database: {config: {innodb_buffer_pool_size: 64M}}
data: {tables: 1, rows: 500}
load: {workload: oltp_read_only, threads: 2, engine: tare}
protocol: {rounds: 1, warmup: 1s, measure: 12s, ready: 300s, seed: 1, aa: false, voids: 0}
baseline: first
arms:
  first: &pod {target: kubernetes, kubeconfig: %[1]s, namespace: tare, image: "localhost/mysql:1", node: n2, clients: 1, clientNode: n1, clientImage: "localhost/tare:1"}
  second: *pod
  third: *pod
`

// TestAgentsDie: in the middle of a load the API server is killed, the kubelet of the
// server's node, or that of the load's. Each trial is whole, with no second lost or
// counted twice, or it says that it failed; nothing is left behind.
func TestAgentsDie(t *testing.T) {
	kubeconfig, lab := settings(t).Kubeconfig, os.Getenv("TARE_TEST_LAB")
	if lab == "" {
		t.Skip("TARE_TEST_LAB names no lab program, by which to kill its agents")
	}
	dir := t.TempDir()
	spec := filepath.Join(dir, "agents.yaml")
	if err := os.WriteFile(spec, fmt.Appendf(nil, agentsSpec, kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, filepath.Join(filepath.Dir(lab), "tare"), "run", spec, "--json", "--out", filepath.Join(dir, "run"))
	c.Env = append(os.Environ(), "TARE_STATE="+filepath.Join(dir, "state"))
	events, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	killed := killDuring(t, lab, bufio.NewScanner(events), map[int][]string{
		1: {"restart", "kube-apiserver"}, 2: {"restart", "kubelet", "n2"}, 3: {"restart", "kubelet", "n1"},
	})
	t.Logf("tare run: %v", c.Wait())
	run, err := record.Open(filepath.Join(dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	if killed != 3 || len(run.Trials) != 3 {
		t.Fatalf("%d agents were killed during %d trials, want 3 during 3", killed, len(run.Trials))
	}
	for _, trial := range run.Trials {
		wholeOrFailed(t, trial)
	}
	left, err := labArm(t, settings(t)).cluster.scoped(pods).List(context.Background(), metav1.ListOptions{LabelSelector: managedLabel + "=tare"})
	if err != nil || len(left.Items) > 0 {
		t.Errorf("%d pods are left, %v", len(left.Items), err)
	}
}

// killDuring reads the events of a run to their end, and runs a trial's command of the
// lab's when the trial's load has told of its third second.
func killDuring(t *testing.T, lab string, events *bufio.Scanner, commands map[int][]string) (killed int) {
	t.Helper()
	seconds, ended := map[int]int{}, make(chan error, len(commands))
	for events.Scan() {
		var e struct {
			Event string
			Trial int
		}
		if json.Unmarshal(events.Bytes(), &e) != nil || e.Event != "second" {
			t.Logf("%s", events.Bytes())
			continue
		}
		if seconds[e.Trial]++; seconds[e.Trial] != 3 || commands[e.Trial] == nil {
			continue
		}
		killed++
		go func() {
			out, err := exec.Command(lab, commands[e.Trial]...).CombinedOutput()
			if err != nil {
				err = fmt.Errorf("lab %v: %w: %s", commands[e.Trial], err, bytes.TrimSpace(out))
			}
			ended <- err
		}()
	}
	for range killed {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	return killed
}

// wholeOrFailed: the seconds of the series are those of the window, and so is what was
// counted in them.
func wholeOrFailed(t *testing.T, trial *record.Trial) {
	t.Helper()
	if trial.Incomplete != "" {
		t.Errorf("trial %d is incomplete: %s", trial.Header.Trial, trial.Incomplete)
		return
	}
	if trial.End.Outcome == record.Failed && trial.End.Reason != "" && trial.Window == nil {
		t.Logf("trial %d failed: %s", trial.Header.Trial, trial.End.Reason)
		return
	}
	if trial.End.Outcome != record.Measured || trial.Window == nil {
		t.Errorf("trial %d is %s (%s), with window %+v", trial.Header.Trial, trial.End.Outcome, trial.End.Reason, trial.Window)
		return
	}
	var seconds, transactions float64
	for _, i := range trial.Intervals {
		if !i.Warmup {
			seconds += i.Length
			transactions += i.Transactions * i.Length
		}
	}
	w := trial.Window
	if math.Abs(seconds-w.Seconds) > 0.01 || math.Abs(transactions-float64(w.Counts.Transactions)) > 0.5 {
		t.Errorf("trial %d: %g transactions in %g s of the series, %d in %g s of the window", trial.Header.Trial, transactions, seconds, w.Counts.Transactions, w.Seconds)
	}
	t.Logf("trial %d: %d transactions in %g s", trial.Header.Trial, w.Counts.Transactions, w.Seconds)
}
