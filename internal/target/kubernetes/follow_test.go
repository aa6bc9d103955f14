package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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
			kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
			text := "{apiVersion: v1, kind: Config, clusters: [{name: c, cluster: {server: '" + api.URL + "'}}], contexts: [{name: c, context: {cluster: c}}], current-context: c}"
			if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			there, err := connect(Where{Kubeconfig: kubeconfig, Namespace: "tare"})
			if err != nil {
				t.Fatal(err)
			}
			s := &server{target: &Kubernetes{id: "tare-0", cluster: there}, request: target.Request{Name: "trial-1"}}
			err = s.loaders().follow(ctx, 0, func(int, []byte) error { return nil })
			if err == nil || errors.Is(err, target.ErrUnseen) != c.unseen {
				t.Errorf("follow: %v; nobody has seen the load: want %v", err, c.unseen)
			}
		})
	}
}
