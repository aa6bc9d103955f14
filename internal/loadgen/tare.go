package loadgen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/loadgen/fill"
	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/pace"
	"github.com/tarebench/tare/internal/loadgen/summary"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/workload"
)

// builtIn is tare's own engine: event loops in this process.
type builtIn struct{}

// BuiltIn is tare's own engine. It needs no program.
func BuiltIn(string) Engine { return builtIn{} }

func (builtIn) Name() string { return "tare" }

// options are those of a job in the engine's own form.
func (builtIn) options(j Job) (workload.Options, error) {
	o := workload.Defaults()
	errs := checkFileOptions(j)
	for _, name := range slices.Sorted(maps.Keys(j.Options)) {
		if name == textOption {
			o.TextProtocol = j.Options[name] == "disable"
			continue
		}
		if name == verifyOption {
			_, err := workload.ParseSwitch(j.Options[name])
			errs = append(errs, err)
			continue
		}
		errs = append(errs, o.Set(name, j.Options[name]))
	}
	if w, ok := workload.Find(j.Workload); ok {
		errs = append(errs, checkExtent(w, j))
	}
	o.Scale = max(o.Scale, j.Scale)
	if j.Tables > 0 {
		o.Tables = j.Tables
	}
	if j.Rows > 0 {
		o.TableSize = int(j.Rows)
	}
	o.Threads, o.Connections, o.Earlier = max(j.Threads, 1), j.Connections, j.Earlier
	return o, errors.Join(errs...)
}

// checkExtent says how the data of a workload are given in an experiment that gives
// them as another's.
func checkExtent(w workload.Workload, j Job) error {
	switch {
	case w.Scaled && j.Tables > 0:
		return fmt.Errorf("the size of %s is a number of warehouses: instead of data.tables and data.rows, write data: {scale: 10}", w.Name)
	case !w.Scaled && j.Scale > 0:
		return fmt.Errorf("scale %d: the size of %s is data.tables and data.rows", j.Scale, w.Name)
	}
	return nil
}

func (e builtIn) program(j Job) (*workload.Program, error) {
	o, err := e.options(j)
	if !workload.IsFile(j.Workload) {
		if err != nil {
			return nil, err
		}
		return workload.Build(j.Workload, o)
	}
	w, broken := j.parse()
	if err := cmp.Or(broken, err); err != nil { // the places of the file's mistakes first
		return nil, err
	}
	return workload.FromFile(w, o)
}

// Check says everything that keeps the job from running.
func (e builtIn) Check(_ context.Context, j Job) []error {
	var errs []error
	add := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	_, err := e.program(j)
	add(err)
	_, err = wire.NewDialer(j.Server)
	add(err)
	if j.Threads < 1 {
		add(fmt.Errorf("threads is %d: must be at least 1", j.Threads))
	}
	if j.Measure <= 0 {
		add(fmt.Errorf("measure is %v: must be above 0", j.Measure))
	}
	if j.Limit > 0 && j.Rate > 0 {
		add(errors.New("limit: a load with a rate has one; leave limit out"))
	}
	if j.Rate < 0 {
		add(fmt.Errorf("rate is %v: must not be negative", j.Rate))
	}
	return errs
}

// Prepare makes the tables.
func (e builtIn) Prepare(ctx context.Context, j Job, log io.Writer) error {
	p, d, err := e.ready(j)
	if err != nil {
		return err
	}
	d.LocalFiles = true
	err = fill.Run(ctx, fill.Job{
		Tables: p.Tables(uint64(j.Seed)), Dial: d.Dial, Workers: max(j.PrepareThreads, 1), Verify: true,
		Progress: func(p fill.Progress) {
			if p.Step != "" {
				fmt.Fprintln(log, stepOf(p))
			}
		},
	})
	if err != nil {
		return err
	}
	return j.checkStatements(ctx, d)
}

// checkStatements has the server prepare every statement of a workload file.
func (j Job) checkStatements(ctx context.Context, d *wire.Dialer) error {
	if j.File == nil {
		return nil
	}
	w, err := j.parse()
	if err != nil {
		return err
	}
	return CheckStatements(ctx, d.Dial, w)
}

// Cleanup drops the tables.
func (e builtIn) Cleanup(ctx context.Context, j Job, _ io.Writer) error {
	p, d, err := e.ready(j)
	if err != nil {
		return err
	}
	return fill.Drop(ctx, d.Dial, p.Tables(0))
}

func (e builtIn) ready(j Job) (*workload.Program, *wire.Dialer, error) {
	p, err := e.program(j)
	if err != nil {
		return nil, nil, err
	}
	d, err := wire.NewDialer(j.Server)
	if err != nil {
		return nil, nil, err
	}
	d.Inside = j.inside
	return p, d, nil
}

