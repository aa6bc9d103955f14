package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/target/kubernetes"
)

// TestRemovedLine: where there was nothing to remove, clean says so; where something could not be removed it does not.
func TestRemovedLine(t *testing.T) {
	for _, c := range []struct {
		n    int
		err  error
		want string
	}{
		{0, nil, "0 removed: killed runs have left nothing here"},
		{0, errors.New("busy"), "0 removed"},
		{2, nil, "2 removed"},
	} {
		if got := removedLine(c.n, c.err); got != c.want {
			t.Errorf("%d, %v: %q, want %q", c.n, c.err, got, c.want)
		}
	}
}

// stateWithData is a state directory with 1.5 MiB of prepared data, and the directory of the data.
func stateWithData(t *testing.T) (state, data string) {
	t.Helper()
	state = t.TempDir()
	data = filepath.Join(state, "data")
	if err := os.MkdirAll(filepath.Join(data, "seed"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "seed", "ibdata1"), make([]byte, 3<<19), 0o600); err != nil {
		t.Fatal(err)
	}
	return state, data
}

// TestCleanDataSays: prepared data that are removed are named with their size, and do not count as leftovers of runs.
func TestCleanDataSays(t *testing.T) {
	state, data := stateWithData(t)
	for _, want := range []string{data + " removed, 1.5 MiB\n", "no prepared data and no unpacked images are here\n"} {
		var out, errs bytes.Buffer
		if code := run([]string{"clean", "--data", "--state", state}, &terminal{out: &out, err: &errs}); code != 0 || !strings.HasSuffix(out.String(), want) {
			t.Errorf("exit %d: %s%s, want %q", code, out.String(), errs.String(), want)
		}
	}
}

// TestCleanNamesWhatItLeaves: prepared data that stay are named with their size and what removes them, and so is what is
// in clusters.
func TestCleanNamesWhatItLeaves(t *testing.T) {
	state, data := stateWithData(t)
	var out, errs bytes.Buffer
	if code := run([]string{"clean", "--state", state}, &terminal{out: &out, err: &errs}); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	for _, want := range []string{data + " is left, 1.5 MiB of what tare prepared for the next run; remove it with: tare clean --data\n", "tare clean --namespace NAMESPACE\n"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("%q lacks %q", errs.String(), want)
		}
	}
	if _, err := os.Stat(data); err != nil {
		t.Error(err)
	}
}

// TestCleanClusterSays: where something is not removed, it is not said that there was nothing.
func TestCleanClusterSays(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		items := ""
		if strings.HasSuffix(r.URL.Path, "/persistentvolumeclaims") && r.URL.Query().Get("labelSelector") == "tarebench.io/run" {
			items = `{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"tare-run-x","labels":{"tarebench.io/run":"tare-run-x"}},"status":{"phase":"Bound"}}`
		}
		if strings.HasSuffix(r.URL.Path, "/jobs") && r.URL.Query().Get("labelSelector") == "tarebench.io/run" {
			items = `{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"tare-run-y","labels":{"tarebench.io/run":"tare-run-y"}},"status":{"conditions":[{"type":"Failed","status":"True"}]}}`
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"kind":"List","apiVersion":"v1","items":[%s]}`, items)
	}))
	defer server.Close()
	config := filepath.Join(t.TempDir(), "config")
	text := "{apiVersion: v1, kind: Config, clusters: [{name: c, cluster: {server: '" + server.URL + "'}}], contexts: [{name: c, context: {cluster: c}}], current-context: c}"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if err := cleanCluster(t.Context(), &terminal{out: &out, err: &errs}, kubernetes.Where{Kubeconfig: config, Namespace: "tare"}, false); err != nil {
		t.Fatal(err)
	}
	if out.String() != "0 removed\n" {
		t.Error(out.String())
	}
	for _, want := range []string{"run tare-run-x has no Job and is not removed", "run tare-run-y (failed) is left; fetch and remove it with: tare fetch tare-run-y --delete --namespace tare --kubeconfig " + config + "\n"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("%q lacks %q", errs.String(), want)
		}
	}
}

// TestCleanClusterNames: each object that is removed has a line, as of kubectl, and the last line is their number.
func TestCleanClusterNames(t *testing.T) {
	k := &killedInPod{}
	server := httptest.NewServer(k)
	defer server.Close()
	config := filepath.Join(t.TempDir(), "config")
	text := "{apiVersion: v1, kind: Config, clusters: [{name: c, cluster: {server: '" + server.URL + "'}}], contexts: [{name: c, context: {cluster: c}}], current-context: c}"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run([]string{"clean", "--force", "--kubeconfig", config, "--namespace", "tare"}, &terminal{out: &out, err: &errs}); code != exitDone || out.String() != "statefulset/tare-00000001 removed\n1 removed\n" {
		t.Errorf("exit %d: %s%s", code, out.String(), errs.String())
	}
}
