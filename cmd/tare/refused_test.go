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

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// TestRefusedCredentials: credentials that an API server does not take are exit code 2 of every verb, as each other mistake that
// the user has to correct first; one that does not answer is 3.
func TestRefusedCredentials(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Unauthorized", "code": 401, "message": "Unauthorized"}`)) // the client may have gone
	}))
	defer api.Close()
	for server, want := range map[string]struct {
		code int
		says string
	}{
		api.URL:              {exitInvalid, "the credentials of the kubeconfig are not valid any more"},
		"http://127.0.0.1:1": {exitFailed, "does not answer: nothing listens there"},
	} {
		dir := t.TempDir()
		kubeconfig, spec, inside := filepath.Join(dir, "kubeconfig"), filepath.Join(dir, "x.yaml"), filepath.Join(dir, "inside.yaml")
		text := "{apiVersion: v1, kind: Config, clusters: [{name: c, cluster: {server: '" + server + "'}}], contexts: [{name: c, context: {cluster: c}}], current-context: c}"
		if err := errors.Join(os.WriteFile(kubeconfig, []byte(text), 0o600), os.WriteFile(spec, fmt.Appendf(nil, killedSpec, kubeconfig), 0o644),
			os.WriteFile(inside, []byte(strings.Replace(killedSpec, ", kubeconfig: %s, namespace: tare", "", 1)), 0o644)); err != nil {
			t.Fatal(err)
		}
		for _, verb := range []string{
			"check " + spec, "run " + spec, "run --in-cluster --image tare:1 " + inside, "fetch", "fetch some-run", "fetch some-run --wait", "fetch some-run --delete",
			"clean", "demo --kubernetes --yes", "init --kubernetes " + filepath.Join(dir, "first.yaml"), "explain db-0", "init " + filepath.Join(dir, "op.yaml") + " --operator perconaservermysql/db",
		} {
			args := strings.Fields(verb)
			if args[len(args)-1] != spec {
				args = append(args, "--kubeconfig", kubeconfig, "--namespace", "shop")
			}
			var out, errs bytes.Buffer
			if code := run(args, &terminal{out: &out, err: &errs, stateDir: filepath.Join(dir, "state")}); code != want.code || !strings.Contains(errs.String(), want.says) {
				t.Errorf("tare %s: exit %d, want %d and %q:\n%s%s", strings.Join(args, " "), code, want.code, want.says, out.String(), errs.String())
			}
		}
	}
	late := begun{apierrors.NewUnauthorized("expired")}
	if code := exitCode(late); code != exitFailed {
		t.Errorf("a run that had begun: exit %d", code)
	}
}
