package kubernetes

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// standInAt is an API server without objects at an address, which can be one that another had.
func standInAt(t *testing.T, address string) *httptest.Server {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"apiVersion": "v1", "kind": "PodList", "metadata": {}, "items": []}`) // the client may have gone
	}))
	s.Listener.Close()
	s.Listener = l
	s.Start()
	return s
}

// TestSilence: an API server that stops answering is said once, with the reason, whichever arm asks how often, and once when it
// answers again.
func TestSilence(t *testing.T) {
	api := standInAt(t, "127.0.0.1:0")
	var mu sync.Mutex
	var said []Silence
	ctx := WithSilence(t.Context(), func(s Silence) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, s)
	})
	file := kubeconfigFor(t, api.URL)
	ask := func(ok bool) {
		t.Helper()
		for range 2 { // as two arms of a cluster do
			c, err := connect(Where{Kubeconfig: file, Namespace: "tare"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.scoped(pods).List(ctx, metav1.ListOptions{}); (err == nil) != ok {
				t.Fatalf("answered: %v, %v", err == nil, err)
			}
		}
	}
	before := time.Now()
	ask(true)
	api.Close()
	ask(false)
	back := standInAt(t, strings.TrimPrefix(api.URL, "http://"))
	defer back.Close()
	ask(true)
	if len(said) != 2 {
		t.Fatalf("said %v", said)
	}
	lost, again := said[0], said[1]
	want := "the Kubernetes API server " + api.URL + " has not answered since " + lost.Since.Format(time.TimeOnly) + ": nothing listens there (connection refused)"
	if lost.String() != want || lost.Since.Before(before) {
		t.Errorf("%s\nwant %s", lost, want)
	}
	want = "the Kubernetes API server " + api.URL + " answers again since " + again.Since.Format(time.TimeOnly)
	if again.String() != want || again.Since.Before(lost.Since) {
		t.Errorf("%s\nwant %s", again, want)
	}
}

// TestNoAnswer: a request that was given up says nothing of the API server.
func TestNoAnswer(t *testing.T) {
	for _, c := range []struct {
		err   error
		after time.Duration
		want  bool
	}{
		{context.Canceled, time.Minute, false},
		{&net.OpError{Op: "dial", Err: context.Canceled}, time.Second, false},
		{context.DeadlineExceeded, time.Second, false},
		{context.DeadlineExceeded, 30 * time.Second, true},
		{os.ErrDeadlineExceeded, 30 * time.Second, true},
		{&net.OpError{Op: "dial", Err: errors.New("refused")}, 0, true},
		{io.EOF, 0, true},
		{io.ErrUnexpectedEOF, 0, true},
		{errors.New("http2: client connection lost"), 0, true},
		{errors.New("unable to upgrade connection"), 0, false},
	} {
		if got := noAnswer(c.err, c.after); got != c.want {
			t.Errorf("%v after %s: %v", c.err, c.after, got)
		}
	}
}

// TestTimeoutIsSilence: the timeout of net/http's client, which is not that of the request's sender, is an API server that says nothing.
func TestTimeoutIsSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []string
		ctx := WithSilence(t.Context(), func(s Silence) { said = append(said, s.Why) })
		client := &http.Client{Timeout: 30 * time.Second, Transport: listener{"s", mute{}}}
		ask := func(ctx context.Context) {
			t.Helper()
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://s/", nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.Do(request); err == nil { //nolint:bodyclose // there is no answer
				t.Error("answered")
			}
		}
		given, cancel := context.WithCancel(ctx)
		go func() {
			time.Sleep(20 * time.Second)
			cancel()
		}()
		if ask(given); len(said) > 0 {
			t.Errorf("given up by its sender: said %q", said)
		}
		if ask(ctx); len(said) != 1 || said[0] != "no answer in time; a VPN or a firewall may be between" {
			t.Errorf("said %q", said)
		}
	})
}

// mute answers nothing, as net/http's own transport does of a server that is stopped.
type mute struct{}

func (mute) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-r.Cancel: //nolint:staticcheck // what the client closes
		return nil, errors.New(canceledByClient)
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// TestGatewayIsNoAnswer: a proxy whose API server is lost, and an API server whose kubelet is, answer alike.
func TestGatewayIsNoAnswer(t *testing.T) {
	var said []string
	ctx := WithSilence(t.Context(), func(s Silence) { said = append(said, s.String()) })
	ask := func(next http.RoundTripper) {
		answer, err := listener{"s", next}.RoundTrip(httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
		if err == nil {
			answer.Body.Close()
		}
	}
	ask(lost{})
	for status := range map[int]bool{http.StatusBadGateway: true, http.StatusServiceUnavailable: true, http.StatusGatewayTimeout: true} {
		ask(answering{&http.Response{StatusCode: status, Body: http.NoBody}})
	}
	if len(said) != 1 {
		t.Errorf("said %q", said)
	}
}

// answering answers every request alike.
type answering struct{ *http.Response }

func (a answering) RoundTrip(*http.Request) (*http.Response, error) { return a.Response, nil }

// lost has no answer to any request.
type lost struct{}

func (lost) RoundTrip(*http.Request) (*http.Response, error) { return nil, io.EOF }
