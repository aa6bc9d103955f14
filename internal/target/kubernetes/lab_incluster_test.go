//go:build lab

package kubernetes

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/record"
)

// labRun is a run of two trials.
const labRun = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: inside}
data: {tables: 1, rows: 1000}
load: {engine: tare, workload: oltp_point_select, threads: 1}
protocol: {rounds: 1, warmup: 0s, measure: 5s, aa: false}
baseline: one
arms:
  one: &pod {target: kubernetes, image: %q, volumeSize: 1Gi}
  two: {<<: *pod, config: {max_connections: 50}}
`

// firstLine ends a context with the first thing that is written. It embeds no buffer, whose
// WriteString io.WriteString would call.
type firstLine struct{ end context.CancelFunc }

func (f firstLine) Write(p []byte) (int, error) {
	f.end()
	return len(p), nil
}

// TestRunInCluster: a Job measures while nobody looks, and the run comes home.
func TestRunInCluster(t *testing.T) {
	admin := os.Getenv("TARE_TEST_ADMIN")
	if admin == "" {
		t.Skip("TARE_TEST_ADMIN names no kubeconfig that may create roles")
	}
	s := settings(t)
	r, err := ConnectRemote(Where{Kubeconfig: admin, Namespace: s.Namespace})
	if err != nil {
		t.Fatal(err)
	}
	run := InCluster{Name: fmt.Sprintf("tare-run-inside-%d", time.Now().Unix()), Image: ownImage(), Experiment: fmt.Appendf(nil, labRun, s.Image), Size: "1Gi"}
	if _, err := r.Start(t.Context(), run, os.Stderr); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Remove(context.Background(), run.Name, nil, os.Stderr); err != nil {
			t.Errorf("Remove: %v", err)
		}
	})
	first, end := context.WithCancel(t.Context())
	if _, err := r.Follow(first, run.Name, firstLine{end}, os.Stderr); err == nil {
		t.Fatal("following did not end with its context")
	}
	var out bytes.Buffer
	done, err := r.Follow(t.Context(), run.Name, &out, os.Stderr)
	if err != nil || done.State != "finished" {
		t.Fatalf("%+v, %v\n%s", done, err, out.String())
	}
	if strings.Count(out.String(), "outcome=measured") != 2 {
		t.Errorf("progress:\n%s", out.String())
	}
	dir := filepath.Join(t.TempDir(), "run")
	if err := r.Fetch(t.Context(), done, os.Stderr, func(in io.Reader) error { return record.Unpack(in, dir) }); err != nil {
		t.Fatal(err)
	}
	home, err := record.Open(dir)
	if err != nil || len(home.Trials) != 2 {
		t.Fatal(home, err)
	}
	for _, trial := range home.Trials {
		if trial.End.Outcome != record.Measured {
			t.Errorf("trial %d: %s: %s", trial.Header.Trial, trial.End.Outcome, trial.End.Reason)
		}
	}
}
