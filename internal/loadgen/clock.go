package loadgen

// Turns of generators whose clocks are not this host's: when they begin is announced once all generators are there. Where one
// clock keeps the turns of a whole round, as on one node, nothing else matters; by how much several may differ is measured
// (package barrier).

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

// startedBy generates a load whose generators learn from this host when their turns begin, and keeps by how much the clocks
// of the round may differ.
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
		began, err := m.start(ctx, j, d, run, of)
		if err != nil {
			cancel(err)
			return errors.Join(<-ended, err)
		}
		if err := <-ended; err != nil {
			return err
		}
		return m.judgeClocks(ctx, j, d, began)
	}
}

// errGeneratorsEnded is why nothing more is said to generators.
var errGeneratorsEnded = errors.New("the generators have ended")

// begun is what was known of the clocks of a job and its round when its turns were announced.
type begun struct {
	own      barrier.Clock
	arrivals []barrier.Arrival
	clocks   *barrier.Clocks
}

// start has the turns of all jobs begin once the generators of this one are there, and tells them when.
func (m *merger) start(ctx context.Context, j Job, d *wire.Dialer, run string, of int) (begun, error) {
	b := begun{clocks: j.Clocks}
	if b.clocks == nil {
		b.clocks = barrier.NewClocks()
	}
	session, err := d.Dial(ctx)
	if err != nil {
		return b, fmt.Errorf("wait for generators: %w", err)
	}
	b.arrivals, b.own, err = barrier.Gather(ctx, session, run, of)
	session.Close() // others may take a while, and an idle connection is one that the path can forget
	if err != nil {
		return b, err
	}
	b.clocks.See(b.own, b.arrivals)
	begin, err := j.Turns.Begin()
	if err != nil {
		return b, err
	}
	if session, err = d.Dial(ctx); err != nil {
		return b, fmt.Errorf("announce the start: %w", err)
	}
	defer session.Close()
	return b, barrier.Announce(ctx, session, run, begin, b.own, b.arrivals, b.clocks)
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

// Where the uncertainty of clocks is known from.
const (
	fromOneClock = "boot ids of the kernels of all load generators: one clock"
	fromReadings = "NOW(6) of the server, over the generators' and tare's connections"
)

// judgeClocks writes by how much the clock of a generator may have differed from this host's, and refuses a load with
// turns that may have overlapped: two jobs may both be off by that, and the guard is what lies between their turns. Where one
// clock kept the turns of all jobs, that is nothing.
func (m *merger) judgeClocks(ctx context.Context, j Job, d *wire.Dialer, b begun) error {
	if b.clocks.One() {
		return m.uncertain(0, fromOneClock)
	}
	after, end := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer end()
	own, err := compareAgain(after, d.Dial, b.own)
	if err != nil {
		return err
	}
	var most time.Duration
	for i, c := range m.clocks {
		most = max(most, b.apart(i, c, own))
	}
	if err := m.uncertain(most, fromReadings); err != nil {
		return err
	}
	if guard := j.Turns.Schedule.Guard; 2*most > guard {
		return errors.New(record.ClocksDiffer.Say(inMilliseconds(most), guard.String()))
	}
	return nil
}

// apart is by how much the clock of a generator may have differed from this host's.
func (b begun) apart(number int, c, own clockReading) time.Duration {
	uncertainty, exact, known := b.clocks.Uncertainty(b.arrivals[number])
	switch {
	case exact:
		return 0
	case !known:
		uncertainty = c.Uncertainty + own.Uncertainty
	}
	return uncertainty + (c.Drift - own.Drift).Abs()
}

func (m *merger) uncertain(most time.Duration, source string) error {
	return m.emit(record.Line{Fact: &record.Fact{Key: keys.ClockUncertaintyMS, Value: inMilliseconds(most), Source: source, Phase: "end"}})
}

func inMilliseconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()*1000) }
