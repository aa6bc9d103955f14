package event

// A server that is alone, with the events of its arm.

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

const (
	// lookEvery is the time between two attempts to connect to a server that is started again: the
	// resolution of what is seen of it. lookWithin bounds one.
	lookEvery  = 10 * time.Millisecond
	lookWithin = time.Second
	// backWithin bounds the wait after the load for a server that has not come back.
	backWithin = 30 * time.Second
)

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

// Capabilities are those of an arm whose server is alone. It is not frozen: an event would come late.
func (p Planned) Capabilities(c target.Capabilities) target.Capabilities {
	if !p.Any() {
		return c
	}
	c.Events, c.Permission, c.Memories = p.Spans(), p.Permission(), nil
	return c
}

// alone is a server to which events happen.
type alone struct {
	target.Server
	schedule Schedule
	again    Again
	history  History
	looking  sync.WaitGroup

	mu   sync.Mutex
	lost error // it did not come back
}

// Alone has the events of an arm happen to a server that is alone.
func Alone(server target.Server, instance string, p Planned, again Again) target.Server {
	if !p.Any() {
		return server
	}
	s := &alone{Server: server, again: again}
	s.schedule = Schedule{Events: p.All, Actor: s, Instance: instance, History: &s.history}
	return s
}

// Capabilities are the server's.
func (s *alone) Capabilities() target.ServerCapabilities {
	c := s.Server.Capabilities()
	c.Disturb, c.Freeze, c.Thaw = s.disturb, nil, nil
	return c
}

// Facts are the server's, and at the end what became of the events.
func (s *alone) Facts(ctx context.Context, phase string) []record.Fact {
	facts := s.Server.Facts(ctx, phase)
	if phase != "end" {
		return facts
	}
	for i := range facts {
		if facts[i].Value != "" && s.history.restarted() && strings.HasPrefix(facts[i].Key, serverFacts) && facts[i].Key != keys.ServerRSS {
			facts[i].Value, facts[i].Unknown = "", record.StartedAgain.Say()
		}
	}
	return append(facts, s.history.Facts()...)
}

// serverFacts are what the kernel counted for the server's process.
const serverFacts = "server."

// Alive tells how the server ended, or that it did not come back after an event.
func (s *alone) Alive() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost != nil {
		return s.lost
	}
	return s.Server.Alive()
}

// disturb carries the events out until ctx ends. A server that does not answer then is waited for.
func (s *alone) disturb(ctx context.Context, window <-chan time.Time, note func(name, detail string)) error {
	err := s.schedule.Run(ctx, window, note)
	<-ctx.Done()
	s.looking.Wait()
	if err != nil || s.Server.Alive() != nil { // which says how
		return err
	}
	after := context.WithoutCancel(ctx)
	if err := mysqld.Ready(after, s.Address(), backWithin, s.Server.Alive); errors.Is(err, mysqld.ErrNotReady) {
		s.mu.Lock()
		s.lost = errors.New(record.NotBack.Say(backWithin.String(), strconv.Itoa(s.history.count())))
		s.mu.Unlock()
	}
	return nil
}

// Find has no member: there is one server.
func (s *alone) Find(string) (member, primary int, err error) { return 0, 0, nil }

// Begin begins an event, and follows a server that is started again.
func (s *alone) Begin(ctx context.Context, e Event, _ int) error {
	began := time.Now()
	switch kind, _ := e.Kind(); kind {
	case Kill:
		return s.restart(ctx, began, unix.SIGKILL)
	case Restart:
		return s.restart(ctx, began, unix.SIGTERM)
	case Pause:
		return s.signal(unix.SIGSTOP)
	}
	return nil
}

// End ends what lasts.
func (s *alone) End(_ context.Context, e Event, _ int) error {
	if kind, _ := e.Kind(); kind == Pause {
		return s.signal(unix.SIGCONT)
	}
	return nil
}

// Environment tells a command where the server is.
func (s *alone) Environment() []string {
	return []string{"TARE_SERVER_SOCKET=" + s.Address().Socket, "TARE_SERVER_PID=" + strconv.Itoa(target.PIDOf(s.Server))}
}

func (s *alone) signal(sig unix.Signal) error {
	pid := target.PIDOf(s.Server)
	if pid == 0 {
		return errors.New(record.SignalServerEnded.Say())
	}
	if err := unix.Kill(pid, sig); err != nil {
		return record.SignalServer.Wrap(err)
	}
	return nil
}

// restart has the server ended by a signal and started again.
func (s *alone) restart(ctx context.Context, began time.Time, sig unix.Signal) error {
	exited := func() {
		at := time.Since(began)
		s.history.change(func(last *happened) { last.exited = at })
	}
	if err := s.again(ctx, sig, exited); err != nil {
		return err
	}
	number, at := s.history.count(), time.Since(began)
	s.history.change(func(last *happened) { last.started = at })
	s.looking.Go(func() { s.look(ctx, number, began) })
	return nil
}

// look finds when the server accepts a connection again, and when it answers a query.
func (s *alone) look(ctx context.Context, number int, began time.Time) {
	if !until(ctx, s.accepts) {
		return
	}
	s.history.at(number, func(one *happened) { one.listens = time.Since(began) })
	db, err := mysqld.Open(s.Address())
	if err != nil {
		return // its socket is what Ready asked before the load
	}
	defer db.Close()
	answers := func(ctx context.Context) bool {
		var n int
		return db.QueryRowContext(ctx, "SELECT 1").Scan(&n) == nil
	}
	if until(ctx, answers) {
		s.history.at(number, func(one *happened) { one.answers = time.Since(began) })
	}
	s.route(ctx, number, began)
}

// route finds when the way of the clients leads to a server that answers, where they have one of their
// own: over TCP, through a Service or a proxy.
func (s *alone) route(ctx context.Context, number int, began time.Time) {
	client := target.ClientOf(s.Server)
	if client.Address.Socket != "" {
		return
	}
	d, err := wire.NewDialer(client.Address)
	if err != nil {
		return // the load could not have begun
	}
	d.Inside = client.Inside
	connects := func(ctx context.Context) bool {
		session, err := d.Dial(ctx)
		if err != nil {
			return false
		}
		session.Close()
		return true
	}
	if until(ctx, connects) {
		s.history.at(number, func(one *happened) { one.routed = time.Since(began) })
	}
}

// accepts says whether the server's socket takes a connection.
func (s *alone) accepts(ctx context.Context) bool {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", s.Address().Socket)
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was said over it
	return true
}

// until tries again and again; false says that ctx has ended.
func until(ctx context.Context, try func(context.Context) bool) bool {
	for {
		bounded, cancel := context.WithTimeout(ctx, lookWithin)
		ok := try(bounded)
		cancel()
		if ok {
			return true
		}
		if !wait(ctx, lookEvery) {
			return false
		}
	}
}
