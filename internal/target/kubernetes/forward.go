package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"

	"github.com/tarebench/tare/internal/record"
)

// forward is a pod's port, forwarded through the API server and the kubelet to a port of this
// machine's loopback interface. When the link to the API server breaks, as when that restarts,
// it is made again, and connections that come meanwhile wait for it.
//
// One listener has the local port for the whole life of the forward. client-go's forwarder
// (tools/portforward) has a listener for each link: while there was none, another user of this
// machine could listen on the port, and clients would send the login of the server there.
type forward struct {
	port     int // of this machine
	remote   int // of the pod
	listener net.Listener
	requests atomic.Int64 // numbers the connections, for the kubelet
	stop     chan struct{}
	once     sync.Once
	done     chan struct{}

	mu      sync.Mutex
	link    httpstream.Connection // nil while there is none
	linked  chan struct{}         // closed when there is one
	dropped chan struct{}         // closed when the link is no longer used
}

// client-go waits for the API server without a limit (rest of the SPDY upgrade).
const (
	forwardWithin = 30 * time.Second
	closeWithin   = 5 * time.Second
)

// forwardTo listens, and returns when the pod's port is forwarded.
func forwardTo(c *cluster, pod string, port int) (*forward, error) {
	dialer, err := c.portForward(pod)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("forward port: %w", err)
	}
	f := &forward{
		port: l.Addr().(*net.TCPAddr).Port, remote: port, listener: l,
		stop: make(chan struct{}), done: make(chan struct{}), linked: make(chan struct{}),
	}
	first := make(chan error, 1)
	go f.keep(dialer, first)
	go f.accept()
	select {
	case err = <-first:
	case <-time.After(forwardWithin):
		err = errors.New(record.NoAnswerWithin.Say(forwardWithin.String()))
	}
	if err != nil {
		f.close()
		err = c.explain(err)
		return nil, record.ForwardPort.Wrap(err, strconv.Itoa(port), pod)
	}
	return f, nil
}

// dial connects to the pod's port.
func (f *forward) dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(f.port)))
}

// portForward is the connection upgraded to SPDY, which every API server speaks.
func (c *cluster) portForward(pod string) (httpstream.Dialer, error) {
	upgrade, upgrader, err := spdy.RoundTripperFor(c.config)
	if err != nil {
		return nil, fmt.Errorf("forward port: %w", err)
	}
	at, err := c.url("namespaces", c.namespace, "pods", pod, "portforward")
	if err != nil {
		return nil, err
	}
	return spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: upgrade}, http.MethodPost, at), nil
}

// url is an address below /api/v1 of the API server.
func (c *cluster) url(elements ...string) (*url.URL, error) {
	base, path, err := rest.DefaultServerUrlFor(c.config)
	if err != nil {
		return nil, fmt.Errorf("find API server: %w", err)
	}
	return base.JoinPath(append([]string{strings.TrimPrefix(path, "/"), "api", "v1"}, elements...)...), nil
}

// close ends the forwarding and waits until its link is closed, for a while.
func (f *forward) close() {
	f.once.Do(func() {
		close(f.stop)
		f.listener.Close()
	})
	select {
	case <-f.done:
	case <-time.After(closeWithin): // an API server that says nothing; its connection ends with the process
	}
}

// logs is what a container has printed, and with follow what it prints until its
// end.
func (c *cluster) logs(ctx context.Context, pod, container string, follow bool) (io.ReadCloser, error) {
	return c.logOf(ctx, pod, url.Values{"container": {container}, "follow": {strconv.FormatBool(follow)}})
}

// logOf is a log of a pod by the parameters of the API (Pod v1, "Read log of the specified Pod").
func (c *cluster) logOf(ctx context.Context, pod string, query url.Values) (io.ReadCloser, error) {
	at, err := c.url("namespaces", c.namespace, "pods", pod, "log")
	if err != nil {
		return nil, err
	}
	at.RawQuery = query.Encode()
	config := rest.CopyConfig(c.config)
	config.Timeout = 0 // a log that is followed lasts as long as its container
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("read log: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("read log: %w", err)
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("read log of pod %s: %w", pod, err)
	}
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 1000)) // the status says enough
		_ = answer.Body.Close()
		why := errors.New(answer.Status + ": " + strings.TrimSpace(string(text)))
		if answer.StatusCode == http.StatusForbidden { // which waiting does not change
			why = apierrors.NewForbidden(schema.GroupResource{Resource: "pods/log"}, pod, why)
		}
		return nil, fmt.Errorf("read log of pod %s: %w", pod, why)
	}
	return answer.Body, nil
}
