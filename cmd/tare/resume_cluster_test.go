package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// killedInPod is an API server with a StatefulSet of a run that was killed. It refuses to be
// asked for permissions, as one that has just started.
type killedInPod struct {
	mu    sync.Mutex
	keeps bool // refuses to delete
	gone  bool
	asked []string // what was deleted, and "permissions"
}

func (k *killedInPod) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	answer := func(code int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(v) // the client's to notice
	}
	switch {
	case strings.Contains(r.URL.Path, "selfsubjectaccessreviews"):
		k.asked = append(k.asked, "permissions")
		answer(http.StatusServiceUnavailable, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "ServiceUnavailable", "code": 503, "message": "starting"})
	case r.Method == http.MethodDelete && k.keeps:
		answer(http.StatusForbidden, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403, "message": "you may not"})
	case r.Method == http.MethodDelete:
		k.gone, k.asked = true, append(k.asked, filepath.Base(r.URL.Path))
		answer(http.StatusOK, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Success"})
	default:
		items := []any{}
		if !k.gone && strings.HasSuffix(r.URL.Path, "/statefulsets") {
			items = append(items, map[string]any{"kind": "StatefulSet", "apiVersion": "apps/v1",
				"metadata": map[string]any{"name": "tare-00000001", "namespace": "tare", "labels": map[string]any{"tarebench.io/arm": "tare-00000001"}}})
		}
		answer(http.StatusOK, map[string]any{"kind": "List", "apiVersion": "v1", "items": items})
	}
}

const killedSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: killed}
load: {engine: tare, workload: oltp_point_select, threads: 1}
protocol: {rounds: 1, warmup: 0s, measure: 1s, aa: false}
baseline: a
arms:
  a: &pod {target: kubernetes, image: m, kubeconfig: %s, namespace: tare}
  b: {<<: *pod}
`

// TestResumedRunRemovesFirst: a resumed run removes the arms of the process before it and then
// asks the cluster for anything else. A cluster that does not answer is no invalid experiment: a
// Job of a cluster, which does not repeat a pod that exits with 2, tries again.
func TestResumedRunRemovesFirst(t *testing.T) {
	t.Parallel()
	k := &killedInPod{}
	code, said := k.resumed(t)
	if code != exitFailed || !strings.Contains(said, "removing tare-00000001") || !strings.Contains(said, "starting") {
		t.Errorf("exit %d: %s", code, said)
	}
	if len(k.asked) < 2 || k.asked[0] != "tare-00000001" || k.asked[1] != "permissions" {
		t.Errorf("asked: %v", k.asked)
	}
}

// TestResumedRunAsksOnce: what cannot be removed is waited for once, and not once for each arm of
// the experiment.
func TestResumedRunAsksOnce(t *testing.T) {
	t.Parallel()
	k := &killedInPod{keeps: true}
	code, said := k.resumed(t)
	if n := strings.Count(said, "removing tare-00000001"); code != exitFailed || n != 1 || !strings.Contains(said, "you may not") || len(k.asked) > 0 {
		t.Errorf("exit %d, removed %d times, asked: %v: %s", code, n, k.asked, said)
	}
}

// resumed resumes the run of two arms that was killed.
func (k *killedInPod) resumed(t *testing.T) (code int, said string) {
	t.Helper()
	server := httptest.NewServer(k)
	defer server.Close()
	dir := t.TempDir()
	kubeconfig, run1 := filepath.Join(dir, "kubeconfig"), filepath.Join(dir, "run")
	text := "{apiVersion: v1, kind: Config, clusters: [{name: c, cluster: {server: '" + server.URL + "'}}], contexts: [{name: c, context: {cluster: c}}], current-context: c}"
	e, err := experiment.Parse("x.yaml", fmt.Appendf(nil, killedSpec, kubeconfig))
	if err == nil {
		err = errors.Join(os.WriteFile(kubeconfig, []byte(text), 0o600), record.Create(run1, e, experiment.NewPlan(e)), record.AddArm(run1, "tare-00000001"))
	}
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code = run([]string{"run", "--resume", run1}, &terminal{out: &out, err: &errs, stateDir: filepath.Join(dir, "state")})
	return code, errs.String()
}

// TestUnavailableIsNoMistake: what is not available is exit code 3, also with several of that kind,
// and one mistake of the file beside it is 2.
func TestUnavailableIsNoMistake(t *testing.T) {
	e, err := experiment.Parse("x.yaml", fmt.Appendf(nil, killedSpec, "/k"))
	if err != nil {
		t.Fatal(err)
	}
	away := target.FieldError{Field: "kubeconfig", Err: target.Unavailable{Err: errors.New("connection refused")}}
	for want, err := range map[int]error{
		exitFailed:  asProblems(e.Arms[0], errors.Join(away, target.Unavailable{Err: away})).Err(),
		exitInvalid: asProblems(e.Arms[0], errors.Join(away, target.Wrong("cpu", "no amount"))).Err(),
	} {
		if code := exitCode(err); code != want || !strings.Contains(err.Error(), "arms.a.kubeconfig: connection refused") {
			t.Errorf("exit code %d, want %d: %v", code, want, err)
		}
	}
}

// TestUnreachableServer: an external server that does not answer is exit code 3.
func TestUnreachableServer(t *testing.T) {
	t.Setenv("TARE_TEST_PASSWORD", "x")
	spec := filepath.Join(t.TempDir(), "x.yaml")
	text := strings.Replace(fmt.Sprintf(killedSpec, ""), "target: kubernetes, image: m, kubeconfig: , namespace: tare", "target: external, host: 127.0.0.1, port: 1, user: u, passwordEnv: TARE_TEST_PASSWORD", 1)
	if err := os.WriteFile(spec, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run([]string{"check", spec}, &terminal{out: &out, err: &errs, stateDir: t.TempDir()}); code != exitFailed || !strings.Contains(errs.String(), "connect to 127.0.0.1:1") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}

// TestUnreachableSources: what `tare explain` watches and what data.from clones are no mistakes either
// if they do not answer.
func TestUnreachableSources(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kubeconfig, spec := filepath.Join(dir, "kubeconfig"), filepath.Join(dir, "x.yaml")
	cluster := "{apiVersion: v1, kind: Config, clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}], contexts: [{name: c, context: {cluster: c}}], current-context: c}"
	text := fmt.Appendf(nil, `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: away}
database: {rootfs: %s}
data: {from: {clone: {host: 127.0.0.1, port: 1, user: donor}}}
load: {threads: 1}
baseline: a
arms: {a: {target: process}, b: {target: process}}
`, testRootfs(t))
	if err := errors.Join(os.WriteFile(kubeconfig, []byte(cluster), 0o600), os.WriteFile(spec, text, 0o644)); err != nil {
		t.Fatal(err)
	}
	for says, command := range map[string][]string{
		"the API server of context c, http://127.0.0.1:1, does not answer": {"explain", "-n", "shop", "db-0", "--kubeconfig", kubeconfig},
		"ask the server to clone": {"check", spec},
	} {
		var out, errs bytes.Buffer
		if code := run(command, &terminal{out: &out, err: &errs, stateDir: filepath.Join(dir, "state")}); code != exitFailed || !strings.Contains(errs.String(), says) {
			t.Errorf("%v: exit %d: %s", command, code, errs.String())
		}
	}
}
