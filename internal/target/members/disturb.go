package members

// The faults of an arm, carried out one after the other.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// happened is what became of one fault.
type happened struct {
	fault  Fault
	member int
	before int // the primary
	after  int // the primary at the end, 0 while none is known
	began  time.Duration
	ended  time.Duration // 0 where it lasts; both since the window's beginning
	// promoted is how long after its beginning another primary was there, 0 for never.
	promoted time.Duration
	failed   error
	// unpromoted is why no other member could be promoted, "" where none failed.
	unpromoted string
}

// history is what became of all.
type history struct {
	mu  sync.Mutex
	all []happened
}

// disturb carries the faults out, and follows the primary, until ctx ends.
func (s *servers) disturb(ctx context.Context, window <-chan time.Time, note func(name, detail string)) error {
	all, err := s.database.Connect()
	defer closeAll(all)
	if err != nil {
		return record.WatchMembers.Wrap(err)
	}
	s.watch.note, s.watch.failed = note, s.history.notPromoted
	var watching sync.WaitGroup
	watching.Go(func() { s.watch.run(ctx, all) })
	err = s.inject(ctx, window, note)
	<-ctx.Done()
	watching.Wait()
	return err
}

func closeAll(all []*sql.DB) {
	for _, db := range all {
		_ = db.Close() // it only asked
	}
}

// inject carries out one fault after the other. Whatever ctx does, none lasts longer than
// this.
func (s *servers) inject(ctx context.Context, window <-chan time.Time, note func(name, detail string)) error {
	var began time.Time
	select {
	case <-ctx.Done():
		return nil
	case began = <-window:
	}
	s.watch.onChange(func(old, primary int) { s.history.promoted(time.Since(began), old, primary) })
	for i, f := range s.faults {
		if !every(ctx, time.Until(began.Add(f.At.Std()))) {
			return nil
		}
		fault.At(fmt.Sprintf("members: before fault %d", i+1))
		if err := s.one(ctx, began, f, note); err != nil {
			return record.AtFault.Wrap(err, strconv.Itoa(i+1))
		}
	}
	return nil
}

// one carries out a fault, and ends it.
func (s *servers) one(ctx context.Context, began time.Time, f Fault, note func(name, detail string)) error {
	kind, named := f.kind()
	number := s.named(named)
	h := happened{fault: f, member: number, before: s.watch.current(), began: time.Since(began)}
	if number == 0 || s.watch.of(number).dead {
		h.failed = notRunning(named)
		s.history.add(h)
		return nil
	}
	what := fmt.Sprintf("%s of member %d", kind, number)
	s.history.add(h) // before it begins: what follows belongs to it
	if err := s.begin(ctx, f, kind, number); err != nil {
		s.history.end(0, err)
		return errors.Join(err, s.end(context.WithoutCancel(ctx), kind, number))
	}
	note("fault-began", what)
	fault.At("members: fault began")
	if kind == kill {
		return nil
	}
	every(ctx, time.Until(began.Add(f.until())))
	err := s.end(context.WithoutCancel(ctx), kind, number)
	s.history.end(time.Since(began), err)
	note("fault-ended", what)
	return err
}

// notRunning says that nothing could be done to a member that an experiment names.
func notRunning(named string) error {
	switch named {
	case thePrimary:
		return errors.New(record.NoPrimary.Say())
	case theSecondary:
		return errors.New(record.NoSecondary.Say())
	}
	return errors.New(record.NoMember.Say(named))
}

// named is the number of the member that a fault names; 0 where there is none.
func (s *servers) named(member string) int {
	switch member {
	case thePrimary:
		return s.watch.current()
	case theSecondary:
		return s.watch.secondary()
	}
	number, err := strconv.Atoi(member)
	if err != nil { // the check has said it
		return 0
	}
	return number
}

func (s *servers) begin(ctx context.Context, f Fault, kind string, number int) error {
	switch kind {
	case kill:
		// Marked first: that it has ended is not a loss of the server then.
		s.watch.mark(number, func(m *seen) { m.dead = true })
		return s.signal(number, unix.SIGKILL)
	case pause:
		return s.signal(number, unix.SIGSTOP)
	case cutOff:
		s.watch.mark(number, func(m *seen) { m.cut = true })
		return s.network.CutOff(ctx, number)
	case slowLink:
		return s.network.SlowDown(number, f.Rate)
	}
	return s.throttle(number, target.DiskLimit{ReadIOPS: f.ReadIOPS, WriteIOPS: f.WriteIOPS})
}

// end ends what begin began.
func (s *servers) end(ctx context.Context, kind string, number int) error {
	switch kind {
	case kill:
		return nil
	case pause:
		return s.signal(number, unix.SIGCONT)
	case cutOff:
		err := s.network.Reconnect(ctx, number)
		s.watch.mark(number, func(m *seen) { m.cut = false })
		return err
	case slowLink:
		return s.network.SpeedUp(ctx, number)
	}
	return s.throttle(number, target.DiskLimit{})
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

func (h *history) add(one happened) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, one)
}

// end is that of the last fault.
func (h *history) end(at time.Duration, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := &h.all[len(h.all)-1]
	last.ended, last.failed = at, err
}

// cause is the fault to which a failover from the primary old belongs: the latest that happened to
// that member, else the last. The next fault can begin before the failover has ended. It is nil where
// there was no fault. Called with the lock.
func (h *history) cause(old int) *happened {
	for i := range slices.Backward(h.all) {
		if one := &h.all[i]; one.member == old && one.failed == nil {
			return one
		}
	}
	if len(h.all) == 0 {
		return nil
	}
	return &h.all[len(h.all)-1]
}

// promoted notes that another primary has replaced old.
func (h *history) promoted(at time.Duration, old, primary int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.cause(old)
	if one == nil {
		return
	}
	one.after = primary
	if one.promoted == 0 {
		one.promoted = at - one.began
	}
}

// notPromoted notes why a failover from the primary old failed.
func (h *history) notPromoted(old int, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one := h.cause(old); one != nil {
		one.unpromoted = why
	}
}

// facts are what happened, fault by fault.
func (h *history) facts() (facts []record.Fact) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, one := range h.all {
		add := func(key, value, source string) {
			facts = append(facts, record.Fact{Key: fmt.Sprintf(keys.ReplicationFaultPrefix+"%d.%s", i+1, key), Value: value, Source: source, Phase: "end"})
		}
		seconds := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }
		kind, named := one.fault.kind()
		const spec, seen = "experiment.yaml", "since the beginning of the measured window"
		add("kind", kind, spec)
		add("named", named, spec)
		add("at_s", seconds(one.fault.At.Std()), spec)
		add("for_s", seconds(one.fault.For.Std()), spec)
		if one.failed != nil {
			facts = append(facts, record.Fact{Key: fmt.Sprintf(keys.ReplicationFaultPrefix+"%d.failed", i+1), Unknown: one.failed.Error(), Phase: "end"})
		}
		add("member", strconv.Itoa(one.member), "when the fault began")
		add("began_s", seconds(one.began), seen)
		if one.ended > 0 {
			add("ended_s", seconds(one.ended), seen)
		}
		after := one.after
		if after == 0 {
			after = one.before
		}
		add("primary_before", strconv.Itoa(one.before), "the members")
		add("primary_after", strconv.Itoa(after), "the members")
		if one.promoted > 0 {
			add("promoted_after_s", seconds(one.promoted), "from the beginning of the fault")
		}
		if one.unpromoted != "" {
			add("failover_failed", one.unpromoted, "tare")
		}
	}
	return facts
}
