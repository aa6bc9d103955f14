package kubernetes

// The link of a forwarded port: the connection to the API server on which every connection to the
// port has two streams.

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/streaming/pkg/httpstream"
)

const (
	// linkAfter is the time between two links.
	linkAfter = 500 * time.Millisecond
	// linkWithin is how long a connection waits for a link. Clients have limits of their own.
	linkWithin = 10 * time.Second
)

// keep makes the link, and makes it again when it breaks, until the forward is closed. first
// gets how the first attempt went.
func (f *forward) keep(d httpstream.Dialer, first chan<- error) {
	defer close(f.done)
	for {
		link, err := linkOf(d)
		tell(first, err)
		if err == nil {
			f.hold(link)
		}
		select {
		case <-f.stop:
			return
		case <-time.After(linkAfter):
		}
	}
}

// linkOf connects.
func linkOf(d httpstream.Dialer) (httpstream.Connection, error) {
	link, protocol, err := d.Dial(portforward.PortForwardProtocolV1Name)
	if err != nil {
		return nil, fmt.Errorf("upgrade connection: %w", err)
	}
	if protocol != portforward.PortForwardProtocolV1Name {
		return nil, errors.Join(fmt.Errorf("upgrade connection: the API server has the protocol %q instead of %s", protocol, portforward.PortForwardProtocolV1Name), link.Close())
	}
	return link, nil
}

// tell sends the first word and drops all later ones.
func tell(first chan<- error, err error) {
	select {
	case first <- err:
	default:
	}
}

// hold gives the link to connections until it breaks or the forward is closed.
func (f *forward) hold(link httpstream.Connection) {
	dropped := make(chan struct{})
	f.mu.Lock()
	f.link, f.dropped = link, dropped
	close(f.linked)
	f.mu.Unlock()
	select {
	case <-f.stop:
	case <-link.CloseChan():
	case <-dropped:
	}
	f.drop(link)
	_ = link.Close() // it is broken, or not needed any more
}

// drop gives the link to no more connections. A link that is closed stays open until its streams have
// ended, and does not answer those that are created meanwhile, for which SPDY waits 30 s
// (k8s.io/streaming/pkg/httpstream/spdy, createStreamResponseTimeout).
func (f *forward) drop(link httpstream.Connection) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.link != link {
		return
	}
	f.link, f.linked = nil, make(chan struct{})
	close(f.dropped)
}

// current is the link, once there is one; nil where none comes.
func (f *forward) current() httpstream.Connection {
	late := time.NewTimer(linkWithin)
	defer late.Stop()
	for {
		f.mu.Lock()
		link, linked := f.link, f.linked
		f.mu.Unlock()
		if link != nil {
			return link
		}
		select {
		case <-linked:
		case <-f.stop:
			return nil
		case <-late.C:
			return nil
		}
	}
}

// accept takes the connections to the local port until the forward is closed.
func (f *forward) accept() {
	for {
		conn, err := f.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // no descriptor is free, for example: the next attempt may have one
			select {
			case <-f.stop:
				return
			case <-time.After(linkAfter):
			}
		default:
			go f.serve(conn)
		}
	}
}

// serve forwards a connection. Where that fails, the link is closed and another one made: the
// kubelet leads each to the sandbox that the pod has at that time.
func (f *forward) serve(conn net.Conn) {
	defer conn.Close()
	link := f.current()
	if link == nil {
		return
	}
	if err := pass(link, conn, f.remote, f.requests.Add(1)); err != nil {
		f.drop(link) // hold closes it
	}
}

// pass copies between a connection and two streams of the link until the pod has sent all, as
// client-go does (tools/portforward/portforward.go, handleConnection). The kubelet says on the
// first stream why it cannot connect, which is the error.
func pass(link httpstream.Connection, conn net.Conn, port int, request int64) error {
	headers := http.Header{}
	headers.Set(corev1.PortHeader, strconv.Itoa(port))
	headers.Set(corev1.PortForwardRequestIDHeader, strconv.FormatInt(request, 10))
	headers.Set(corev1.StreamType, corev1.StreamTypeError)
	refusal, err := link.CreateStream(headers)
	if err != nil {
		return err
	}
	defer link.RemoveStreams(refusal)
	_ = refusal.Close() // nothing is written to it
	refused := make(chan error, 1)
	go func() { refused <- readRefusal(refusal) }()
	headers.Set(corev1.StreamType, corev1.StreamTypeData)
	data, err := link.CreateStream(headers)
	if err != nil {
		return err
	}
	defer link.RemoveStreams(data)
	go func() {
		if _, err := io.Copy(data, conn); err != nil {
			_ = data.Reset() // which ends the other direction
			return
		}
		_ = data.Close()
	}()
	_, _ = io.Copy(conn, data) // an error is the client's end, or the link's
	// What was not sent would keep the refusal from coming.
	_ = data.Reset()
	select {
	case err = <-refused:
	case <-link.CloseChan():
	case <-time.After(closeWithin):
	}
	return err
}

// readRefusal reads what the kubelet says, to the end of the stream.
func readRefusal(s httpstream.Stream) error {
	text, err := io.ReadAll(s)
	if err == nil && len(text) > 0 {
		err = errors.New(string(text))
	}
	return err
}
