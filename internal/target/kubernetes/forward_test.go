package kubernetes

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
)

// restarting is an API server that forwards ports to a server which sends back what it gets, and
// that can be away.
type restarting struct {
	mu       sync.Mutex
	away     bool
	attempts int // to connect while it was away
	links    []httpstream.Connection
	refusals map[string]httpstream.Stream // by connection
	refuse   int                          // so many connections: nobody listens yet
}

func (a *restarting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	away := a.away
	if away {
		a.attempts++
	}
	a.mu.Unlock()
	if away {
		status(w, http.StatusServiceUnavailable, "ServiceUnavailable", "restarting")
		return
	}
	if _, err := httpstream.Handshake(r, w, []string{"portforward.k8s.io"}); err != nil {
		return
	}
	link := spdy.NewResponseUpgrader().UpgradeResponse(w, r, a.stream)
	if link == nil {
		return
	}
	a.mu.Lock()
	a.links = append(a.links, link)
	a.mu.Unlock()
	<-link.CloseChan()
}

// stream gets the two streams of a connection, that of the refusal first.
func (a *restarting) stream(s httpstream.Stream, replied <-chan struct{}) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	id := s.Headers().Get(corev1.PortForwardRequestIDHeader)
	if s.Headers().Get(corev1.StreamType) == corev1.StreamTypeError {
		a.refusals[id] = s
		return nil
	}
	refusal := a.refusals[id]
	if a.refuse > 0 {
		a.refuse--
		go func() {
			<-replied
			_, _ = io.WriteString(refusal, "connection refused")
			_ = refusal.Close()
			_ = s.Close()
		}()
		return nil
	}
	go func() {
		<-replied
		_, _ = io.Copy(s, s)
		_ = s.Close()
		_ = refusal.Close()
	}()
	return nil
}

// leave breaks all links and takes no more.
func (a *restarting) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.away = true
	for _, l := range a.links {
		_ = l.Close()
	}
}

func (a *restarting) comeBack() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.away = false
}

// attempted is how often the forward has tried to connect to it while it was away.
func (a *restarting) attempted() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.attempts
}

// restartingCluster is a cluster with that API server.
func restartingCluster(t *testing.T) (*restarting, *cluster) {
	t.Helper()
	a := &restarting{refusals: map[string]httpstream.Stream{}}
	server := httptest.NewServer(a)
	t.Cleanup(func() {
		a.leave()
		server.Close()
	})
	return a, &cluster{holds: &holdings{}, config: &rest.Config{Host: server.URL}, namespace: "tare"}
}

// echoes sends a word over a connection and compares what comes back.
func echoes(t *testing.T, conn net.Conn, word string) {
	t.Helper()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(word))
	if _, err := io.WriteString(conn, word); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != word {
		t.Fatalf("%q came back for %q: %v", got, word, err)
	}
}

// TestForwardKeepsItsPort: no other process can listen on the local port while the API server is
// away, and a connection that is made meanwhile is forwarded when it is back.
func TestForwardKeepsItsPort(t *testing.T) {
	a, c := restartingCluster(t)
	f, err := forwardTo(c, "db-0", 3306)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	before, err := f.dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	echoes(t, before, "before")
	a.leave()
	for a.attempted() < 2 {
		other, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(f.port)))
		if err == nil {
			other.Close()
			t.Fatal("the port was free while the API server was away")
		}
		time.Sleep(10 * time.Millisecond)
	}
	waiting, err := f.dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer waiting.Close()
	a.comeBack()
	echoes(t, waiting, "after")
	if _, err := before.Read(make([]byte, 1)); err == nil {
		t.Error("a connection of the broken link is open")
	}
}

// TestForwardRefused: connections that come right after one that the pod refused are forwarded, in less time than SPDY
// waits for a link that is being closed.
func TestForwardRefused(t *testing.T) {
	a, c := restartingCluster(t)
	a.refuse = 2
	f, err := forwardTo(c, "db-0", 3306)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	for range 2 {
		conn, err := f.dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Fatalf("a refused connection: %v, want its end", err)
		}
	}
	conn, err := f.dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	echoes(t, conn, "accepted")
}

// TestForwardCloses: after its close a forward has neither its port nor open connections, and one
// to an API server that is away is an error.
func TestForwardCloses(t *testing.T) {
	a, c := restartingCluster(t)
	f, err := forwardTo(c, "db-0", 3306)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := f.dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	echoes(t, conn, "open")
	f.close()
	f.close() // a second one is no error
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("a connection is open after the forward was closed")
	}
	if late, err := f.dial(t.Context()); err == nil {
		late.Close()
		t.Error("the port is open after the forward was closed")
	}
	a.leave()
	if f, err := forwardTo(c, "db-0", 3306); err == nil {
		f.close()
		t.Error("a port was forwarded by an API server that was away")
	}
}
