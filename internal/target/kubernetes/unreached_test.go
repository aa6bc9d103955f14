package kubernetes

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"k8s.io/client-go/rest"
)

// TestUnreached: what a person reads of a cluster that gives no answer names the context, the server and the
// reason, and neither a path of the API nor a system call.
func TestUnreached(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	foreign := httptest.NewUnstartedServer(http.NotFoundHandler())
	foreign.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handshake that the client ends
	foreign.StartTLS()
	defer foreign.Close()
	for server, want := range map[string]string{
		"https://127.0.0.1:1":                       "does not answer: nothing listens there (connection refused)",
		"https://" + plain.Listener.Addr().String(): "does not answer: it does not speak TLS",
		foreign.URL: "is not trusted: x509: certificate signed by unknown authority",
		plain.URL:   "answers, but not as an API server of Kubernetes",
	} {
		at := Where{Kubeconfig: kubeconfigFor(t, server)}
		_, surveyed := Look(t.Context(), at, "")
		_, cleaned := Clean(t.Context(), at, false, io.Discard, func(string) {})
		remote, err := ConnectRemote(at)
		if err != nil {
			t.Fatal(err)
		}
		_, listed := remote.Runs(t.Context())
		_, explained := FindPod(t.Context(), at, "db-0", "")
		for verb, err := range map[string]error{
			"demo": surveyed, "clean": cleaned, "fetch": listed, "explain": explained, "check": checked(t, Settings{Image: "m", Kubeconfig: at.Kubeconfig}),
		} {
			if err == nil {
				t.Errorf("%s, %s: no error", server, verb)
				continue
			}
			said := err.Error()
			for _, part := range []string{"the API server of context c, " + server, want} {
				if !strings.Contains(said, part) {
					t.Errorf("%s, %s: %s\nwant %q", server, verb, said, part)
				}
			}
			for _, part := range []string{"/api", "dial tcp", "?timeout", "namespace tare", "does not answer: tls"} {
				if strings.Contains(said, part) {
					t.Errorf("%s, %s: %s\nhas %q", server, verb, said, part)
				}
			}
		}
	}
}

// TestUnreachedReasons: what cannot be made here without a network: names, routes and time.
func TestUnreachedReasons(t *testing.T) {
	c := &cluster{holds: &holdings{}, config: &rest.Config{Host: "https://db.example.com"}, context: "staging"}
	for want, cause := range map[string]error{
		"its host name cannot be resolved":                      &net.DNSError{Err: "no such host", Name: "db.example.com", IsNotFound: true},
		"there is no route to it from this machine":             &net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH},
		"the connection was closed (connection reset)":          &net.OpError{Op: "read", Err: syscall.ECONNRESET},
		"no answer in time; a VPN or a firewall may be between": context.DeadlineExceeded,
		"getting credentials: exec: no such file":               errors.New("getting credentials: exec: no such file"),
	} {
		got := c.explain(&url.Error{Op: "Post", URL: "https://db.example.com/apis", Err: cause})
		if want = "the API server of context staging, https://db.example.com, does not answer: " + want; got.Error() != want {
			t.Errorf("%v\nwant %s", got, want)
		}
	}
	if got := c.explain(&url.Error{Op: "Post", URL: "https://db.example.com/apis", Err: context.Canceled}); isA[Unreached](got) {
		t.Errorf("an interrupted request: %v", got)
	}
}

// TestNotFound: a kubeconfig that names no cluster is an error of its own, which says what it has.
func TestNotFound(t *testing.T) {
	there := kubeconfigFor(t, "https://127.0.0.1:1")
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("a: [b"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   Where
		want string
	}{
		{Where{Kubeconfig: there, Context: "moon"}, `find cluster: context "moon" does not exist; the kubeconfig has c`},
		{Where{Kubeconfig: "/no/such/file"}, "find cluster: kubeconfig /no/such/file does not exist"},
		{Where{Kubeconfig: broken}, broken},
		{Where{Kubeconfig: empty}, "find cluster: there is no kubeconfig; name one with --kubeconfig FILE or the variable KUBECONFIG"},
		{Where{Kubeconfig: empty, Context: "moon"}, `context "moon" does not exist; the kubeconfig has no contexts`},
	} {
		_, err := connect(c.at)
		if !isA[NotFound](err) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "stat ") {
			t.Errorf("%v: %v\nwant %s", c.at, err, c.want)
		}
	}
}

// TestNoKubeconfig: a path of the variable KUBECONFIG without a file is named.
func TestNoKubeconfig(t *testing.T) {
	t.Setenv("KUBECONFIG", "/no/such/file")
	const want = "find cluster: there is no kubeconfig: /no/such/file does not exist; name one with --kubeconfig FILE or the variable KUBECONFIG"
	if _, err := connect(Where{}); !isA[NotFound](err) || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// TestNoSuchPod: a pod that is not there is said so, and no advice is given about the namespace.
func TestNoSuchPod(t *testing.T) {
	_, err := FindPod(t.Context(), Where{Kubeconfig: guardedCluster(t, &guarded{}), Namespace: "tare"}, "db-1", "")
	if err == nil || err.Error() != "there is no pod db-1 in namespace tare" {
		t.Error(err)
	}
}
