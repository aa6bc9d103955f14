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
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
)

// forward is a pod's port, forwarded through the API server and the kubelet to a
// port of this machine's loopback interface. When it breaks, as
// when the API server restarts, it is made again.
type forward struct {
	port int
	stop chan struct{}
	once sync.Once
	done chan struct{}
}

// client-go waits for the API server without a limit (rest of the SPDY upgrade).
const (
	forwardWithin = 30 * time.Second
	closeWithin   = 5 * time.Second
)

// forwardTo listens; a connection that comes before the port is forwarded waits for
// the next attempt of its client.
func forwardTo(c *cluster, pod string, port int) (*forward, error) {
	// The port is kept over reconnections, because it is in an Address by then.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("forward port: %w", err)
	}
	f := &forward{port: l.Addr().(*net.TCPAddr).Port, stop: make(chan struct{}), done: make(chan struct{})}
	if err := l.Close(); err != nil {
		return nil, fmt.Errorf("forward port: %w", err)
	}
	dialer, err := c.portForward(pod)
	if err != nil {
		return nil, err
	}
	first := make(chan error, 1)
	go f.keep(dialer, port, first)
	select {
	case err = <-first:
	case <-time.After(forwardWithin):
		err = fmt.Errorf("no answer within %s", forwardWithin)
	}
	if err != nil {
		f.close()
		return nil, fmt.Errorf("forward port %d of pod %s: %w", port, pod, c.explain(err))
	}
	return f, nil
}

// dial connects to the pod's port.
func (f *forward) dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(f.port)))
}

// portForward is the connection upgraded to SPDY, which every API server speaks.
func (c *cluster) portForward(pod string) (*spdyDialer, error) {
	upgrade, upgrader, err := spdy.RoundTripperFor(c.config)
	if err != nil {
		return nil, fmt.Errorf("forward port: %w", err)
	}
	at, err := c.url("namespaces", c.namespace, "pods", pod, "portforward")
	if err != nil {
		return nil, err
	}
	return &spdyDialer{upgrader, &http.Client{Transport: upgrade}, at}, nil
}

type spdyDialer struct {
	upgrader spdy.Upgrader
	client   *http.Client
	at       *url.URL
}

// url is an address below /api/v1 of the API server.
func (c *cluster) url(elements ...string) (*url.URL, error) {
	base, path, err := rest.DefaultServerUrlFor(c.config)
	if err != nil {
		return nil, fmt.Errorf("find API server: %w", err)
	}
	return base.JoinPath(append([]string{strings.TrimPrefix(path, "/"), "api", "v1"}, elements...)...), nil
}

// keep forwards the port until it is closed. first gets how the first attempt
// went.
func (f *forward) keep(d *spdyDialer, port int, first chan<- error) {
	defer close(f.done)
	for {
		ready := make(chan struct{})
		dialer := spdy.NewDialer(d.upgrader, d.client, http.MethodPost, d.at)
		p, err := portforward.NewOnAddresses(dialer, []string{"127.0.0.1"}, []string{fmt.Sprintf("%d:%d", f.port, port)}, f.stop, ready, io.Discard, io.Discard)
		if err == nil {
			go func() {
				select {
				case <-ready:
					tell(first, nil)
				case <-f.stop:
				}
			}()
			err = p.ForwardPorts()
		}
		tell(first, err)
		select {
		case <-f.stop:
			return
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// tell sends the first word and drops all later ones.
func tell(first chan<- error, err error) {
	select {
	case first <- err:
	default:
	}
}

// close ends the forwarding and waits until its port is free, for a while.
func (f *forward) close() {
	f.once.Do(func() { close(f.stop) })
	select {
	case <-f.done:
	case <-time.After(closeWithin): // an API server that says nothing; its connection ends with the process
	}
}

// logs is what a container has printed, and with follow what it prints until its
// end.
func (c *cluster) logs(ctx context.Context, pod, container string, follow bool) (io.ReadCloser, error) {
	at, err := c.url("namespaces", c.namespace, "pods", pod, "log")
	if err != nil {
		return nil, err
	}
	at.RawQuery = url.Values{"container": {container}, "follow": {strconv.FormatBool(follow)}}.Encode()
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
