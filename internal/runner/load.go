package runner

// This file is the load of a trial: the engine, the probes beside it, and the watch
// over the server's life.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/workload"
	"github.com/tarebench/tare/internal/workload/file"
)

// LoadPhase is the phase of a trial in which it has load.
const LoadPhase = "warm up and measure"

// load runs the engine on a server whose life is watched.
func (t *trial) load(ctx context.Context) (record.Outcome, string, error) {
	watched, life := t.watchLife(ctx, 0)
	t.life = life
	if loadgen.Numbered(t.Experiment.Load.Workload) {
		t.ledger = &workload.Ledger{}
	}
	stop := t.disturb(watched)
	outcome, reason, err := t.loaded(watched)
	if err = errors.Join(err, stop()); err == nil && outcome == record.Measured {
		outcome, reason, err = t.verified(ctx, t.job())
	}
	return t.survived(ctx, outcome, reason, err)
}

// loaded offers what the experiment asks for: its rate or threads, or the capacity that
// it searches for.
func (t *trial) loaded(ctx context.Context) (record.Outcome, string, error) {
	if err := t.sameScript(); err != nil {
		return record.Failed, err.Error(), err
	}
	job := t.job()
	if t.Experiment.Load.Find == nil {
		outcome, reason, err := t.probed(ctx, job)
		if err == nil {
			outcome, reason = t.stopped(outcome, reason)
		}
		return outcome, reason, err
	}
	t.search = newSearch(t, job)
	if outcome, reason, err := t.search.run(ctx); outcome != record.Measured {
		return outcome, reason, err
	}
	return t.probed(ctx, t.search.atCapacity())
}

// job is what the engine is to do on the trial's server.
func (t *trial) job() loadgen.Job {
	client := target.ClientOf(t.server)
	job := t.Job.load(t.plan.Threads, client.Address, t.instance)
	if t.Plan.Sliced() { // the levels of the load share the server
		job.Earlier, job.Connections = t.Experiment.Load.Threads.Before(t.plan.Threads), t.Experiment.Load.Threads.Sum()
	}
	job.Inside, job.Routes, job.Ledger = client.Inside, client.Routes, t.ledger
	job.Arrivals, job.Timeline, job.Began = t.arrivals(0), t.server.Capabilities().Disturb != nil, t.began
	if client.Reconnect > 0 {
		job.Options = maps.Clone(job.Options)
		if job.Options == nil {
			job.Options = map[string]string{}
		}
		job.Options["reconnect"] = strconv.Itoa(client.Reconnect)
	}
	return job
}

// arrivals is the number of the draws of a step of a search, below 256, or of the only load: when
// transactions arrive and which rows they ask for. All arms of a round have the same draws, which
// takes nothing from their comparison, and no two rounds do: an interval over rounds has the
// randomness of the draws in it.
func (t *trial) arrivals(step int) uint64 { return uint64(t.plan.Round)<<8 | uint64(step%256) }

// survived ends the watch over the server's life: a load whose server was lost has
// another outcome than the engine's. An engine can tell itself that it could not reach it.
func (t *trial) survived(ctx context.Context, outcome record.Outcome, reason string, err error) (record.Outcome, string, error) {
	lost := t.life.conclude(ctx)
	if ctx.Err() != nil {
		return outcome, reason, err
	}
	if lost != nil {
		outcome, reason, err = record.ServerLost, lost.Error(), nil
	}
	if err != nil || outcome != record.ServerLost {
		return outcome, reason, err
	}
	return outcome, reason, t.write(record.Line{Event: &record.Event{
		At: time.Since(t.started), Name: string(record.ServerLost), Detail: reason}})
}

// probed runs the engine, and the probes beside it where there are any.
func (t *trial) probed(ctx context.Context, job loadgen.Job) (record.Outcome, string, error) {
	if t.probes == nil {
		return t.offer(ctx, job)
	}
	if err := t.probes.declare(ctx, job); err != nil {
		return "", "", err
	}
	stop := t.probes.run(ctx)
	job.MeasurePath = true
	if t.distributed() && t.probes.db != nil {
		job.Counted = func() { t.probes.counted(ctx, stop) }
	}
	outcome, reason, err := t.offer(ctx, job)
	if err := errors.Join(err, stop(), t.probes.conclude(ctx)); err != nil {
		return "", "", err
	}
	return outcome, reason, nil
}

// offer runs the engine.
func (t *trial) offer(ctx context.Context, job loadgen.Job) (record.Outcome, string, error) {
	if err := t.phase(LoadPhase); err != nil {
		return "", "", err
	}
	return t.bounded(ctx, job, t.pass)
}

// bounded runs the engine within a limit: it has its own end, and the limit is for one that hangs.
func (t *trial) bounded(ctx context.Context, job loadgen.Job, pass func(record.Line) error) (record.Outcome, string, error) {
	limit := job.Warmup + job.Measure + loadLate
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	outcome, reason, err := t.send(within, job, pass)
	if within.Err() != nil && ctx.Err() == nil {
		return overdue(limit, err)
	}
	return outcome, reason, err
}

// overdue is the outcome of a load that did not end in time: the arm's doing, unless
// it could not be seen.
func overdue(limit time.Duration, err error) (record.Outcome, string, error) {
	late := record.Overdue.Say(limit.String())
	if errors.Is(err, target.ErrUnseen) {
		return "", "", fmt.Errorf("%s: %w", late, err)
	}
	return record.Starved, late, nil
}

// verified checks the data after the load, where the workload has conditions or a ledger.
func (t *trial) verified(ctx context.Context, job loadgen.Job) (record.Outcome, string, error) {
	switch {
	case t.ledger != nil && len(t.ledger.Accounts) > 0:
		return t.checkLedger(ctx)
	case t.Engine.Verifies(job):
		return t.verify(ctx, job)
	}
	return record.Measured, "", nil
}

