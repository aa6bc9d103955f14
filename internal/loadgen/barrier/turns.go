package barrier

// The start of turns that a controller keeps by its own clock, for generators whose clocks are others: both compare
// theirs with the server's, by request and response as NTP does (RFC 5905), before the load and after it. Generators that
// share a clock get the start by it, and these comparisons are not in their turns (Clocks).

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// Clock compares a clock of this machine, one that is never set, with the server's.
type Clock struct {
	began time.Time     // by this machine's
	begin int64         // microseconds: the same moment by the server's, since 1970
	took  time.Duration // the round trip that told it
}

// Uncertainty is by how much the server's time can be wrong that was read: half a round trip.
func (c Clock) Uncertainty() time.Duration { return c.took / 2 }

// How often the server's clock is read: the reading with the shortest round trip counts. On a busy machine, and through a port
// forwarding, most take tens of milliseconds and some do not, so that more are taken while none was short.
const (
	mostReadings = 64
	shortTrip    = time.Millisecond
	readFor      = 2 * time.Second
)

// now reads the server's time. The epoch is the session's time zone's, which no comparison needs.
func now(ctx context.Context, s *wire.Session) (Clock, error) {
	return shortest(time.Now, func() (int64, error) {
		rows, err := s.Query(ctx, "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', NOW(6))")
		if err != nil {
			return 0, fmt.Errorf("read the server's clock: %w", err)
		}
		micros, err := strconv.ParseInt(rows[0][0], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read the server's clock: %w", err)
		}
		return micros, nil
	})
}

// shortest is the reading with the shortest round trip. here is this machine's clock.
func shortest(here func() time.Time, read func() (int64, error)) (least Clock, err error) {
	began := here()
	for i := 0; i < readings || i < mostReadings && least.took > shortTrip && here().Sub(began) < readFor; i++ {
		asked := here()
		micros, err := read()
		took := here().Sub(asked)
		if err != nil {
			return least, err
		}
		if i == 0 || took < least.took {
			least = Clock{asked.Add(took / 2), micros, took}
		}
	}
	return least, nil
}

// Drift is by how much the two clocks have gone apart since they were compared: positive where the server's is
// ahead. That the server's was set meanwhile looks the same.
func (c Clock) Drift(ctx context.Context, s *wire.Session) (time.Duration, error) {
	then, err := now(ctx, s)
	return time.Duration(then.begin-c.begin)*time.Microsecond - then.began.Sub(c.began), err
}

// Arrival is a generator that waits for an announcement, and one moment by its clock and by the server's.
type Arrival struct {
	Clock       string        // its name (environment.Clock); "" where it is not known
	Nanoseconds int64         // by the clock
	Server      int64         // microseconds, as Clock.begin
	Took        time.Duration // the round trip that told it
}

// Gather waits until all generators of a run have arrived, and compares this host's clock with the server's. The arrivals
// are in the order of the generators' numbers.
func Gather(ctx context.Context, s *wire.Session, run string, of int) ([]Arrival, Clock, error) {
	fail := func(err error) ([]Arrival, Clock, error) {
		return nil, Clock{}, fmt.Errorf("wait for generators: %w", err)
	}
	if err := exec(ctx, s, createTable); err != nil {
		return fail(err)
	}
	for {
		rows, err := s.Query(ctx, fmt.Sprintf("SELECT COUNT(*) FROM %s WHERE run = '%s' AND number >= 0", table, run))
		if err != nil {
			return fail(err)
		}
		if rows[0][0] == strconv.Itoa(of) {
			break
		}
		select {
		case <-ctx.Done():
			return fail(fmt.Errorf("%s of %d are there: %w", rows[0][0], of, context.Cause(ctx)))
		case <-time.After(pollEvery(of)):
		}
	}
	arrivals, err := arrived(ctx, s, run)
	if err != nil {
		return fail(err)
	}
	own, err := now(ctx, s)
	if err != nil {
		return fail(err)
	}
	return arrivals, own, nil
}

// arrived reads what generators have written.
func arrived(ctx context.Context, s *wire.Session, run string) (all []Arrival, err error) {
	rows, err := s.Query(ctx, fmt.Sprintf("SELECT COALESCE(clock, ''), COALESCE(clock_ns, 0), COALESCE(server_us, 0), COALESCE(took_ns, 0) FROM %s WHERE run = '%s' AND number >= 0 ORDER BY number", table, run))
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		var n [3]int64
		for i, text := range row[1:] {
			if n[i], err = strconv.ParseInt(text, 10, 64); err != nil {
				return nil, fmt.Errorf("read the clock of a generator: %w", err)
			}
		}
		a := Arrival{Nanoseconds: n[0], Server: n[1], Took: time.Duration(n[2])}
		if clockName.MatchString(row[0]) {
			a.Clock = row[0]
		}
		all = append(all, a)
	}
	return all, nil
}

// named is the number of the first row that has the start by a clock with a name; those of further ones follow downwards.
const named = -3

