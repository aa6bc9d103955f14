package kubernetes

// The events of an arm, as they happen to the pod of a server that tare makes.

import (
	"context"
	"errors"
	"net"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target/event"
)

// ageAfter is how long after the clients' way leads to the server again its age is asked: the command takes some CPU of
// the node, which the clients need then.
const ageAfter = time.Second

// place is the pod that events happen to.
type place struct{ *server }

// Down says that the server has not come back from an event before.
func (p place) Down() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		return errors.New(record.NotBackYet.Say())
	}
	return nil
}

// BackWithin is how long a pod may take to be ready at a start.
func (p place) BackWithin() time.Duration { return p.within() }

// WhyDown is what the API server says of the pod.
func (p place) WhyDown(ctx context.Context) string {
	pod, err := get[corev1.Pod](ctx, p.target.cluster, pods, p.podName())
	switch {
	case err != nil:
		return err.Error()
	case stuck(pod) != "":
		return record.PodStuck.Say(pod.Name, advised(stuck(pod)))
	}
	return pending(pod)
}

// Environment tells a command which pod it is.
func (p place) Environment() []string {
	return []string{"TARE_NAMESPACE=" + p.target.cluster.namespace, "TARE_POD=" + p.podName(), "TARE_CONTAINER=" + p.container}
}

// Begin begins an event. What ends the server is prepared before, so that its time is known.
func (p place) Begin(ctx context.Context, e event.Event, s *event.Sight) error {
	kind, _ := e.Kind()
	signal := map[string]string{event.Kill: "KILL", event.Restart: "TERM", event.Pause: "STOP"}[kind]
	a, err := p.attend(ctx, attendScript, signal, pidFile)
	if err != nil {
		return record.SignalServer.Wrap(err)
	}
	if kind == event.Pause {
		defer a.close()
		s.Begins()
		return p.signalled(ctx, a)
	}
	before, err := p.listPod(ctx)
	if err != nil {
		a.close()
		return record.SignalServer.Wrap(p.target.cluster.explain(err))
	}
	reached := p.accepts(ctx, before.ip())
	p.expectEnd()
	s.Begins()
	if kind == event.Delete {
		err = p.deletePod(ctx, before.pod)
	} else {
		err = p.signalled(ctx, a)
	}
	if err != nil {
		a.close()
		p.notEnded()
		return err
	}
	p.follow(ctx, s, &outage{kind: kind, before: before, beside: a, reached: reached, gone: make(chan struct{}), addresses: make(chan string, 1)})
	return nil
}

// signalled sends the signal of a command that waits, and returns when it was sent.
func (p place) signalled(ctx context.Context, a *attendant) error {
	err := a.say()
	if err == nil {
		_, err = a.line(ctx)
	}
	select {
	case <-a.ended:
		if a.err == nil || a.endedWithContainer() { // with its server, before it could say that it was sent
			return nil
		}
	default:
	}
	if err != nil && ctx.Err() == nil { // else the load has ended meanwhile
		return record.SignalServer.Wrap(err)
	}
	return nil
}

// End has a server that was stopped continue.
func (p place) End(ctx context.Context, e event.Event) error {
	if kind, _ := e.Kind(); kind != event.Pause {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, stopWithin)
	defer cancel()
	err := repeatedly(ctx, func() error {
		_, err := p.target.cluster.exec(ctx, p.podName(), p.container, []string{"sh", "-c", `kill -s CONT "$(cat "$0")"`, pidFile}, nil)
		return err
	})
	if err != nil {
		return record.SignalServer.Wrap(p.target.cluster.explain(err))
	}
	return nil
}

// deletePod deletes the pod that the server is in, and no other one of its name.
func (p place) deletePod(ctx context.Context, pod *corev1.Pod) error {
	if pod == nil {
		return errors.New(record.PodGone.Say(p.podName()))
	}
	err := p.target.cluster.scoped(pods).Delete(ctx, pod.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &pod.UID}})
	if err != nil {
		return record.DeletePod.Wrap(p.target.cluster.explain(err), pod.Name)
	}
	fault.At("cluster: deleted pods")
	return nil
}

// outage is what is known of a server that an event has ended, until it is back.
type outage struct {
	kind      string
	before    podState
	beside    *attendant    // ends with the container
	reached   bool          // this host had a route to the pod
	gone      chan struct{} // closed when its container has ended, if that is seen
	addresses chan string   // that of the pod which the server is in
}

// hasEnded returns true when the server has ended: what connects from now on connects to the next one. It is false where
// that was not seen when it happened.
func (o *outage) hasEnded(ctx context.Context) bool {
	select {
	case <-o.gone:
		return true
	case <-ctx.Done():
		return false
	}
}

// follow has observers see the server's end and its return.
func (p place) follow(ctx context.Context, s *event.Sight, o *outage) {
	if o.kind != event.Delete {
		o.addresses <- o.before.ip()
	}
	s.Go(func() {
		defer o.beside.close()
		select {
		case <-o.beside.ended:
		case <-ctx.Done():
			return
		}
		if o.beside.endedWithContainer() {
			s.See(event.Exited, time.Now(), "the end of a command of tare's in its container")
			close(o.gone)
		}
	})
	s.Go(func() {
		if err := p.watch(ctx, o.before, func(now podState) bool { return p.see(s, o, now) }); err != nil {
			s.Miss(event.Running, err)
		}
	})
	s.Go(func() { p.connect(ctx, s, o) })
	s.Go(func() {
		if o.hasEnded(ctx) && p.routed() {
			s.RouteAnew(ctx, p.Client())
		}
	})
}

// routed: the way of the clients has a part that the pod's own address has not.
func (p place) routed() bool {
	return p.at.kind == serviceAddress || p.at.kind == nodeAddress || p.at.kind == loadBalancerAddress
}

const byWatch = "tare's watch of the pod, when the API server told it"

// see takes in a state of the pod that the API server has told, and returns true once nothing more is looked for.
func (p place) see(s *event.Sight, o *outage, now podState) bool {
	if !now.replaces(o.before, p.container) {
		return false
	}
	at := time.Now()
	if o.kind == event.Delete && now.ip() != "" {
		select {
		case o.addresses <- now.ip():
		default: // it is known
		}
	}
	if now.pod == nil || !containerRuns(now.pod, p.container) {
		return false
	}
	s.See(event.Running, at, byWatch)
	p.back(now.pod)
	if !isReady(now.pod) {
		return false
	}
	s.See(event.Ready, at, byWatch)
	return true
}

// connect sees when the next server accepts a connection at its pod and answers, and how old it is then.
func (p place) connect(ctx context.Context, s *event.Sight, o *outage) {
	if !o.hasEnded(ctx) {
		return
	}
	at := p.Address()
	if o.reached {
		select {
		case at.Host = <-o.addresses:
		case <-ctx.Done():
			return
		}
		at.Port = p.serverPort
		if !event.Until(ctx, func(ctx context.Context) bool { return p.accepts(ctx, at.Host) }) {
			return
		}
		s.See(event.Listens, time.Now(), "connect(2) to the pod")
	}
	s.Answer(ctx, at)
	if pause(ctx, ageAfter) != nil {
		return
	}
	if began, err := p.beganRunning(ctx); err == nil { // else it is unknown
		s.See(event.Contained, began, "the age of the server's process, asked in its container")
	}
}

// accepts says whether a server takes a connection at an address of a pod.
func (p place) accepts(ctx context.Context, host string) bool {
	if host == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(p.serverPort)))
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was said over it
	return true
}
