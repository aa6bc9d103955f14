package runner

// This file is the load of a trial: the engine, the probes beside it, and the watch
// over the server's life.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// load runs the engine on a server whose life is watched.
func (t *trial) load(ctx context.Context) (record.Outcome, string, error) {
	watched, life := t.watchLife(ctx)
	t.life = life
	outcome, reason, err := t.probed(watched, t.job())
	return t.survived(ctx, outcome, reason, err)
}

// job is what the engine is to do on the trial's server.
func (t *trial) job() loadgen.Job {
	client := target.ClientOf(t.server)
	job := t.Job.load(t.plan.Threads, client.Address, t.instance)
	job.Inside = client.Inside
	if client.Reconnect > 0 {
		job.Options = maps.Clone(job.Options)
		if job.Options == nil {
			job.Options = map[string]string{}
		}
		job.Options["reconnect"] = strconv.Itoa(client.Reconnect)
	}
	return job
}

// survived ends the watch over the server's life: a load whose server was lost has
// another outcome than the engine's.
func (t *trial) survived(ctx context.Context, outcome record.Outcome, reason string, err error) (record.Outcome, string, error) {
	lost := t.life.conclude(ctx)
	if lost == nil || ctx.Err() != nil {
		return outcome, reason, err
	}
	return record.ServerLost, lost.Error(), t.write(record.Line{Event: &record.Event{
		At: time.Since(t.started), Name: string(record.ServerLost), Detail: lost.Error()}})
}

// probed runs the engine, and the probes beside it where there are any.
func (t *trial) probed(ctx context.Context, job loadgen.Job) (record.Outcome, string, error) {
	if t.probes == nil {
		return t.offer(ctx, job)
	}
	if err := t.probes.declare(ctx, job); err != nil {
		return "", "", err
	}
	job.MeasurePath = true
	stop := t.probes.run(ctx)
	outcome, reason, err := t.offer(ctx, job)
	if err := errors.Join(err, stop(), t.probes.conclude(ctx)); err != nil {
		return "", "", err
	}
	return outcome, reason, nil
}

// offer runs the engine.
func (t *trial) offer(ctx context.Context, job loadgen.Job) (record.Outcome, string, error) {
	if err := t.phase("warm up and measure"); err != nil {
		return "", "", err
	}
	// The engine has its own end; this bound is for one that hangs.
	limit := job.Warmup + job.Measure + 2*time.Minute
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	outcome, reason, err := t.send(bounded, job)
	if bounded.Err() != nil && ctx.Err() == nil {
		return overdue(limit, err)
	}
	if err != nil || outcome != record.Measured || !t.Engine.Verifies(job) {
		return outcome, reason, err
	}
	return t.verify(ctx, job)
}

// overdue is the outcome of a load that did not end in time: the arm's doing, unless
// nobody could see it.
func overdue(limit time.Duration, err error) (record.Outcome, string, error) {
	late := fmt.Sprintf("the load did not end within %s", limit)
	if errors.Is(err, target.ErrUnseen) {
		return "", "", fmt.Errorf("%s: %w", late, err)
	}
	return record.Starved, late, nil
}

// verify has no limit of time: on many warehouses it takes minutes, and it is done
// when the server has answered.
func (t *trial) verify(ctx context.Context, job loadgen.Job) (record.Outcome, string, error) {
	if err := t.phase("verify the data"); err != nil {
		return "", "", err
	}
	if err := t.Engine.Verify(ctx, job); err != nil {
		return "", "", fmt.Errorf("verify the data: %w", err)
	}
	return record.Measured, "", nil
}

// send runs the engine here, or its generators where the server has them.
func (t *trial) send(ctx context.Context, job loadgen.Job) (record.Outcome, string, error) {
	if has := t.server.Capabilities(); has.Generators > 0 {
		return loadgen.Distribute(ctx, job, has.Generators, t.instance.Name, has.Generate, t.pass)
	}
	return t.Engine.Run(ctx, job, t.pass)
}

// distributed tells whether the load comes from generators beside the server.
func (t *trial) distributed() bool { return t.server.Capabilities().Generators > 0 }

// pass writes a line of the engine into the stream and shows it.
func (t *trial) pass(l record.Line) error {
	switch {
	case l.Interval != nil:
		fault.At("trial: an interval passed")
		t.life.heard(l.Interval)
		t.probes.began(l.Interval)
		t.Observe(Progress{Kind: Second, Trial: t.plan, Interval: l.Interval})
	case l.Window != nil:
		t.window = l.Window
	}
	return t.write(l)
}

// Load is what the engine is asked at one level of the load, without the server.
func (j Job) Load(threads int) loadgen.Job {
	e := j.Experiment
	return loadgen.Job{
		Workload: e.Load.Workload, File: e.WorkloadFile, Tables: e.Data.Tables, Rows: e.Data.Rows, Scale: e.Data.Scale,
		Threads: threads, Rate: float64(e.Load.Rate), Warmup: e.Protocol.Warmup.Std(), Measure: e.Protocol.Measure.Std(),
		Percentile: e.Load.Percentile, Seed: int64(e.Protocol.Seed), Options: e.Load.Options,
		PrepareThreads: prepareThreads(e),
	}
}

// prepareThreads are no more than the tables where those are what a thread fills.
func prepareThreads(e *experiment.Experiment) int {
	n := 2 * runtime.NumCPU()
	if e.Data.Scale > 0 || e.WorkloadFile != nil {
		return n
	}
	return min(e.Data.Tables, n)
}

// load is Load against a server that runs.
func (j Job) load(threads int, at mysqld.Address, in *instance) loadgen.Job {
	job := j.Load(threads)
	at.Schema = schemaOf(at)
	job.Server, job.Dir = at, in.Dir
	job.Env = []string{target.InstanceVariable + "=" + in.Name}
	return job
}
