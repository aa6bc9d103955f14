//go:build lab

package main

// The canary in a cluster: every object, every event, every pod's log, and every process of
// the nodes, which in the lab are processes of this machine.

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const clusterCanarySpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: canary}
data: {tables: 1, rows: 200}
load: {workload: oltp_point_select, threads: 1, engine: tare}
protocol: {kind: windows, rounds: 1, warmup: 0s, measure: 5s, ready: 300s, seed: 1, aa: false, voids: 0}
baseline: one
defaults: {target: kubernetes, kubeconfig: KUBECONFIG, namespace: tare, manifests: [OWN], server: {service: db, secret: db-login}, clients: 1, clientImage: "localhost/tare:1"}
arms: {one: {}, two: {}}
`

// TestPasswordStaysInSecrets: a known password in a Secret of the user's is in no object but
// Secrets, in no event, no log, no command line, no file of the record, and in the environment
// of no process but those of the user's own pod, into which the user's manifest puts it.
func TestPasswordStaysInSecrets(t *testing.T) {
	c := newTestCluster(t)
	dir := t.TempDir()
	own := filepath.Join(t.TempDir(), "own") // it has the password, as the user's files have
	copied(t, "../../internal/target/kubernetes/testdata/own", own, "for-the-test-only", canaryEnd)
	spec := filepath.Join(dir, "x.yaml")
	text := strings.NewReplacer("KUBECONFIG", c.kubeconfig, "OWN", own).Replace(clusterCanarySpec)
	if err := os.WriteFile(spec, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	k := &killable{binary: builtTare(t), state: filepath.Join(dir, "state")}
	before := c.names(t)
	ended := make(chan struct{})
	var watched searched
	done := make(chan struct{})
	go func() {
		defer close(done)
		watched.search(t, c, ended)
	}()
	run := filepath.Join(dir, "run")
	watchProcesses(t, k.command("run", spec, "--out", run), "kubernetes", "mysqld", "sh")
	close(ended)
	<-done
	if watched.secrets == 0 || watched.objects == 0 || watched.logs == 0 {
		t.Errorf("not everything was searched: %+v", watched)
	}
	t.Logf("%+v", watched)
	filesHaveNone(t, dir, 8, hasCanary)
	c.asBefore(t, before)
	for _, o := range c.objects(t) {
		if hasCanary(o.text) {
			t.Errorf("%s has the password after the run", o.name)
		}
	}
}

// searched counts what was looked at: objects and logs without the password, and Secrets
// with it, which show that the search finds it.
type searched struct{ objects, secrets, logs int }

// search looks at the cluster until the run has ended.
func (s *searched) search(t *testing.T, c *testCluster, ended chan struct{}) {
	for {
		objects, err := c.look()
		if err != nil {
			t.Error(err)
		}
		for _, o := range objects {
			switch {
			case !hasCanary(o.text):
				s.objects++
			case o.kind == "Secret":
				s.secrets++
			default:
				t.Errorf("%s has the password:\n%s", o.name, o.text)
			}
			if place, ok := strings.CutPrefix(o.name, "Pod "+c.namespace+"/"); ok {
				s.log(t, c, place)
			}
		}
		select {
		case <-ended:
			return
		case <-time.After(time.Second):
		}
	}
}

// log reads what a pod has printed. A pod that does not run yet has no log.
func (s *searched) log(t *testing.T, c *testCluster, pod string) {
	out := c.logs(pod)
	if hasCanary(out) {
		t.Errorf("the log of pod %s has the password:\n%s", pod, out)
	}
	if len(out) > 0 {
		s.logs++
	}
}

// copied copies the files of a directory and replaces a text in them.
func copied(t *testing.T, from, to, old, replacement string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, e.Name()), []byte(strings.ReplaceAll(string(b), old, replacement)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
