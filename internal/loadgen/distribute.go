package loadgen

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/summary"
	"github.com/tarebench/tare/internal/record"
)

// Generate gives a job to every generator and calls line, from several
// goroutines, with each line that one prints. It returns when all have ended, or
// when the first has failed.
type Generate func(ctx context.Context, job []byte, line func(number int, text []byte) error) error

// Distribute offers a job by several generators of the built-in engine that run
// elsewhere. Counts and histograms of the window are the sums of the parts, and
// exactly so; the series is summed step by step, its coarse distributions as well,
// with the percentile of the part that was slowest in the step. Run is a name that no
// other load on the server has had.
func Distribute(ctx context.Context, j Job, of int, run string, generate Generate, emit func(record.Line) error) (record.Outcome, string, error) {
	fail := func(err error) (record.Outcome, string, error) { return record.Failed, err.Error(), err }
	if err := EnoughThreads(j.Threads, of); err != nil {
		return fail(err)
	}
	for _, m := range metrics() {
		if err := emit(record.Line{Metric: &m}); err != nil {
			return fail(err)
		}
	}
	if j.Percentile == 0 {
		j.Percentile = 95
	}
	var turns *sharedTurns
	if j.Turns != nil {
		turns = &sharedTurns{Schedule: j.Turns.Schedule, Cell: j.Turns.Cell}
		j.Measure = j.Turns.Schedule.Counted()
	}
	if j.Turns != nil && j.Control == nil {
		var err error
		if turns.Begin, err = j.Turns.Begin(); err != nil {
			return fail(err)
		}
	}
	text, err := j.encode(shared{Turns: turns, Run: run, Of: of, MeasurePath: j.MeasurePath, Await: j.MeasurePath && j.Counted != nil})
	if err != nil {
		return fail(err)
	}
	m := &merger{emit: emit, counted: j.Counted, series: make([][]record.Interval, of), reports: make([]*summary.Summary, of), clocks: make([]clockReading, of)}
	if j.Turns != nil && j.Control != nil {
		generate = m.startedBy(j, of, run, generate)
	}
	if err := generate(ctx, text, m.line); err != nil {
		return fail(record.RunLoad.Wrap(err))
	}
	sum, err := m.sum(j.Measure)
	if err != nil {
		return fail(err)
	}
	return conclude(j, sum, &loop.Result{}, emit)
}

// encode is a job as its generators get it: into s comes what they all have.
func (j Job) encode(s shared) ([]byte, error) {
	var err error
	if s.Server, err = j.Server.Portable(); err != nil {
		return nil, err
	}
	s.Workload, s.File, s.Tables, s.Rows, s.Scale, s.Seed, s.Options = j.Workload, j.File, j.Tables, j.Rows, j.Scale, j.Seed, j.Options
	s.Threads, s.Rate, s.Limit, s.Warmup, s.Measure, s.Percentile = j.Threads, j.Rate, j.Limit, j.Warmup, j.Measure, j.Percentile
	s.Reconnect = j.Reconnect
	s.Arrivals, s.Connections, s.Earlier = j.Arrivals, j.Connections, j.Earlier
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode job: %w", err)
	}
	return text, nil
}

// EnoughThreads refuses a load that leaves a generator without a connection.
func EnoughThreads(threads, of int) error {
	if threads < of {
		return fmt.Errorf("%d threads are too few for %d generators: each needs at least one", threads, of)
	}
	return nil
}

// share is the number of connections of a generator, and how many the generators
// before it have: 25 threads of 2 generators are 13 and 12.
func share(threads, of, number int) (connections, before int) {
	connections, rest := threads/of, threads%of
	if number < rest {
		return connections + 1, number * (connections + 1)
	}
	return connections, number*connections + rest
}

// merger puts the lines of all generators together.
type merger struct {
	emit    func(record.Line) error
	counted func() // Job.Counted

	clocks []clockReading // of each, where turns were announced

	mu      sync.Mutex
	series  [][]record.Interval // of each, the steps that are not yet emitted
	reports []*summary.Summary
}

// line takes a line of a generator. What is not a line of ours is what something
// else printed, a message of the runtime's for one, and is not part of the record.
func (m *merger) line(number int, text []byte) error {
	if !bytes.HasPrefix(text, []byte("{")) {
		return nil
	}
	var p printed
	if err := json.Unmarshal(text, &p); err != nil {
		return fmt.Errorf("read line of generator %d: %w", number, err)
	}
	if p.Ended && m.counted != nil {
		m.counted()
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if p.Fact != nil {
		return m.emit(record.Line{Fact: p.Fact})
	}
	if p.Clock != nil {
		m.clocks[number] = *p.Clock
	}
	if p.Report != nil {
		if err := p.Report.Check(); err != nil {
			return fmt.Errorf("read report of generator %d: %w", number, err)
		}
		m.reports[number] = p.Report
	}
	if p.Interval == nil {
		return nil
	}
	m.series[number] = append(m.series[number], *p.Interval)
	for _, s := range m.series {
		if len(s) == 0 {
			return nil
		}
	}
	step := m.series[0][0]
	for i, s := range m.series {
		if i > 0 {
			step = add(step, s[0])
		}
		m.series[i] = s[1:]
	}
	return m.emit(record.Line{Interval: &step})
}

// add sums two generators' figures of one step.
func add(a, b record.Interval) record.Interval {
	a.Threads += b.Threads
	a.Transactions += b.Transactions
	a.Queries += b.Queries
	a.Reads += b.Reads
	a.Writes += b.Writes
	a.Other += b.Other
	a.Errors += b.Errors
	a.Reconnects += b.Reconnects
	a.Queue += b.Queue
	a.Concurrency += b.Concurrency
	a.Latency = max(a.Latency, b.Latency)
	a.Coarse = a.Coarse.Merge(b.Coarse)
	return a
}

// sum merges the reports. A generator that ended without one has not told what
// it did, and the rest is not the load that was asked for.
func (m *merger) sum(measure time.Duration) (*summary.Summary, error) {
	var missing []error
	for i, r := range m.reports {
		switch {
		case r == nil:
			missing = append(missing, fmt.Errorf("merge load: generator %d of %d ended without a report", i, len(m.reports)))
		case r.Seconds < 0.99*measure.Seconds():
			missing = append(missing, fmt.Errorf("merge load: generator %d of %d measured %.2f s instead of %s", i, len(m.reports), r.Seconds, measure))
		}
	}
	if len(missing) > 0 {
		return nil, errors.Join(missing...)
	}
	return summary.Merge(m.reports)
}
