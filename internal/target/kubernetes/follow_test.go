package kubernetes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/tarebench/tare/internal/target"
)

// TestSettling: a refusal right after it was allowed may pass; one that was never
// allowed, or no longer for a while, does not.
func TestSettling(t *testing.T) {
	forbidden := fmt.Errorf("list pods: %w", apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no role")))
	for _, c := range []struct {
		err     error
		allowed time.Time
		want    bool
	}{
		{forbidden, time.Now(), true},
		{forbidden, time.Time{}, false},
		{forbidden, time.Now().Add(-2 * retryFor), false},
		{apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, "db-0"), time.Now(), false},
		{nil, time.Now(), false},
	} {
		if got := settling(c.err, c.allowed); got != c.want {
			t.Errorf("settling(%v, %s): %v", c.err, c.allowed, got)
		}
	}
}

// TestFollowUnseen: where the API server does not answer until the time is over, nobody
// has seen the load; where it answers that there is no pod yet, somebody has looked.
func TestFollowUnseen(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		text   string
		unseen bool
	}{
		"away":       {http.StatusServiceUnavailable, "the server is starting", true},
		"no pod yet": {http.StatusOK, `{"apiVersion": "v1", "kind": "PodList", "metadata": {}, "items": []}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var asked atomic.Int64
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if asked.Add(1) == 2 { // the first has been answered
					cancel()
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.text)) // the client may have gone
			}))
			defer api.Close()
			there := clusterAt(t, api.URL)
			s := &server{target: &Kubernetes{id: "tare-0", cluster: there}, request: target.Request{Name: "trial-1"}}
			err := s.loaders().follow(ctx, 0, func(int, []byte) error { return nil })
			if err == nil || errors.Is(err, target.ErrUnseen) != c.unseen {
				t.Errorf("follow: %v; nobody has seen the load: want %v", err, c.unseen)
			}
		})
	}
}

// TestPassGoesOn: where the log of a pod that was lost with its node cannot be read, that of the pod after it is.
func TestPassGoesOn(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/pods/one/log"):
			w.WriteHeader(http.StatusInternalServerError)
		case strings.HasSuffix(r.URL.Path, "/pods/two/log"):
			fmt.Fprintln(w, "round 4 of 6")
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"apiVersion": "v1", "kind": "PodList", "metadata": {}, "items": [
				{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one", "creationTimestamp": "2026-01-01T00:00:00Z"}, "status": {"phase": "Failed"}},
				{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "two", "creationTimestamp": "2026-01-01T00:01:00Z"}, "status": {"phase": "Running"}}]}`)
		}
	}))
	defer api.Close()
	there := clusterAt(t, api.URL)
	var out bytes.Buffer
	f := &follower{remote: &Remote{cluster: there}, out: &out, note: &out, seen: map[string]int{}}
	if err := f.pass(t.Context(), "run"); err == nil {
		t.Error("nothing is said of the log that cannot be read")
	}
	if out.String() != "round 4 of 6\n" {
		t.Errorf("%q", out.String())
	}
}

// clusterAt is the cluster whose API server is at this address, without credentials.
func clusterAt(t *testing.T, server string) *cluster {
	t.Helper()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	text := "{apiVersion: v1, kind: Config, clusters: [{name: c, cluster: {server: '" + server + "'}}], contexts: [{name: c, context: {cluster: c}}], current-context: c}"
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	there, err := connect(Where{Kubeconfig: kubeconfig, Namespace: "tare"})
	if err != nil {
		t.Fatal(err)
	}
	return there
}
