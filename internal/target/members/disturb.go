package members

// The events of an arm, as they happen to members.

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
)

// disturb carries the events out, and follows the primary, until ctx ends.
func (s *servers) disturb(ctx context.Context, window <-chan time.Time, note func(name, detail string)) error {
	all, err := s.database.Connect()
	defer closeAll(all)
	if err != nil {
		return record.WatchMembers.Wrap(err)
	}
	s.watch.note, s.watch.failed = note, s.history.NotPromoted
	var watching sync.WaitGroup
	watching.Go(func() { s.watch.run(ctx, all) })
	schedule := event.Schedule{Events: s.events.All, Actor: s, Instance: s.request.Name, History: &s.history}
	schedule.Began = func(began time.Time) {
		s.watch.onFailure(func(old int) { s.history.Detected(time.Since(began), old) })
		s.watch.onChange(func(old, primary int) { s.history.Promoted(time.Since(began), old, primary) })
	}
	err = schedule.Run(ctx, window, note)
	<-ctx.Done()
	watching.Wait()
	return err
}

func closeAll(all []*sql.DB) {
	for _, db := range all {
		_ = db.Close() // it only asked
	}
}

// Find is the member that an event names, which must run, and the primary.
func (s *servers) Find(named string) (member, primary int, err error) {
	primary = s.watch.current()
	if member = s.named(named); member == 0 || s.watch.of(member).dead {
		return member, primary, notRunning(named)
	}
	return member, primary, nil
}

// notRunning says that nothing could be done to a member that an experiment names.
func notRunning(named string) error {
	switch named {
	case event.ThePrimary:
		return errors.New(record.NoPrimary.Say())
	case event.TheSecondary:
		return errors.New(record.NoSecondary.Say())
	}
	return errors.New(record.NoMember.Say(named))
}

// named is the number of the member that an event names; 0 where there is none.
func (s *servers) named(member string) int {
	switch member {
	case event.ThePrimary:
		return s.watch.current()
	case event.TheSecondary:
		return s.watch.secondary()
	}
	number, err := strconv.Atoi(member)
	if err != nil { // the check has said it
		return 0
	}
	return number
}

// Begin begins an event.
func (s *servers) Begin(ctx context.Context, e event.Event, number int) error {
	switch kind, _ := e.Kind(); kind {
	case event.Kill:
		// Marked first: that it has ended is not a loss of the server then.
		s.watch.mark(number, func(m *seen) { m.dead = true })
		return s.signal(number, unix.SIGKILL)
	case event.Pause:
		return s.signal(number, unix.SIGSTOP)
	case event.CutOff:
		s.watch.mark(number, func(m *seen) { m.cut = true })
		return s.network.CutOff(ctx, number)
	case event.SlowLink:
		return s.network.SlowDown(number, e.Rate)
	}
	return s.throttle(number, target.DiskLimit{ReadIOPS: e.ReadIOPS, WriteIOPS: e.WriteIOPS})
}

// End ends what Begin began.
func (s *servers) End(ctx context.Context, e event.Event, number int) error {
	switch kind, _ := e.Kind(); kind {
	case event.Kill:
		return nil
	case event.Pause:
		return s.signal(number, unix.SIGCONT)
	case event.CutOff:
		err := s.network.Reconnect(ctx, number)
		s.watch.mark(number, func(m *seen) { m.cut = false })
		return err
	case event.SlowLink:
		return s.network.SpeedUp(ctx, number)
	}
	return s.throttle(number, target.DiskLimit{})
}

// Environment tells a command where the first member is, and who the primary is.
func (s *servers) Environment() []string {
	return []string{"TARE_SERVER_SOCKET=" + s.Address().Socket, "TARE_PRIMARY=" + strconv.Itoa(s.watch.current())}
}

// signal sends a signal to a member's process, if it runs.
func (s *servers) signal(number int, sig unix.Signal) error {
	pid := target.PIDOf(s.all[number-1])
	if pid == 0 {
		return errors.New(record.SignalEnded.Say(strconv.Itoa(number)))
	}
	if err := unix.Kill(pid, sig); err != nil {
		return record.SignalMember.Wrap(err, strconv.Itoa(number))
	}
	return nil
}

func (s *servers) throttle(number int, l target.DiskLimit) error {
	throttle := s.all[number-1].Capabilities().Throttle
	if throttle == nil {
		return errors.New(record.NoDiskLimit.Say(strconv.Itoa(number)))
	}
	return throttle(l)
}
