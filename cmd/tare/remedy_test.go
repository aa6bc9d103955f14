package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/campaign/campaigntest"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// writeSimulated writes a simulated run as `tare run` would have.
func writeSimulated(t *testing.T, run *record.Run, dir string) {
	t.Helper()
	if err := record.Create(dir, run.Experiment, run.Plan); err != nil {
		t.Fatal(err)
	}
	for i, trial := range run.Trials {
		h := trial.Header
		h.Started = time.Date(2026, 11, 22, 3, 0, i, 0, time.UTC)
		s, err := record.CreateStream(record.TrialDir(dir, run.Plan.Trials[i]), h)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range trial.Facts {
			if err := s.Write(record.Line{Fact: &f}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Write(record.Line{Window: trial.Window}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(*trial.End); err != nil {
			t.Fatal(err)
		}
	}
}

const throttledPod = `# a shop
apiVersion: v1
kind: Pod
metadata: {name: db}
spec:
  volumes: [{name: d, persistentVolumeClaim: {claimName: d}}]
  containers:
  - name: mysql
    image: mysql:9.1.0
    args: [--innodb-flush-neighbors=1, --innodb-redo-log-capacity=1G]
    resources:
      requests: {cpu: 500m, memory: 512Mi}
      limits: {cpu: 500m, memory: 512Mi} # small
    volumeMounts: [{name: d, mountPath: /var/lib/mysql}]
`

// TestRemedyOfManifest goes the way of a manifest: its findings are measured, the
// one that helps is written into it, and nothing else.
func TestRemedyOfManifest(t *testing.T) {
	dir := t.TempDir()
	spec, pod, measured := filepath.Join(dir, "like.yaml"), filepath.Join(dir, "pod.yaml"), filepath.Join(dir, "run")
	for path, text := range map[string]string{spec: campaigntest.Spec, pod: throttledPod} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, conversation bytes.Buffer
	term := &terminal{out: &out, err: &conversation}
	if code := run([]string{"remedy", "--spec", spec, pod}, term); code != exitDone {
		t.Fatalf("%d\n%s", code, conversation.String())
	}
	e, err := experiment.Parse("remedy.yaml", out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"as-written", "k-cfs-02", "m-io-05"}, e.Arms.Names()); d != "" {
		t.Fatal(d)
	}
	writeSimulated(t, campaigntest.Run(e, 2), measured) // who has half a CPU is half as fast

	if code := run([]string{"remedy", "--apply", measured, "--of", "m-io-05", pod}, term); code != exitGate {
		t.Errorf("a rejected remedy: exit code %d", code)
	}
	if code := run([]string{"remedy", "--apply", measured, pod}, term); code != exitDone {
		t.Fatalf("%d\n%s", code, conversation.String())
	}
	got, err := os.ReadFile(pod)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.ReplaceAll(throttledPod, "{cpu: 500m,", "{cpu: 1,"), string(got)); d != "" {
		t.Error(d)
	}
	conversation.Reset()
	if code := run([]string{"remedy", "--apply", measured, pod}, term); code != exitInvalid || !strings.Contains(conversation.String(), "has changed since the run") {
		t.Errorf("a second time: exit code %d, %s", code, conversation.String())
	}
}

// TestRemedyOfUnfinishedRun: an early look decides nothing.
func TestRemedyOfUnfinishedRun(t *testing.T) {
	e, err := experiment.Parse("shop.yaml", []byte(campaigntest.Spec))
	if err != nil {
		t.Fatal(err)
	}
	half := campaigntest.Run(e, 2)
	half.Trials = half.Trials[:5]
	dir := filepath.Join(t.TempDir(), "run")
	writeSimulated(t, half, dir)
	var out, conversation bytes.Buffer
	if code := run([]string{"remedy", dir}, &terminal{out: &out, err: &conversation}); code != exitInvalid || !strings.Contains(conversation.String(), "5 of 12 trials are complete") {
		t.Errorf("exit code %d, %s", code, conversation.String())
	}
}
