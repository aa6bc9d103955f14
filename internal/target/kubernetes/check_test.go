package kubernetes

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

// checked is the first error of the check of an arm.
func checked(t *testing.T, s Settings) error {
	t.Helper()
	made, err := New(func(into any) error { *into.(*Settings) = s; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return errors.Join(made.Check(t.Context())...)
}

// pluginKubeconfig names a program for the credentials that is not installed.
func pluginKubeconfig(t *testing.T, server string) string {
	t.Helper()
	path := kubeconfigFor(t, server)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("context: {cluster: c}", "context: {cluster: c, user: u}", "cluster: {server:", "cluster: {insecure-skip-tls-verify: true, server:").Replace(string(b))
	text = strings.TrimSuffix(text, "}") + ", users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: /no/such/plugin, interactiveMode: Never}}}]}"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestUnavailableCluster: an API server that does not answer, and nodes that are in use, are no
// mistakes of the experiment; a request above every node is one, and so is a kubeconfig with the CA
// of another cluster, or with a credential plugin that is not there.
func TestUnavailableCluster(t *testing.T) {
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		status(w, http.StatusServiceUnavailable, "ServiceUnavailable", "starting")
	}))
	defer away.Close()
	others := httptest.NewUnstartedServer(http.NotFoundHandler())
	others.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handshake that the client ends
	others.StartTLS()
	defer others.Close()
	g := &guarded{}
	there := guardedCluster(t, g)
	for name, c := range map[string]struct {
		settings    Settings
		cordoned    bool
		unavailable bool
	}{
		"nobody listens":  {Settings{Image: "m", Kubeconfig: kubeconfigFor(t, "http://127.0.0.1:1")}, false, true},
		"it is starting":  {Settings{Image: "m", Kubeconfig: kubeconfigFor(t, away.URL)}, false, true},
		"another CA":      {Settings{Image: "m", Kubeconfig: kubeconfigFor(t, others.URL)}, false, false},
		"no plugin":       {Settings{Image: "m", Kubeconfig: pluginKubeconfig(t, others.URL)}, false, false},
		"no kubeconfig":   {Settings{Image: "m", Kubeconfig: "/no/such/file"}, false, false},
		"a cordoned node": {Settings{Image: "m", QoS: node.Guaranteed, CPU: 1000, Memory: 1 << 30, Kubeconfig: there, Namespace: "tare"}, true, true},
		"above all nodes": {Settings{Image: "m", QoS: node.Guaranteed, CPU: 56000, Memory: 1 << 30, Kubeconfig: there, Namespace: "tare"}, false, false},
	} {
		g.mu.Lock()
		nested(g.objects["/api/v1/nodes/n1"], "spec")["unschedulable"] = c.cordoned
		g.mu.Unlock()
		err := checked(t, c.settings)
		if err == nil || !errors.As(err, &target.FieldError{}) || errors.As(err, &target.Unavailable{}) != c.unavailable {
			t.Errorf("%s: %v, want unavailable: %v", name, err, c.unavailable)
		}
	}
	l, err := loadOf(FromSettings{Image: "tare:1", Kubeconfig: kubeconfigFor(t, "http://127.0.0.1:1")})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Check(t.Context())...); !errors.As(err, &target.Unavailable{}) {
		t.Errorf("the load: %v", err)
	}
}
