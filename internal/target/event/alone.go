package event

// A server that is alone, with the events of its arm.

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// Place is where a server that is alone runs, and what is done to it there.
type Place interface {
	// Down says why nothing can happen to the server now; nil: it can.
	Down() error
	// Begin begins an event, and has s see what becomes of the server until ctx ends. End ends an event that
	// lasts.
	Begin(ctx context.Context, e Event, s *Sight) error
	End(ctx context.Context, e Event) error
	// Environment are variables for a command, in the form of os.Environ.
	Environment() []string
	// BackWithin bounds the wait after the load for a server that has not come back. WhyDown is what keeps it
	// from that, "" where nothing is known.
	BackWithin() time.Duration
	WhyDown(ctx context.Context) string
}

// Capabilities are those of an arm whose server is alone. It is not frozen: an event would come late.
func (p Planned) Capabilities(c target.Capabilities) target.Capabilities {
	if !p.Any() {
		return c
	}
	c.Events, c.Memories = p.Spans(), nil
	if commands := p.Permission(); commands != nil {
		c.Permission = commands
	}
	return c
}

// alone is a server to which events happen.
type alone struct {
	target.Server
	schedule Schedule
	place    Place
	history  History
	window   time.Time
	looking  sync.WaitGroup

	mu   sync.Mutex
	lost error // it did not come back
}

// AloneIn has the events of an arm happen to a server that is alone, where it runs.
func AloneIn(place Place, server target.Server, instance string, p Planned) target.Server {
	if !p.Any() {
		return server
	}
	s := &alone{Server: server, place: place}
	s.schedule = Schedule{Events: p.All, Actor: s, Instance: instance, History: &s.history, Began: func(at time.Time) { s.window = at }}
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
	if err := mysqld.Ready(after, s.Address(), s.place.BackWithin(), s.Server.Alive); errors.Is(err, mysqld.ErrNotReady) {
		within, number := s.place.BackWithin().String(), strconv.Itoa(s.history.count())
		why := record.NotBack.Say(within, number)
		if down := s.place.WhyDown(after); down != "" {
			why = record.NotBackBecause.Say(within, number, down)
		}
		s.mu.Lock()
		s.lost = errors.New(why)
		s.mu.Unlock()
	}
	return nil
}

// Find has no member: there is one server.
func (s *alone) Find(string) (member, primary int, err error) { return 0, 0, s.place.Down() }

// Begin begins an event.
func (s *alone) Begin(ctx context.Context, e Event, _ int) error {
	return s.place.Begin(ctx, e, &Sight{history: &s.history, number: s.history.count(), window: s.window, began: time.Now(), looking: &s.looking})
}

// End ends what lasts.
func (s *alone) End(ctx context.Context, e Event, _ int) error { return s.place.End(ctx, e) }

// Environment tells a command where the server is.
func (s *alone) Environment() []string { return s.place.Environment() }