// Announce tells the generators of a run, and what follows its turns beside them, when to begin: by every clock of the round
// that is known, and by the server's for others. own and arrivals are of Gather.
func Announce(ctx context.Context, s *wire.Session, run string, begin time.Time, own Clock, arrivals []Arrival, clocks *Clocks) error {
	moments := clocks.moments(begin)
	values := []string{fmt.Sprintf("('%s', -1, TIMESTAMPADD(MICROSECOND, %d, '1970-01-01'), NULL, NULL)", run, byServer(begin, own, arrivals, moments))}
	number := named
	for name, ns := range moments {
		values = append(values, fmt.Sprintf("('%s', %d, NULL, '%s', %d)", run, number, name, ns))
		number--
	}
	for _, sql := range []string{createTable, "INSERT INTO " + table + " (run, number, begins, clock, clock_ns) VALUES " + strings.Join(values, ", ")} {
		if err := exec(ctx, s, sql); err != nil {
			return fmt.Errorf("announce the start: %w", err)
		}
	}
	return nil
}

// AnnounceAlone is Announce where no generator waits.
func AnnounceAlone(ctx context.Context, s *wire.Session, run string, begin time.Time) error {
	own, err := now(ctx, s)
	if err != nil {
		return fmt.Errorf("announce the start: %w", err)
	}
	return Announce(ctx, s, run, begin, own, nil, NewClocks())
}

// byServer is the start by the server's clock, in microseconds as Clock.begin: from the generator whose comparison with the
// server took the shortest time, and has a clock by which the start is known; else from this host's.
func byServer(begin time.Time, own Clock, arrivals []Arrival, moments map[string]int64) int64 {
	at, took := own.begin+begin.Sub(own.began).Microseconds(), own.took
	for _, a := range arrivals {
		if ns, ok := moments[a.Clock]; ok && a.Took < took {
			at, took = a.Server+(ns-a.Nanoseconds)/1000, a.Took
		}
	}
	return at
}

// Arrive says that a generator is there, waits for the controller's announcement, and returns when to begin by this
// machine's clock.
func Arrive(ctx context.Context, s *wire.Session, run string, number, of int) (time.Time, Clock, error) {
	fail := func(err error) (time.Time, Clock, error) {
		return time.Time{}, Clock{}, fmt.Errorf("wait for the start: %w", err)
	}
	if !runName.MatchString(run) {
		return fail(fmt.Errorf("%q is not a valid run name", run))
	}
	if err := exec(ctx, s, createTable); err != nil {
		return fail(err)
	}
	c, err := now(ctx, s)
	if err != nil {
		return fail(err)
	}
	columns, values := "run, number", fmt.Sprintf("'%s', %d", run, number)
	if own, err := ownMoment(); err == nil { // else it has no name, and the start is read by the server's clock
		columns += ", clock, clock_ns, server_us, took_ns"
		values += fmt.Sprintf(", '%s', %d, %d, %d", own.name, own.nanoseconds(c.began), c.begin, c.took.Nanoseconds())
	}
	if err := exec(ctx, s, fmt.Sprintf("REPLACE INTO %s (%s) VALUES (%s)", table, columns, values)); err != nil {
		return fail(err)
	}
	at, told, byName, err := Await(ctx, s, run, pollEvery(of))
	if byName {
		told = c
	}
	return at, told, err
}

// Await waits for the controller's announcement, and returns when to begin by this machine's clock. byName says that the
// controller knows that clock, so that no comparison with the server's is in the start, and none is returned. The table may
// not be there yet, which is an error.
func Await(ctx context.Context, s *wire.Session, run string, every time.Duration) (begin time.Time, c Clock, byName bool, err error) {
	fail := func(err error) (time.Time, Clock, bool, error) {
		return time.Time{}, Clock{}, false, fmt.Errorf("wait for the start: %w", err)
	}
	if !runName.MatchString(run) {
		return fail(fmt.Errorf("%q is not a valid run name", run))
	}
	own, unnamed := ownMoment()
	name := own.name
	if unnamed != nil {
		name = ""
	}
	sql := fmt.Sprintf("SELECT number, COALESCE(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', begins), clock_ns) FROM %s WHERE run = '%s' AND (number = -1 OR number <= %d AND clock = '%s') ORDER BY number", table, run, named, name)
	for {
		rows, err := s.Query(ctx, sql)
		if err != nil {
			return fail(err)
		}
		if len(rows) > 0 {
			at, err := strconv.ParseInt(rows[0][1], 10, 64)
			if err != nil {
				return fail(err)
			}
			if rows[0][0] != "-1" {
				return own.when(at), Clock{}, true, nil
			}
			if c, err = now(ctx, s); err != nil {
				return fail(err)
			}
			return c.began.Add(time.Duration(at-c.begin) * time.Microsecond), c, false, nil
		}
		select {
		case <-ctx.Done():
			return fail(context.Cause(ctx))
		case <-time.After(every):
		}
	}
}
