package loadgen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tarebench/tare/internal/environment"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/loadgen/barrier"
	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/summary"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
)

// shared is a job as its generators get it: what of a Job can be sent, and how
// many share it. It holds the password and travels in secrets only.
type shared struct {
	Workload        string
	File            *experiment.Text `json:",omitempty"`
	Tables          int
	Rows            int64
	Scale           int
	Threads         int // of all generators together
	Connections     int `json:",omitempty"`
	Earlier         int `json:",omitempty"`
	Rate, Limit     float64
	Reconnect       time.Duration `json:",omitempty"`
	Warmup, Measure time.Duration
	Percentile      float64
	Seed            int64
	Arrivals        uint64
	Options         map[string]string
	Server          mysqld.Address
	// Run names this load among all that the server has seen, Of is the number of
	// generators.
	Run string
	Of  int
	// Turns are those of a job that takes turns; they say when it begins.
	Turns *sharedTurns
	// MeasurePath is the Job's.
	MeasurePath bool
	// Await has the generator that measures the path at the end wait until the load's counters have been read.
	Await bool `json:",omitempty"`
	// Prepare asks for the tables instead of a load.
	Prepare bool `json:",omitempty"`
}

// sharedTurns are Turns whose start has been agreed on, or with a zero Begin will be announced once all generators
// are there.
type sharedTurns struct {
	Schedule interleave.Schedule
	Cell     int
	Begin    time.Time
}

// turns are those of a generator, which must be there before they begin. The moment has come as
// text: it has the wall clock alone, which may be set during the round. What is left until then is
// counted from now by the clock that is never set.
func (s *sharedTurns) turns() *Turns {
	if s == nil {
		return nil
	}
	return &Turns{Schedule: s.Schedule, Cell: s.Cell, Begin: func() (time.Time, error) {
		now := time.Now()
		left := s.Begin.Sub(now)
		if left < 0 {
			return s.Begin, fmt.Errorf("the generator was ready %v after the first turn", -left)
		}
		return now.Add(left), nil
	}}
}

// printed is one line of a generator: a property of the network path to the idle server, a
// step of the series, the end of the load, or the report that ends it; of one that prepares, what a table has
// come to.
type printed struct {
	Step     string           `json:"step,omitempty"`
	Fact     *record.Fact     `json:"fact,omitempty"`
	Interval *record.Interval `json:"interval,omitempty"`
	Ended    bool             `json:"ended,omitempty"`
	Report   *summary.Summary `json:"report,omitempty"`
	Clock    *clockReading    `json:"clock,omitempty"`
}

// RunPart is one generator's part of a job that Distribute has sent: it begins with
// the others and prints a line for every interval, and its report.
//
// It ends with [barrier.ErrNoController] when the tare that sent the job is gone.
func RunPart(ctx context.Context, text []byte, number int, w io.Writer) error {
	return runPart(ctx, text, number, w, barrier.Silence)
}

func runPart(ctx context.Context, text []byte, number int, w io.Writer, grace time.Duration) error {
	var s shared
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("read job: %w", err)
	}
	if number < 0 || number >= s.Of {
		return fmt.Errorf("run part of load: there are %[2]d generators, and %[1]d is not the number of one", number, s.Of)
	}
	j := s.job(number)
	var e builtIn
	p, d, err := e.ready(j)
	if err != nil {
		return err
	}
	if err := reach(ctx, d); err != nil {
		return fmt.Errorf("run part of load: %w", err)
	}
	if s.Prepare {
		return prepareShare(ctx, p, d, s, number, w, grace)
	}
	if err := Bind(ctx, d.Dial, p); err != nil {
		return fmt.Errorf("run part of load: %w", err)
	}
	l := e.loop(j, p, d, nil)
	takeShare(l, s, number)
	ctx, watched, err := withController(ctx, l.Dial, s.Run, grace)
	if err != nil {
		return err
	}
	defer watched()
	lines, path := json.NewEncoder(w), NewPath(j)
	if err := tellKernel(number, lines); err != nil {
		return err
	}
	if err := measurePath(ctx, path, "start", lines); err != nil {
		return err
	}
	clock := func() error { return nil }
	if s.Turns != nil && s.Turns.Begin.IsZero() {
		l.Turns.Begin, clock = announced(ctx, l.Dial, s, number, lines)
	}
	if s.Turns != nil {
		defer Reserve(l.Connections, l.Arrivals != nil)()
	} else {
		l.Agree = func() (time.Time, error) { return agreedStart(ctx, l, s, number) }
	}
	var failed error
	show := func(i loop.Interval) {
		line := interval(i, l.Connections, j.Percentile)
		failed = errors.Join(failed, lines.Encode(printed{Interval: &line}))
	}
	result, err := loop.Run(ctx, l, show)
	// A load that was cut short has a result too, and it is not the one asked for.
	if err := errors.Join(err, failed, context.Cause(ctx)); err != nil {
		return fmt.Errorf("run part of load: %w", err)
	}
	if err := errors.Join(clock(), measurePathAfter(ctx, l, path, s, lines)); err != nil {
		return err
	}
	return lines.Encode(printed{Report: summary.From(p, l.Connections, result)})
}

