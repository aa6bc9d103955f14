package runner

import (
	"context"
	"errors"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/workload"
)

// trial is one measurement under way.
type trial struct {
	Job
	plan     experiment.Trial
	stream   *record.Stream
	writing  sync.Mutex // of stream
	log      *record.Log
	instance *instance
	server   target.Server
	started  time.Time
	source   data
	// outcome and reason are what its record ends with; failure is why its load failed,
	// stopProbes ends its probes.
	outcome    record.Outcome
	reason     string
	hopeless   bool // it failed as each other attempt does
	failure    error
	stopProbes func() error
	round      *round           // whose trials take turns; nil for a window of its own
	window     *record.Window   // the engine's totals, once it has given them
	completed  float64          // seconds from the load's begin to the end of the last interval in which a transaction was completed
	life       *life            // while the server is loaded
	ledger     *workload.Ledger // of a workload with numbered transactions
	windowAt   chan time.Time   // gets when the measured window begins; nil where nothing waits for it
	probes     *probes          // nil in a trial that is not watched, and before its server answers
	slow       atomic.Bool      // it was told that the run directory's device is slow
	search     *search          // nil where the experiment does not search for the capacity
	// machine is what the gates read last, nil before; others is the share of the machine's CPU time that others
	// used during the load, NaN where it is unknown.
	machine *reading
	others  float64
	gate    *gateWatch        // nil before the server is ready
	closed  *closedGates      // nil before the load has ended
	told    map[string]string // facts that say where the trial's parts were
}

// runTrial measures one arm once, in eight steps: make an instance, give it the
// data, start the server, wait until it answers, read the facts, load, read the
// counters, stop. The returned error means that the record could not be written
// or the run was cancelled; everything else is an outcome in the record.
func runTrial(ctx context.Context, j Job, t experiment.Trial, source data) (_ record.End, err error) {
	tr := &trial{Job: j.Of(t.Arm), plan: t, source: source, started: time.Now(), others: math.NaN()}
	if err := tr.open(); err != nil {
		return record.End{}, err
	}
	defer func() { err = errors.Join(err, tr.log.Close()) }()
	tr.outcome, tr.reason = tr.measure(ctx)
	fault.At("trial: measured")
	tr.takeDown()
	if err := ctx.Err(); err != nil { // cut short: no end, so that it is done again
		return record.End{}, errors.Join(err, tr.stream.Abort())
	}
	end, err := tr.seal()
	if err != nil {
		return end, err
	}
	tr.tell()
	return end, nil
}

// takeDown removes what the trial has. What cannot be removed becomes its outcome.
func (t *trial) takeDown() {
	t.probes.close()
	fault.At("trial: probes closed")
	if err := t.teardown(); err != nil {
		t.outcome, t.reason = uncleaned(t.reason, err)
	}
}

// seal closes the record of the trial: from then on the trial is complete.
func (t *trial) seal() (record.End, error) {
	end := record.End{Outcome: t.outcome, Reason: t.reason, Hopeless: t.hopeless, Duration: time.Since(t.started)}
	return end, t.closeRecord(end)
}

// tell says how the trial ended.
func (t *trial) tell() {
	t.Observe(Progress{Kind: Ended, Trial: t.plan, Outcome: t.outcome, Reason: t.reason, Hopeless: t.hopeless, Window: t.window, Others: t.others})
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
	if t.Record != nil { // by slices, a trial with a result is measured again with its round
		t.Record.Forget(t.plan.Number)
	}
	if t.log, err = record.CreateLog(dir); err != nil {
		return errors.Join(err, stream.Abort())
	}
	return nil
}

