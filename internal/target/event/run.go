package event

// The events of an arm, carried out one after the other.

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/record"
)

// Actor does to a database what its events say.
type Actor interface {
	// Find is the number of the member that an event names and of the primary, both 0 where the
	// database has one server. The error says why there is nothing that the event could happen to.
	Find(named string) (member, primary int, err error)
	// Begin begins an event, and End ends it where it lasts. An End is carried out however Begin
	// ended, and after the load as well.
	Begin(ctx context.Context, e Event, member int) error
	End(ctx context.Context, e Event, member int) error
	// Environment are variables for a command, in the form of os.Environ.
	Environment() []string
}

// Schedule is the events of a trial.
type Schedule struct {
	Events []Event
	Actor  Actor
	// Instance is the trial's: `tare clean` finds a command of a killed tare by it.
	Instance string
	History  *History
	// Began, if not nil, learns when the window began.
	Began func(time.Time)
}

// Run carries out one event after the other. Whatever ctx does, none lasts longer than this. The
// window begins at the time that comes from window; note is called with what happens.
func (s Schedule) Run(ctx context.Context, window <-chan time.Time, note func(name, detail string)) error {
	var began time.Time
	select {
	case <-ctx.Done():
		return nil
	case began = <-window:
	}
	if s.Began != nil {
		s.Began(began)
	}
	for i, e := range s.Events {
		if !wait(ctx, time.Until(began.Add(e.At.Std()))) {
			return nil
		}
		fault.At(fmt.Sprintf("event: before event %d", i+1))
		if err := s.one(ctx, began, e, note); err != nil {
			return record.AtEvent.Wrap(err, strconv.Itoa(i+1))
		}
	}
	return nil
}

// wait pauses; false says that ctx has ended.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// one carries out an event, and ends it.
func (s Schedule) one(ctx context.Context, began time.Time, e Event, note func(name, detail string)) error {
	kind, named := e.Kind()
	h := happened{event: e, began: time.Since(began)}
	if kind == Command {
		s.History.add(h)
		return s.command(ctx, began, e, note)
	}
	if h.member, h.before, h.failed = s.Actor.Find(named); h.failed != nil {
		s.History.add(h)
		return nil //nolint:nilerr // there is nothing that it could happen to, which is its result
	}
	what := kind + " of " + named
	if h.member > 0 {
		what = fmt.Sprintf("%s of member %d", kind, h.member)
	}
	s.History.add(h) // before it begins: what follows belongs to it
	note("event-began", what)
	if err := s.Actor.Begin(ctx, e, h.member); err != nil {
		s.History.end(0, err)
		return errors.Join(err, s.Actor.End(context.WithoutCancel(ctx), e, h.member))
	}
	fault.At("event: event began")
	if e.For == 0 {
		return nil
	}
	wait(ctx, time.Until(began.Add(e.until())))
	err := s.Actor.End(context.WithoutCancel(ctx), e, h.member)
	s.History.end(time.Since(began), err)
	note("event-ended", what)
	return err
}
