package runner

// This file watches the server's life while a trial loads it. A load engine cannot tell:
// it connects again, and what it measured would look like a slow server.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/procfs"

	"github.com/tarebench/tare/internal/loadgen/barrier"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

const (
	// lifeStep is the time between two looks at the server's process.
	lifeStep = 200 * time.Millisecond
	// silentFor is how long nothing may be answered, neither tare's own query nor a
	// transaction of the load, before the server counts as hung. What is shorter is a
	// stall, which a throughput has in it.
	silentFor = 10 * time.Second
	// settleWithin bounds the wait for an answer after the load's end: a server that
	// starves is not lost, and may take longer than silentFor.
	settleWithin = 30 * time.Second
)

// errLost is the cause of a load that was ended because its server was lost.
var errLost = errors.New("the server was lost")

// life is one server under load.
type life struct {
	server target.Server
	// patience is silentFor, and more where the server is frozen at times.
	patience time.Duration
	// remote: the load's lines come from elsewhere, and where none come nothing is
	// known of the server either.
	remote  bool
	session *session
	end     context.CancelCauseFunc // of the load
	stop    context.CancelFunc
	now     chan struct{} // asks for a query at once
	all     sync.WaitGroup

	mu       sync.Mutex
	silent   time.Duration // for how long nothing has been answered
	line     time.Time     // when the engine's last line came
	answers  int           // to queries of the watcher's own
	lastTry  error         // of the last query that failed
	lost     error
	measured bool // the engine has ended
}

// watchLife watches the server of a trial while it is loaded. frozen is the longest time for which
// the server is frozen: it may be silent for that much longer.
func (t *trial) watchLife(ctx context.Context, frozen time.Duration) (context.Context, *life) {
	if t.server.Capabilities().Disturb != nil {
		return watchProcesses(ctx, t.server)
	}
	if !t.distributed() {
		return watchServer(ctx, t.server, t.schemaOf(t.server.Address()), silentFor+frozen, false)
	}
	return watchServer(ctx, t.server, t.schemaOf(t.server.Address()), silentFor+frozen, true, barrier.HoldSQL(t.instance.Name)...)
}

// watchServer begins to watch a server. The returned context ends with errLost as its cause
// when the server is lost; conclude is to be called when what it does has ended. patience is
// for how long it may be silent, remote says that the load comes from elsewhere, and hold is
// what generators there look for.
func watchServer(ctx context.Context, server target.Server, schema string, patience time.Duration, remote bool, hold ...string) (context.Context, *life) {
	load, end := context.WithCancelCause(ctx)
	watch, stop := context.WithCancel(ctx)
	l := &life{server: server, patience: patience, remote: remote, end: end, stop: stop, now: make(chan struct{}, 1), line: time.Now()}
	l.session = newSession(ctx, server.Address(), schema, hold...)
	l.all.Go(func() { l.look(watch) })
	l.all.Go(func() { l.ask(watch) })
	return load, l
}

// watchProcesses watches servers of which some may fail, or another may take the load: that
// one does not answer is the arm's doing, and only a process that ends by itself is lost.
func watchProcesses(ctx context.Context, server target.Server) (context.Context, *life) {
	load, end := context.WithCancelCause(ctx)
	watch, stop := context.WithCancel(ctx)
	l := &life{server: server, patience: math.MaxInt64, end: end, stop: stop, now: make(chan struct{}, 1), line: time.Now()}
	l.all.Go(func() { l.look(watch) })
	return load, l
}

// survived carries out a step on a server that is watched: where the server is lost, the
// step ends, and that is its error.
func survived(ctx context.Context, server target.Server, schema string, step func(context.Context) error) error {
	watched, l := watchServer(ctx, server, schema, silentFor, false)
	err := step(watched)
	if lost := l.conclude(ctx); lost != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: %w", errLost, lost)
	}
	return err
}

// look sees whether the process runs, and for how long nothing has been answered.
func (l *life) look(ctx context.Context) {
	tick := time.NewTicker(lifeStep)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := l.server.Alive(); err != nil {
			l.lose(err)
			return
		}
		if l.hung() {
			l.lose(errors.New(l.how()))
			return
		}
	}
}

