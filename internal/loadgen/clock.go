package loadgen

// Turns of generators whose clocks are not this host's: when they begin is announced once all generators are there,
// and by how much clocks may differ is measured (package barrier).

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/loadgen/barrier"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/record"
)

// clockReading is what a generator's clock was compared with the server's: what the reading before the load may be off
// by, and how far both have gone apart at its end, in nanoseconds.
type clockReading struct {
	Uncertainty time.Duration `json:"uncertainty_ns"`
	Drift       time.Duration `json:"drift_ns"`
}

// announced is the Begin of a generator's turns that are announced, and what compares its clock once more after them.
func announced(ctx context.Context, dial func(context.Context) (*wire.Session, error), s shared, number int, lines *json.Encoder) (begin func() (time.Time, error), after func() error) {
	var clock barrier.Clock
	begin = func() (at time.Time, err error) {
		session, err := dial(ctx)
		if err != nil {
			return at, err
		}
		defer session.Close()
		if at, clock, err = barrier.Arrive(ctx, session, s.Run, number, s.Of); err != nil {
			return at, err
		}
		if late := time.Since(at); late > 0 {
			return at, fmt.Errorf("the generator learned of the first turn %v after it", late)
		}
		return at, nil
	}
	return begin, func() error {
		own, err := compareAgain(ctx, dial, clock)
		if err != nil {
			return err
		}
		return lines.Encode(printed{Clock: &own})
	}
}

// startedBy generates a load whose generators learn from this host when their turns begin, and keeps by how much their
// clocks may differ from this host's.
func (m *merger) startedBy(j Job, of int, run string, generate Generate) Generate {
	return func(ctx context.Context, job []byte, line func(int, []byte) error) error {
		d, err := wire.NewDialer(*j.Control)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		ended := make(chan error, 1)
		go func() {
			err := generate(ctx, job, line)
			cancel(errors.Join(err, errGeneratorsEnded))
			ended <- err
		}()
		clock, err := m.start(ctx, j, d, run, of)
		if err != nil {
			cancel(err)
			return errors.Join(<-ended, err)
		}
		if err := <-ended; err != nil {
			return err
		}
		after, end := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer end()
		own, err := compareAgain(after, d.Dial, clock)
		if err != nil {
			return err
		}
		return m.judgeClocks(own, j.Turns.Schedule.Guard)
	}
}

// errGeneratorsEnded is why nothing more is said to generators.
var errGeneratorsEnded = errors.New("the generators have ended")

// start has the turns of all jobs begin once the generators of this one are there, and tells them when.
func (m *merger) start(ctx context.Context, j Job, d *wire.Dialer, run string, of int) (barrier.Clock, error) {
	session, err := d.Dial(ctx)
	if err != nil {
		return barrier.Clock{}, fmt.Errorf("wait for generators: %w", err)
	}
	if err := barrier.Gather(ctx, session, run, of); err != nil {
		session.Close()
		return barrier.Clock{}, err
	}
	session.Close() // others may take a while, and an idle connection is one that the path can forget
	begin, err := j.Turns.Begin()
	if err != nil {
		return barrier.Clock{}, err
	}
	if session, err = d.Dial(ctx); err != nil {
		return barrier.Clock{}, fmt.Errorf("announce the start: %w", err)
	}
	defer session.Close()
	return barrier.Announce(ctx, session, run, begin)
}

// compareAgain is the comparison of a clock of this machine with the server's, before and after the load.
func compareAgain(ctx context.Context, dial func(context.Context) (*wire.Session, error), clock barrier.Clock) (clockReading, error) {
	session, err := dial(ctx)
	if err != nil {
		return clockReading{}, fmt.Errorf("compare clocks: %w", err)
	}
	defer session.Close()
	drift, err := clock.Drift(ctx, session)
	if err != nil {
		return clockReading{}, fmt.Errorf("compare clocks: %w", err)
	}
	return clockReading{clock.Uncertainty(), drift}, nil
}

// judgeClocks writes by how much the clock of a generator may have differed from this host's, and refuses a load with
// turns that may have overlapped: two jobs may both be off by that, and the guard is what lies between their turns.
func (m *merger) judgeClocks(own clockReading, guard time.Duration) error {
	var most time.Duration
	for _, c := range m.clocks {
		most = max(most, c.Uncertainty+own.Uncertainty+(c.Drift-own.Drift).Abs())
	}
	ms := fmt.Sprintf("%.3f", most.Seconds()*1000)
	if err := m.emit(record.Line{Fact: &record.Fact{Key: keys.ClockUncertaintyMS, Value: ms, Source: "NOW(6) of the server, over the generators' and tare's connections", Phase: "end"}}); err != nil {
		return err
	}
	if 2*most > guard {
		return errors.New(record.ClocksDiffer.Say(ms, guard.String()))
	}
	return nil
}
