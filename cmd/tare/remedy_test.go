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

// measuredPod writes a pod's file and a run of its remedies; change is made to the text of the
// experiment before.
func measuredPod(t *testing.T, text string, change func(string) string) (pod, measured string) {
	t.Helper()
	dir := t.TempDir()
	spec := filepath.Join(dir, "like.yaml")
	pod, measured = filepath.Join(dir, "measured.yaml"), filepath.Join(dir, "run")
	writeText(t, spec, campaigntest.Spec)
	writeText(t, pod, text)
	var out, conversation bytes.Buffer
	if code := run([]string{"remedy", "--spec", spec, pod}, &terminal{out: &out, err: &conversation}); code != exitDone {
		t.Fatalf("%d\n%s", code, conversation.String())
	}
	e, err := experiment.Parse("remedy.yaml", []byte(change(out.String())))
	if err != nil {
		t.Fatal(err)
	}
	writeSimulated(t, campaigntest.Run(e, 2), measured)
	return pod, measured
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRemedyOfOneOfSeveral: of several databases with the same finding, the one is edited that
// has the settings of the baseline; of several with these settings none is.
func TestRemedyOfOneOfSeveral(t *testing.T) {
	fixed := func(text string) string { return strings.ReplaceAll(text, "{cpu: 500m,", "{cpu: 1,") }
	refused := func(text string) string { return strings.ReplaceAll(text, ", innodb_redo_log_capacity: 1G", "") }
	all := func(text string) string { // also where the server of this machine is too old for one of them
		return strings.ReplaceAll(refused(text), "{innodb_flush_neighbors: 1", "{innodb_flush_neighbors: 1, innodb_redo_log_capacity: 1G")
	}
	other := strings.ReplaceAll(throttledPod, "name: db}", "name: other}")
	larger := strings.ReplaceAll(other, "capacity=1G", "capacity=2G")
	withMore := strings.ReplaceAll(other, "args: [", "args: [--innodb-io-capacity=300, ")
	for _, c := range []struct {
		name, beside string
		change       func(string) string
		code         int
		says         string
	}{
		{"other settings before it", larger, all, exitDone, "fixed"},
		{"an option more before it", withMore, all, exitDone, "fixed"},
		{"the same settings", other, all, exitInvalid, "several databases have the settings that the run measured: Pod other ("},
		{"an option that the server refused", strings.ReplaceAll(other, "memory: 512Mi", "memory: 640Mi"), refused, exitDone, "fixed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pod, measured := measuredPod(t, throttledPod, c.change)
			beside := filepath.Join(filepath.Dir(pod), "a.yaml")
			writeText(t, beside, c.beside)
			var out, conversation bytes.Buffer
			code := run([]string{"remedy", "--apply", measured, beside, pod}, &terminal{out: &out, err: &conversation})
			if code != c.code || !strings.Contains(conversation.String(), c.says) {
				t.Errorf("exit code %d, %s", code, conversation.String())
			}
			want := map[string]string{beside: c.beside, pod: throttledPod}
			if c.code == exitDone {
				want[pod] = fixed(throttledPod)
			}
			for path, text := range want {
				if got, err := os.ReadFile(path); err != nil || string(got) != text {
					t.Errorf("%s: %v\n%s", filepath.Base(path), err, cmp.Diff(text, string(got)))
				}
			}
		})
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