// hung counts the silence in looks, so that a tare that was held up itself, or a clock
// that jumped, does not look like a hung server.
func (l *life) hung() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.remote && !l.measured && time.Since(l.line) > silentFor/2 {
		return false // those who load the server cannot be heard
	}
	if l.silent += lifeStep; l.silent < l.patience {
		return false
	}
	if pid := target.PIDOf(l.server); pid != 0 && wantsCPU(pid) {
		l.silent = 0 // it is starved of CPU, which is an outcome of the arm
		return false
	}
	return true
}

// how says that the server hangs, and what is known of it.
func (l *life) how() string {
	silent := l.patience.String()
	if pid := target.PIDOf(l.server); pid != 0 {
		if state := processState(pid); state != "" {
			return record.HungProcess.Say(silent, state)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lastTry != nil {
		return record.HungSaying.Say(silent, firstLine(l.lastTry))
	}
	return record.Hung.Say(silent)
}

// ask sends a query a second on a connection of its own. Where that breaks, the server
// that answers next must be the one that was there before.
func (l *life) ask(ctx context.Context) {
	for {
		err := l.session.ask(ctx)
		if errors.Is(err, errOther) {
			l.lose(err)
			return
		}
		l.mu.Lock()
		if l.lastTry = err; err == nil {
			l.silent = 0
			l.answers++
		}
		l.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-l.now:
		case <-time.After(time.Second):
		}
	}
}

// heard is told of every line of the engine.
func (l *life) heard(i *record.Interval) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = time.Now()
	if i.Transactions > 0 {
		l.silent = 0
	}
}

// lose keeps the first reason and ends the load.
func (l *life) lose(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost == nil {
		l.lost = lostError{why}
		l.end(fmt.Errorf("%w: %w", errLost, why))
	}
}

// lostError is how a server was lost, in one line.
type lostError struct{ why error }

func (e lostError) Error() string { return firstLine(e.why) }
func (e lostError) Unwrap() error { return e.why }

// explainWithin is how long the target may take to say how a server ended that answers again: a
// kubelet reports the end of a container seconds after the server's connections broke.
const explainWithin = 5 * time.Second

// explain asks the target how the server ended, where all that is known is that another one answers
// in its place. It is called when nothing else watches any more.
func (l *life) explain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, explainWithin)
	defer cancel()
	for errors.Is(l.why(), errOther) && ctx.Err() == nil {
		if err := l.server.Alive(); err != nil {
			l.mu.Lock()
			l.lost = lostError{err}
			l.mu.Unlock()
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(lifeStep):
		}
	}
}

// conclude ends the watch and returns how the server was lost, nil where it was not: it
// must answer once more, as the server that it was, with the tables that it had.
func (l *life) conclude(ctx context.Context) error {
	if l.session == nil {
		l.stop()
		l.all.Wait()
		if err := l.server.Alive(); err != nil && ctx.Err() == nil {
			l.lose(err) // it may not have come back after an event
		}
		l.end(nil)
		return l.why()
	}
	l.settle(ctx)
	l.stop()
	l.all.Wait()
	if l.why() == nil && ctx.Err() == nil {
		if err := l.session.sameTables(ctx); err != nil {
			l.lose(err)
		}
	}
	l.session.close()
	l.explain(ctx)
	l.end(nil)
	return l.why()
}

// settle waits for an answer after the load's end.
func (l *life) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	l.mu.Lock()
	l.measured = true
	before := l.answers
	l.mu.Unlock()
	l.now <- struct{}{}
	for {
		if err := l.server.Alive(); err != nil {
			l.lose(err)
		}
		l.mu.Lock()
		settled := l.lost != nil || l.answers > before
		l.mu.Unlock()
		if settled {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(lifeStep / 10):
		}
	}
}

func (l *life) why() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// firstLine is an error without the log that some of a server's have behind it.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimSuffix(line, "; its last lines:")
}

// processStates are those of a server that does not answer, by proc_pid_stat(5).
func processStates() map[string]record.Sentence {
	return map[string]record.Sentence{"T": record.ProcessStopped, "t": record.ProcessTraced, "D": record.ProcessOnDevice}
}

// processState is the state of a process that explains its silence, "" for others.
func processState(pid int) string {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return ""
	}
	stat, err := p.Stat()
	if err != nil {
		return ""
	}
	return string(processStates()[stat.State])
}

// wantsCPU reports whether a thread of the process runs or waits for a CPU.
func wantsCPU(pid int) bool {
	threads, err := procfs.AllThreads(pid)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(threads, func(p procfs.Proc) bool {
		stat, err := p.Stat()
		return err == nil && stat.State == "R"
	})
}
