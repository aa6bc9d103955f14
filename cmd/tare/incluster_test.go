package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/target/kubernetes"
)

// TestTellOthers: whoever starts a run in a namespace is told of the runs that are under way there, and of no others.
func TestTellOthers(t *testing.T) {
	job := func(name, status string) string {
		return fmt.Sprintf(`{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":%q,"labels":{"tarebench.io/run":%q}},"status":%s}`, name, name, status)
	}
	ended := job("ended", `{"conditions":[{"type":"Complete","status":"True"}]}`)
	for jobs, want := range map[string]string{
		"":                               "",
		ended:                            "",
		ended + "," + job("first", "{}"): "namespace bench has 1 run under way: first. ",
		job("first", "{}") + "," + job("second", `null`): "namespace bench has 2 runs under way: ",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"kind":"List","apiVersion":"v1","items":[%s]}`, jobs)
		}))
		defer server.Close()
		config := filepath.Join(t.TempDir(), "config")
		text := "{apiVersion: v1, kind: Config, clusters: [{name: c, cluster: {server: '" + server.URL + "'}}], contexts: [{name: c, context: {cluster: c}}], current-context: c}"
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		remote, err := kubernetes.ConnectRemote(kubernetes.Where{Kubeconfig: config, Namespace: "bench"})
		if err != nil {
			t.Fatal(err)
		}
		var errs bytes.Buffer
		if err := tellOthers(t.Context(), &terminal{err: &errs}, remote); err != nil {
			t.Fatal(err)
		}
		if (want == "") != (errs.Len() == 0) || !strings.Contains(errs.String(), want) {
			t.Errorf("%q, want %q", errs.String(), want)
		}
	}
}
