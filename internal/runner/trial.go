package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// trial is one measurement under way.
type trial struct {
	Job
	plan     experiment.Trial
	stream   *record.Stream
	writing  sync.Mutex // of stream
	log      *os.File
	instance *instance
	server   target.Server
	started  time.Time
	source   data
	// committed is what the measured seconds add up to, for telling a starved
	window *record.Window // the engine's totals, once it has given them
	life   *life          // while the server is loaded
	probes *probes        // nil in a trial that is not watched, and before its server answers
}

// runTrial measures one arm once, in eight steps: make an instance, give it the
// data, start the server, wait until it answers, read the facts, load, read the
// counters, stop. The returned error means that the record could not be written
// or the run was cancelled; everything else is an outcome in the record.
func runTrial(ctx context.Context, j Job, t experiment.Trial, source data) (record.End, error) {
	tr := &trial{Job: j, plan: t, source: source, started: time.Now()}
	if err := tr.open(); err != nil {
		return record.End{}, err
	}
	defer tr.log.Close()
	outcome, reason := tr.measure(ctx)
	fault.At("trial: measured")
	tr.probes.close()
	fault.At("trial: probes closed")
	if err := tr.teardown(ctx.Err() != nil || outcome == record.ServerLost); err != nil {
		outcome, reason = uncleaned(reason, err)
	}
	if err := ctx.Err(); err != nil { // cut short: no end, so that it is done again
		return record.End{}, errors.Join(err, tr.stream.Abort())
	}
	end := record.End{Outcome: outcome, Reason: reason, Duration: time.Since(tr.started)}
	if err := tr.stream.Close(end); err != nil {
		return end, err
	}
	j.Observe(Progress{Kind: Ended, Trial: t, Outcome: outcome, Reason: reason, Window: tr.window})
	return end, nil
}

func (t *trial) open() error {
	dir := record.TrialDir(t.Dir, t.plan)
	stream, err := record.CreateStream(dir, record.Header{
		Trial: t.plan.Number, Round: t.plan.Round, Slot: t.plan.Slot, Arm: t.plan.Arm,
		Threads: t.plan.Threads, Started: t.started.UTC(), Engine: t.Engine.Name(), Tare: t.Version,
	})
	if err != nil {
		return err
	}
	t.stream = stream
	t.log, err = os.Create(filepath.Join(dir, record.LogFile))
	if err != nil {
		return errors.Join(fmt.Errorf("create log: %w", err), stream.Abort())
	}
	return nil
}

// write adds a line to the record; the probes write beside the load.
func (t *trial) write(l record.Line) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	return t.stream.Write(l)
}

// phase says what is being done, in the record and to the user.
func (t *trial) phase(name string) error {
	fault.At("trial: before " + name)
	t.Observe(Progress{Kind: Phase, Trial: t.plan, Phase: name})
	return t.write(record.Line{Event: &record.Event{At: time.Since(t.started), Name: name}})
}

// measure is the trial from the first step to the last; it never leaves the
// trial without an outcome.
func (t *trial) measure(ctx context.Context) (record.Outcome, string) {
	failed := func(step string, err error) (record.Outcome, string) {
		return record.Failed, step + ": " + err.Error()
	}
	if err := t.start(ctx); err != nil {
		return failed("start", err)
	}
	if err := t.phase("wait for the first answer"); err != nil {
		return failed("record", err)
	}
	within, asked := t.Experiment.Protocol.Ready.Std(), time.Now()
	err := t.ready(ctx, within)
	if errors.Is(err, mysqld.ErrNotReady) {
		if err := t.unready(ctx, asked); err != nil {
			return failed("record", err)
		}
		return record.NotReady, fmt.Sprintf("the server did not answer within %s", within)
	}
	if err != nil {
		// What its cgroup counted says why: a memory limit, above all.
		if err := t.facts(ctx, "end"); err != nil {
			return failed("record", err)
		}
		if errors.Is(err, target.ErrKilled) {
			return record.NotReady, err.Error()
		}
		return failed("start", err)
	}
	fault.At("trial: server answers")
	t.openProbes(ctx)
	fault.At("trial: probes open")
	if err := t.facts(ctx, "start"); err != nil {
		return failed("record", err)
	}
	if err := t.gates("start"); err != nil {
		return failed("record", err)
	}
	fault.At("trial: facts read")
	outcome, reason, err := t.load(ctx)
	fault.At("trial: load ended")
	if err != nil {
		if err := t.facts(ctx, "end"); err != nil {
			return failed("record", err)
		}
		return failed("load", err)
	}
	if err := t.gates("end"); err != nil {
		return failed("record", err)
	}
	if err := t.facts(ctx, "end"); err != nil {
		return failed("record", err)
	}
	return outcome, reason
}