// write adds a line to the record; the probes write beside the load.
func (t *trial) write(l record.Line) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	if l.Fact != nil && l.Fact.Value != "" && tells(l.Fact.Key) {
		if t.told == nil {
			t.told = map[string]string{}
		}
		t.told[l.Fact.Key] = l.Fact.Value
	}
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
	if outcome, reason := t.setUp(ctx); outcome != "" {
		return outcome, reason
	}
	if err := t.openGates(); err != nil {
		return failed(record.AtRecord, err)
	}
	defer func() { t.gate.close() }()
	outcome, reason, err := t.load(ctx)
	fault.At("trial: load ended")
	outcome, reason = t.finish(ctx, outcome, reason, err)
	if outcome == record.Measured && t.search != nil {
		return t.overload(ctx)
	}
	if outcome == record.Measured {
		if err := t.atRate(ctx); err != nil && ctx.Err() == nil {
			return failed(record.AtLoad, err)
		}
	}
	return outcome, reason
}

func failed(step record.Sentence, err error) (record.Outcome, string) {
	return record.Failed, step.Say(err.Error())
}

// setUp takes the steps before the load. An outcome means that there will be none.
func (t *trial) setUp(ctx context.Context) (record.Outcome, string) {
	if outcome, reason := t.round.ended(t); outcome != "" {
		return outcome, reason
	}
	if err := t.source.unstarted[t.plan.Arm]; err != nil { // waited for already, when its data were to be made
		return record.NotReady, err.Error()
	}
	if err := t.start(ctx); err != nil {
		if target.ArmsOwn(err) {
			return record.NotReady, err.Error()
		}
		t.hopeless = errors.As(err, &target.Hopeless{})
		return failed(record.AtStart, err)
	}
	if err := t.phase("wait for the first answer"); err != nil {
		return failed(record.AtRecord, err)
	}
	within, asked := t.Experiment.Protocol.Ready.Std(), time.Now()
	err := t.ready(ctx, within)
	if errors.Is(err, mysqld.ErrNotReady) {
		if err := t.unready(ctx, asked); err != nil {
			return failed(record.AtRecord, err)
		}
		return record.NotReady, record.NoAnswer.Say(within.String())
	}
	if err != nil {
		// What its cgroup counted says why: a memory limit, above all.
		if err := t.facts(ctx, "end"); err != nil {
			return failed(record.AtRecord, err)
		}
		if target.ArmsOwn(err) {
			return record.NotReady, err.Error()
		}
		return failed(record.AtStart, err)
	}
	fault.At("trial: server answers")
	t.openProbes(ctx)
	fault.At("trial: probes open")
	if err := t.facts(ctx, "start"); err != nil {
		return failed(record.AtRecord, err)
	}
	fault.At("trial: facts read")
	return "", ""
}

// lostFacts is how long a server that was lost is asked for facts: its cgroup and its
// process may tell something, it does not.
const lostFacts = 5 * time.Second

// finish takes the steps after the load, which ended in outcome or in an error.
func (t *trial) finish(ctx context.Context, outcome record.Outcome, reason string, err error) (record.Outcome, string) {
	if err != nil {
		if err := t.facts(ctx, "end"); err != nil {
			return failed(record.AtRecord, err)
		}
		return failed(record.AtLoad, err)
	}
	t.closeGates()
	closed := t.closed
	t.closed = nil
	if outcome == record.ServerLost { // it has been waited for
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, lostFacts)
		defer cancel()
	}
	if err := t.facts(ctx, "end"); err != nil {
		return failed(record.AtRecord, err)
	}
	if closed == nil { // no load had begun
		return outcome, reason
	}
	if err := t.gates(ctx, closed.facts, closed.now); err != nil {
		return failed(record.AtRecord, err)
	}
	return outcome, reason
}

// ready waits until the server answers, and has the data that it is to have.
func (t *trial) ready(ctx context.Context, within time.Duration) error {
	err := mysqld.Ready(ctx, t.server.Address(), within, t.server.Alive)
	if err != nil {
		return err
	}
	if err := t.join(ctx, within); err != nil {
		return err
	}
	if place, _ := t.place(t.plan); place.Data() != target.PerTrial {
		return t.refill(ctx)
	}
	if err := t.makeAnew(ctx); err != nil {
		return err
	}
	return mysqld.Ready(ctx, t.server.Address(), within, t.server.Alive)
}

