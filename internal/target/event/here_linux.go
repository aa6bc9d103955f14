package event

// A server that is a process of this machine.

import (
	"context"
	"errors"
	"net"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// backWithin bounds the wait after the load for a server that has not come back.
const backWithin = 30 * time.Second

// Again ends a server that is alone with a signal, waits until its process has ended, and starts it
// with the same options on its data. exited is called between the two. It returns when the next
// process runs, which is before it answers. Meanwhile the server's Alive says that it is.
type Again func(ctx context.Context, signal unix.Signal, exited func()) error

// endWithin bounds how long a server may take to end: the time that systemd gives a unit by default
// (DefaultTimeoutStopSec, systemd-system.conf(5)).
const endWithin = 90 * time.Second

// Ended waits until a process has ended that was sent a signal. ended is closed then.
func Ended(ctx context.Context, ended <-chan struct{}) error {
	select {
	case <-ended:
		return nil
	case <-time.After(endWithin):
		return errors.New(record.NotEnded.Say(endWithin.String()))
	case <-ctx.Done():
		return errors.New(record.LoadEnded.Say())
	}
}

// here is where such a server runs.
type here struct {
	server target.Server
	again  Again
}

// Alone has the events of an arm happen to a server of this machine that is alone.
func Alone(server target.Server, instance string, p Planned, again Again) target.Server {
	return AloneIn(here{server, again}, server, instance, p)
}

// Down is nil: the server is up again, or the trial has ended.
func (h here) Down() error { return nil }

// BackWithin bounds the wait after the load.
func (h here) BackWithin() time.Duration { return backWithin }

// WhyDown is not known: a process that ends is lost, and says why.
func (h here) WhyDown(context.Context) string { return "" }

// Begin begins an event, and follows a server that is started again.
func (h here) Begin(ctx context.Context, e Event, s *Sight) error {
	switch kind, _ := e.Kind(); kind {
	case Kill:
		return h.restart(ctx, s, unix.SIGKILL)
	case Restart:
		return h.restart(ctx, s, unix.SIGTERM)
	case Pause:
		return h.signal(unix.SIGSTOP)
	}
	return nil
}

// End ends what lasts.
func (h here) End(_ context.Context, e Event) error {
	if kind, _ := e.Kind(); kind == Pause {
		return h.signal(unix.SIGCONT)
	}
	return nil
}

// Environment tells a command where the server is.
func (h here) Environment() []string {
	return []string{"TARE_SERVER_SOCKET=" + h.server.Address().Socket, "TARE_SERVER_PID=" + strconv.Itoa(target.PIDOf(h.server))}
}

func (h here) signal(sig unix.Signal) error {
	pid := target.PIDOf(h.server)
	if pid == 0 {
		return errors.New(record.SignalServerEnded.Say())
	}
	if err := unix.Kill(pid, sig); err != nil {
		return record.SignalServer.Wrap(err)
	}
	return nil
}

// restart has the server ended by a signal and started again.
func (h here) restart(ctx context.Context, s *Sight, sig unix.Signal) error {
	exited := func() { s.See(Exited, time.Now(), "the server's process") }
	if err := h.again(ctx, sig, exited); err != nil {
		return err
	}
	s.See(Started, time.Now(), "the server's next process")
	s.Go(func() { h.look(ctx, s) })
	return nil
}

// look finds when the server accepts a connection again, when it answers a query, and when the way of the clients
// leads to it, where they have one of their own: over TCP, through a Service or a proxy.
func (h here) look(ctx context.Context, s *Sight) {
	if !Until(ctx, h.accepts) {
		return
	}
	s.See(Listens, time.Now(), "connect(2) to the server's socket")
	s.Answer(ctx, h.server.Address())
	if client := target.ClientOf(h.server); client.Address.Socket == "" {
		s.Route(ctx, client)
	}
}

// accepts says whether the server's socket takes a connection.
func (h here) accepts(ctx context.Context) bool {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", h.server.Address().Socket)
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was said over it
	return true
}