// ready waits until the server answers, and has the data that it is to have.
func (t *trial) ready(ctx context.Context, within time.Duration) error {
	err := mysqld.Ready(ctx, t.server.Address(), within, t.server.Alive)
	if err != nil || t.Targets[t.plan.Arm].Data() != target.Anew {
		return err
	}
	if err := t.makeAnew(ctx); err != nil {
		return err
	}
	return mysqld.Ready(ctx, t.server.Address(), within, t.server.Alive)
}

// start makes the instance with its copy of the data, and starts the server.
func (t *trial) start(ctx context.Context) (err error) {
	if err := t.sentinel(); err != nil {
		return err
	}
	if err := t.phase("copy data"); err != nil {
		return err
	}
	if t.instance, err = newInstance(t.State, t.Dir); err != nil {
		return err
	}
	place := t.Targets[t.plan.Arm]
	if place.Data() == target.Files {
		if err := cloneTree(t.source.dir, t.instance.Data); err != nil {
			return err
		}
	}
	if err := t.phase("start server"); err != nil {
		return err
	}
	arm, _ := t.Experiment.Arm(t.plan.Arm)
	request := t.instance.request(t.Job, t.log)
	request.Config = t.Experiment.Settings(arm)
	t.server, err = place.Start(ctx, request)
	return err
}

// sentinel writes down how fast the machine is before the trial begins.
func (t *trial) sentinel() error {
	if err := t.phase("sentinel"); err != nil {
		return err
	}
	return t.keep(sentinel(t.State.Dir), "start")
}

// facts writes down what can be read of the machine, the target and the server.
func (t *trial) facts(ctx context.Context, phase string) error {
	facts := t.server.Facts(ctx, phase)
	if phase == "start" {
		if t.probes == nil || t.probes.beside == nil { // else the server's own machine has told
			facts = append(facts, hostFacts(t.instance.Data)...)
		}
		// Somebody else's server runs neither from these files nor on this data.
		if t.Targets[t.plan.Arm].Data() == target.Files {
			facts = append(facts, distributionFacts(t.Distribution)...)
			facts = append(facts, t.source.facts()...)
		}
		facts = append(facts, serverFacts(ctx, t.server.Address())...)
	}
	return t.keep(facts, phase)
}

// gates writes down what the machine did for others, close around the load.
func (t *trial) gates(phase string) error {
	o := outside{proc: "/proc", sys: "/sys", own: os.Getpid(), instance: t.instance.Name}
	return t.keep(o.facts(), phase)
}

// keep writes facts of a phase into the record.
func (t *trial) keep(facts []record.Fact, phase string) error {
	for i := range facts {
		facts[i].Phase = phase
		if err := t.write(record.Line{Fact: &facts[i]}); err != nil {
			return err
		}
	}
	return nil
}

// load runs the engine on a server whose life is watched.
func (t *trial) load(ctx context.Context) (record.Outcome, string, error) {
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
	watched, life := t.watchLife(ctx)
	t.life = life
	outcome, reason, err := t.probed(watched, job)
	lost := life.conclude(ctx)
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
		Workload: e.Load.Workload, Tables: e.Data.Tables, Rows: e.Data.Rows, Scale: e.Data.Scale,
		Threads: threads, Rate: float64(e.Load.Rate), Warmup: e.Protocol.Warmup.Std(), Measure: e.Protocol.Measure.Std(),
		Percentile: e.Load.Percentile, Seed: int64(e.Protocol.Seed), Options: e.Load.Options,
		PrepareThreads: prepareThreads(e.Data),
	}
}

// prepareThreads are no more than the tables where those are what a thread fills.
func prepareThreads(d experiment.Data) int {
	n := 2 * runtime.NumCPU()
	if d.Scale > 0 {
		return n
	}
	return min(d.Tables, n)
}

// load is Load against a server that runs.
func (j Job) load(threads int, at mysqld.Address, in *instance) loadgen.Job {
	job := j.Load(threads)
	at.Schema = schemaOf(at)
	job.Server, job.Dir = at, in.Dir
	job.Env = []string{target.InstanceVariable + "=" + in.Name}
	return job
}