// Run offers the load.
func (e builtIn) Run(ctx context.Context, j Job, emit func(record.Line) error) (record.Outcome, string, error) {
	fail := func(err error) (record.Outcome, string, error) { return record.Failed, err.Error(), err }
	p, d, err := e.ready(j)
	if err != nil {
		return fail(err)
	}
	if err := Bind(ctx, d.Dial, p); err != nil {
		return starvedOr(err)
	}
	for _, m := range metrics() {
		if err := emit(record.Line{Metric: &m}); err != nil {
			return fail(err)
		}
	}
	percentile := j.Percentile
	if percentile == 0 {
		percentile = 95
	}
	dialTo, err := j.dialTo()
	if err != nil {
		return fail(err)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	show := func(i loop.Interval) {
		if j.Log != nil {
			summary.Line(j.Log, i, j.Threads, percentile, j.Rate > 0)
		}
		line := interval(i, j.Threads, percentile)
		if err := emit(record.Line{Interval: &line}); err != nil {
			stop(err)
		}
	}
	result, err := loop.Run(ctx, e.loop(j, p, d, dialTo), show)
	if j.Ledger != nil && p.Numbered && result != nil {
		*j.Ledger = *p.Ledger(result.Ledger)
	}
	if cause := context.Cause(ctx); cause != nil {
		return fail(record.RunLoad.Wrap(cause))
	}
	if err != nil {
		return starvedOr(err)
	}
	for server, n := range result.Window.Servers {
		f := record.Fact{Key: fmt.Sprintf(keys.LoadMemberPrefix+"%d.tps", server+1), Value: strconv.FormatFloat(float64(n)/result.Length.Seconds(), 'f', 1, 64), Source: "engine", Phase: "end"}
		if err := emit(record.Line{Fact: &f}); err != nil {
			return fail(err)
		}
	}
	return conclude(j, summary.From(p, j.Threads, result), result, emit)
}

// Verifies reports whether the workload's statements depend on each other.
func (e builtIn) Verifies(j Job) bool {
	p, err := e.program(j)
	wanted, _ := workload.ParseSwitch(cmp.Or(j.Options[verifyOption], "on"))
	return err == nil && len(p.Conditions) > 0 && wanted
}

// Verify checks the conditions of the workload.
func (e builtIn) Verify(ctx context.Context, j Job) error {
	p, d, err := e.ready(j)
	if err != nil {
		return err
	}
	return fill.Check(ctx, d.Dial, p.Conditions)
}

// verifyOption, off, leaves the conditions of the workload unchecked: on many
// warehouses that takes minutes.
const verifyOption = "verify"

// textOption, "disable", sends every statement as text, reconnectOption ends a connection
// after so many transactions: the options that every workload has, with verifyOption.
const (
	textOption      = "db-ps-mode"
	reconnectOption = "reconnect"
)

// starvedOr tells a server that refuses for want of means, or does not answer at
// all, from a mistake.
func starvedOr(err error) (record.Outcome, string, error) {
	var refused *wire.ServerError
	if errors.As(err, &refused) && slices.Contains(lostErrors(), int(refused.Code)) || errors.Is(err, os.ErrDeadlineExceeded) {
		return record.Starved, err.Error(), nil
	}
	err = record.RunLoad.Wrap(err)
	return record.Failed, err.Error(), err
}

// timelineStep is a tenth of what a part of an outage is to be known by.
const timelineStep = 20 * time.Millisecond

func (builtIn) loop(j Job, p *workload.Program, d *wire.Dialer, dialTo func(context.Context, int) (*wire.Session, error)) *loop.Job {
	l := &loop.Job{
		Program: p, Dial: d.Dial, Connections: j.Threads, Seed: uint64(j.Seed), Warmup: j.Warmup, Time: j.Measure,
		Interval: time.Second, Drain: forcedShutdown, DialAtOnce: 16, Limit: j.Limit, Began: j.Began,
		Faults: loop.Policy{FirstPause: 10 * time.Millisecond, LongestPause: time.Second, Reconnect: j.Reconnect},
	}
	if j.Timeline {
		l.Timeline = timelineStep
	}
	if j.Routes != nil {
		l.Routes, l.DialTo = j.Routes, dialTo
	}
	if l.Seed == 0 {
		l.Seed = uint64(time.Now().UnixNano())
	}
	length := j.Warmup + j.Measure
	if l.Turns = j.Turns; j.Turns != nil {
		length = time.Duration(j.Turns.Schedule.Turns()) * j.Turns.Schedule.Load()
	}
	// With the same draws a step or a trial on a server that has run another would find the rows that it
	// asks for in memory. sysbench's seed is made alike.
	seed := rand.NewPCG(l.Seed, j.Arrivals).Uint64()
	l.Seed = seed
	if j.Rate > 0 {
		s := pace.Schedule{{Length: length, From: j.Rate, To: j.Rate}}
		l.Arrivals, l.Preempt = new(pace.Poisson(s, seed)), j.Preempt
	}
	return l
}

// interval is a step of the series in the record's form.
func interval(i loop.Interval, threads int, percentile float64) record.Interval {
	s := i.Length.Seconds()
	per := func(n int64) float64 { return float64(n) / s }
	return record.Interval{
		End: i.End.Seconds(), Length: s, Warmup: i.Warmup, Turn: i.Turn, Threads: threads,
		Transactions: per(i.Transactions), Queries: per(i.Queries()), Reads: per(i.Reads), Writes: per(i.Writes), Other: per(i.Other),
		Errors: per(i.Ignored), Reconnects: per(i.Reconnects),
		Percentile: percentile, Latency: float64(i.Latency.Percentile(percentile)) / 1e6, Coarse: i.Coarse.Export(),
		Queue: i.Queue, Concurrency: int64(i.Busy),
	}
}