// tellKernel prints which kernel a generator runs on: whether that is the controller's machine, or the server's, is for the
// controller to say.
func tellKernel(number int, lines *json.Encoder) error {
	f := record.Fact{Key: fmt.Sprintf(keys.LoadPodPrefix+"%d.boot_id", number), Source: environment.BootFile, Phase: "start"}
	id, err := environment.Boot()
	if f.Value = id; err != nil {
		f.Value, f.Unknown = "", err.Error()
	}
	return lines.Encode(printed{Fact: &f})
}

// job is what generator number does of the load, before its share is taken.
func (s shared) job(number int) Job {
	return Job{
		Workload: s.Workload, File: s.File, Tables: s.Tables, Rows: s.Rows, Scale: s.Scale, Threads: s.Threads, Rate: s.Rate, Limit: s.Limit, Reconnect: s.Reconnect,
		Warmup: s.Warmup, Measure: s.Measure, Percentile: s.Percentile, Seed: s.Seed, Arrivals: s.Arrivals, Options: s.Options, Server: s.Server,
		Connections: s.Connections, Earlier: s.Earlier,
		MeasurePath: s.MeasurePath && number == 0, // all generators are placed alike
		Turns:       s.Turns.turns(),
	}
}

// takeShare leaves generator number its connections, rate and arrivals.
func takeShare(l *loop.Job, s shared, number int) {
	l.Connections, l.First = share(s.Threads, s.Of, number)
	l.All = s.Threads
	l.Limit *= float64(l.Connections) / float64(s.Threads)
	if l.Arrivals != nil {
		l.Arrivals = new(l.Arrivals.Part(number, s.Of))
	}
}

// reachWithin is how long an address may not answer from where a generator is: the name of
// a new load balancer is not known to every resolver at once, and its targets are not yet.
const reachWithin = time.Minute

// reach waits until the server answers, be it with a refusal.
func reach(ctx context.Context, d *wire.Dialer) error {
	limit, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	for {
		session, err := d.Dial(limit)
		if err == nil {
			session.Close()
			return nil
		}
		var refused *wire.ServerError
		if errors.As(err, &refused) {
			return err
		}
		select {
		case <-limit.Done():
			return fmt.Errorf("no answer within %s: %w", reachWithin, err)
		case <-time.After(reachEvery):
		}
	}
}

// reachEvery is the time between two attempts.
const reachEvery = 500 * time.Millisecond

// withController is a context that ends when the controller of a run is gone.
func withController(ctx context.Context, dial func(context.Context) (*wire.Session, error), run string, grace time.Duration) (context.Context, func(), error) {
	session, err := dial(ctx)
	if err != nil {
		return ctx, nil, err
	}
	watched, end := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := barrier.Watch(watched, session, dial, run, grace); err != nil {
			end(err)
		}
	}()
	return watched, func() {
		end(nil)
		<-done
	}, nil
}

// measurePath prints the properties of the network path to the server. Nothing loads it then: the others
// wait for this generator at the start, and end when it does.
func measurePath(ctx context.Context, p *Path, phase string, lines *json.Encoder) error {
	if !p.job.MeasurePath {
		return nil
	}
	for _, f := range p.Facts(ctx, phase) {
		if err := lines.Encode(printed{Fact: &f}); err != nil {
			return fmt.Errorf("measure the network path: %w", err)
		}
	}
	return nil
}

// countedWithin is how long the controller may take to read the counters after the load: lastPatience of package probe and as
// much again for the way of the line.
const countedWithin = 30 * time.Second

// measurePathAfter prints the properties of the path after the load, once the load's counters have been read. Where that
// is not known in time, the path is not measured.
func measurePathAfter(ctx context.Context, l *loop.Job, p *Path, s shared, lines *json.Encoder) error {
	if !p.job.MeasurePath || !s.Await || s.Turns != nil {
		return measurePath(ctx, p, "end", lines)
	}
	if err := lines.Encode(printed{Ended: true}); err != nil {
		return fmt.Errorf("say that the load has ended: %w", err)
	}
	if err := awaitCounters(ctx, l, s.Run); err != nil {
		for _, w := range pathProperties() {
			f := record.Fact{Key: w.key, Source: w.source, Phase: "end", Unknown: err.Error()}
			if err := lines.Encode(printed{Fact: &f}); err != nil {
				return fmt.Errorf("measure the network path: %w", err)
			}
		}
		return nil
	}
	return measurePath(ctx, p, "end", lines)
}

func awaitCounters(ctx context.Context, l *loop.Job, run string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, countedWithin, fmt.Errorf("not done within %s", countedWithin))
	defer cancel()
	session, err := l.Dial(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	return barrier.Counted(ctx, session, run)
}

// agreedStart is when all generators begin.
func agreedStart(ctx context.Context, l *loop.Job, s shared, number int) (time.Time, error) {
	session, err := l.Dial(ctx)
	if err != nil {
		return time.Time{}, err
	}
	defer session.Close()
	return barrier.Start(ctx, session, s.Run, number, s.Of)
}