// verify has no limit of time: on many warehouses it takes minutes, and it is done
// when the server has answered.
func (t *trial) verify(ctx context.Context, job loadgen.Job) (record.Outcome, string, error) {
	if err := t.phase("verify the data"); err != nil {
		return "", "", err
	}
	if err := t.Engine.Verify(ctx, job); err != nil {
		return "", "", record.AtVerify.Wrap(err)
	}
	return record.Measured, "", nil
}

// send runs the engine here, or the generators that load all arms, or those that the
// server has.
func (t *trial) send(ctx context.Context, job loadgen.Job, pass func(record.Line) error) (record.Outcome, string, error) {
	if from := t.From; from != nil {
		generate := func(ctx context.Context, job []byte, line func(int, []byte) error) error {
			return from.Generate(ctx, t.instance.Name, job, line)
		}
		return loadgen.Distribute(ctx, job, from.Generators, t.instance.Name, generate, pass)
	}
	if has := t.server.Capabilities(); has.Generators > 0 {
		return loadgen.Distribute(ctx, job, has.Generators, t.instance.Name, has.Generate, pass)
	}
	return t.Engine.Run(ctx, job, pass)
}

// distributed tells whether the load comes from generators elsewhere.
func (t *trial) distributed() bool {
	return t.From != nil || t.server.Capabilities().Generators > 0
}

// loadFacts say where the load comes from and, at the end, where its generators ran. What
// an arm's own generators say is among its server's facts.
func (t *trial) loadFacts(ctx context.Context, phase string) []record.Fact {
	switch {
	case phase == "start":
		return []record.Fact{{Key: keys.LoadFrom, Value: t.loadPlace(), Source: "experiment.yaml"}}
	case t.From != nil:
		return t.From.Facts(ctx, t.instance.Name)
	}
	return nil
}

// loadPlace is where the load comes from, in words.
func (t *trial) loadPlace() string {
	if t.From != nil {
		return t.From.Place
	}
	return cmp.Or(t.Targets[t.plan.Arm].Capabilities().LoadPlace, target.ThisHost)
}

// pass writes a line of the engine into the stream and shows it.
func (t *trial) pass(l record.Line) error {
	switch {
	case l.Interval != nil:
		fault.At("trial: an interval passed")
		t.life.heard(l.Interval)
		t.seeRecord()
		t.probes.began(l.Interval)
		if l.Interval.Transactions > 0 {
			t.completed = max(t.completed, l.Interval.End)
		}
		l.Interval = t.search.later(l.Interval)
		t.Observe(Progress{Kind: Second, Trial: t.plan, Interval: l.Interval})
	case l.Metric != nil && t.search.declares(l.Metric):
		return nil
	case l.Window != nil:
		t.search.complete(l.Window)
		t.window = l.Window
	}
	return t.write(l)
}

// Load is what the engine is asked at one level of the load, without the server.
func (j Job) Load(threads int) loadgen.Job {
	e := j.Experiment
	return loadgen.Job{
		Workload: e.Load.Workload, File: e.WorkloadFile, Tables: e.Data.Tables, Rows: e.Data.Rows, Scale: e.Data.Scale,
		Threads: threads, Rate: float64(e.Load.Rate), Limit: float64(e.Load.Limit), Reconnect: e.Load.Reconnect.Delay.Std(), Warmup: e.Protocol.Warmup.Std(), Measure: e.Protocol.Measure.Std(),
		Percentile: e.Load.Percentile, Seed: drawsSeed(e), Options: e.Load.Options,
		PrepareThreads: prepareThreads(e),
	}
}

// drawsSeed is the seed of the load. Engines take 0 for the time of day, with which no two arms
// would have the same draws.
func drawsSeed(e *experiment.Experiment) int64 { return cmp.Or(int64(e.Protocol.Seed), 1) }

// prepareThreads are no more than the tables where those are what a thread fills.
func prepareThreads(e *experiment.Experiment) int {
	n := 2 * runtime.NumCPU()
	if e.Data.Scale > 0 || e.WorkloadFile != nil {
		return n
	}
	return min(e.Data.Tables, n)
}

// sameScript refuses a Lua script that is not the one that the run was planned with: sysbench runs
// the file, which may have been changed since, or be another one after a resume elsewhere.
func (j Job) sameScript() error {
	planned := j.Experiment.Script
	if planned == nil {
		return nil
	}
	name := j.Experiment.Load.Workload
	now, err := file.ReadText(name)
	if err == nil && !bytes.Equal(now, planned.Text) {
		err = fmt.Errorf("script %s is not the one that the run was planned with: its text was changed, or the current directory is another one", name)
	}
	return err
}

// making is the load as the one that makes its tables or removes them: of a workload with a table
// for each connection, those of all connections that a server gets.
func (j Job) making(at mysqld.Address, in *instance) loadgen.Job {
	return j.load(max(1, j.ownTables()), at, in)
}

// ownTables are the tables of a workload that has one for each connection, 0 for any other: by
// slices the levels of the load share a server, by windows each has its own.
func (j Job) ownTables() int {
	levels := j.Experiment.Load.Threads
	switch w, ok := workload.Find(j.Experiment.Load.Workload); {
	case !ok || !w.TablePerThread:
		return 0
	case j.Plan.Sliced():
		return levels.Sum()
	}
	return slices.Max(levels)
}

// load is Load against a server that runs.
func (j Job) load(threads int, at mysqld.Address, in *instance) loadgen.Job {
	job := j.Load(threads)
	at.Schema = j.schemaOf(at)
	job.Server, job.Dir = at, in.Dir
	job.Env = []string{target.InstanceVariable + "=" + in.Name}
	return job
}