// start makes the instance with its copy of the data, and starts the server.
func (t *trial) start(ctx context.Context) (err error) {
	if t.round.lent(t) {
		return t.round.borrow(t)
	}
	if t.instance == nil { // else the round has done both
		if err := errors.Join(t.sentinel(), t.own()); err != nil {
			return err
		}
	}
	if err := t.phase("copy data"); err != nil {
		return err
	}
	place, _ := t.place(t.plan)
	if place.Data() == target.Files {
		shared, err := cloneTree(t.source.dirs[t.plan.Arm], t.instance.Data)
		if err != nil {
			return err
		}
		if t.instance.Checksum, err = t.source.contents.sumOfCopy(t.source.dirs[t.plan.Arm], t.instance.Data, shared); err != nil {
			return err
		}
		if err := t.copyForMembers(place.Capabilities().Copies); err != nil {
			return err
		}
	}
	if err := t.phase("start server"); err != nil {
		return err
	}
	arm, _ := t.Experiment.Arm(t.plan.Arm)
	request := t.instance.request(t.Job, t.log)
	request.Config = t.Experiment.Settings(arm)
	request.Waiting, request.Lasts, request.Turns = t.waiting, t.lasts(), t.round.turnsOf(t)
	if t.server, err = place.Start(ctx, request); err == nil {
		t.beside.note(t.server)
	}
	return err
}

// own makes the instance, without data.
func (t *trial) own() (err error) {
	t.instance, err = newInstance(t.State, t.Dir)
	return err
}

// waiting passes on what a start waits for.
func (t *trial) waiting(what string) {
	t.Observe(Progress{Kind: Waiting, Trial: t.plan, Reason: what})
}

// sentinel writes down how fast the machine is before the trial begins.
func (t *trial) sentinel() error {
	if err := t.phase("sentinel"); err != nil {
		return err
	}
	return t.keep(t.round.sentinel(t.State.Dir), "start")
}

// facts writes down what can be read of the machine, the target and the server.
func (t *trial) facts(ctx context.Context, phase string) error {
	facts := append(t.server.Facts(ctx, phase), t.loadFacts(ctx, phase)...)
	t.beside.noteLoad(facts)
	if phase == "start" {
		if t.probes == nil || t.probes.beside == nil { // else the server's own machine has told
			facts = append(facts, hostFacts()...)
		}
		// Somebody else's server runs neither from these files nor on this data.
		if t.Targets[t.plan.Arm].Data() == target.Files {
			facts = append(facts, distributionFacts(t.Distribution, t.source.contents)...)
			facts = append(facts, dataFact(t.instance.Checksum), fileSystemFact(t.instance.Data))
		}
		facts = append(facts, serverFacts(ctx, t.server.Address())...)
		facts = append(facts, dataBytes(ctx, t.server.Address(), t.schemaOf(t.server.Address())))
	}
	return t.keep(facts, phase)
}

// gates writes down what the machine did for others during the load, and what of the trial was on it.
func (t *trial) gates(ctx context.Context, facts []record.Fact, now reading) error {
	sides := t.sides()
	server, load := sides.server(ctx), sides.load()
	if now.used.Rest && ownAmongOthers(server, load, target.PIDOf(t.server) != 0, sides.generators) {
		facts, now.others = withoutOthers(facts), math.NaN()
	}
	if before := t.machine; before != nil {
		facts = append(facts, busiest(now.used.Grown(before.used)))
		if record.Concerns(server, load) {
			t.others = now.share(*before)
		}
	}
	return t.keep(append(facts, server, load), "end")
}

// outside reads what others do on this machine.
func (t *trial) outside() outside {
	return outside{
		proc: "/proc", sys: "/sys", own: os.Getpid(), instances: append(t.round.instances(), t.instance.Name),
		unmarked: t.server != nil && target.PIDOf(t.server) == 0,
	}
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
