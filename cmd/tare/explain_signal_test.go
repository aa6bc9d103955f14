package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestExplainRemovesItsProbePod: a signal to an explain that makes a probe pod ends its context, so
// that the pod is deleted. One that makes nothing ends at once.
func TestExplainRemovesItsProbePod(t *testing.T) {
	t.Parallel()
	asked := make(chan bool, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- true
		<-r.Context().Done() // of the connection, which ends with the process
	}))
	defer server.Close()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	text := "{apiVersion: v1, kind: Config, clusters: [{name: c, cluster: {server: '" + server.URL + "'}}], contexts: [{name: c, context: {cluster: c}}], current-context: c}"
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, more := range [][]string{{"--probe-namespace", "tare-probe", "--image", "tare:1"}, {"--probe-namespace", "tare-probe"}, nil} {
		args := append([]string{"explain", "-n", "shop", "db-0", "--kubeconfig", kubeconfig}, more...)
		code, said := signalled(t, asked, syscall.SIGINT, args...) // it has asked for the pod
		if code != 130 || strings.Contains(said, "removing what this command started") != (more != nil) {
			t.Errorf("explain %v: exit %d: %s", more, code, said)
		}
	}
	// A check builds the network of an arm in namespaces of its own.
	if slices.Contains(holdsNothing(), "check") {
		t.Error("a signal would leave what a check has built")
	}
}
