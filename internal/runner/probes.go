package runner

import (
	"context"
	"database/sql"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/loadgen/barrier"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// probes watch one trial from before its load until after it.
type probes struct {
	trial   *trial
	job     loadgen.Job
	db      *sql.DB     // nil for none
	dataDir string      // as the server sees it
	place   probe.Place // of a server on this machine; else empty
	watcher *probe.Watcher
	begun   chan time.Time // gets when the load began, where others begin it
	network *loadgen.Path  // to the server, once the load is known
	beside  *probe.Beside  // nil where the server is on this machine, or nothing is read beside it
}

// openProbes opens the probes' own connection to the server, and reaches the probes beside
// one that is on another machine. Nothing here can fail a trial: what cannot be
// read is a fact that says why.
func (t *trial) openProbes(ctx context.Context) {
	if !t.Experiment.Protocol.Watched(t.plan) {
		return
	}
	p := &probes{trial: t}
	t.probes = p
	db, err := mysqld.Open(t.server.Address())
	if err == nil {
		db.SetMaxOpenConns(1) // one more session beside the load's, all the while
		ask, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		p.db = db
		if err = db.QueryRowContext(ask, "SELECT @@datadir").Scan(&p.dataDir); err != nil {
			_, p.db = db.Close(), nil
		}
	}
	place := probe.Place{Root: os.DirFS("/"), DB: p.db, DataDir: p.dataDir, Others: t.readOthers()}
	has := t.server.Capabilities()
	if has.Probe == nil {
		place.PID = target.PIDOf(t.server)
		p.place = place
		p.watcher = probe.Start(place, probe.All())
		return
	}
	p.beside, err = reachBeside(ctx, has, p.dataDir)
	if err != nil {
		p.watcher = probe.Start(place, append(probe.Unreadable(probe.OfMachine(), err), probe.OfServer()...))
		return
	}
	p.watcher = probe.Start(place, probe.OfServer()).With(p.beside)
}

// readOthers is what the probes read other processes with. The servers that share the machine with this one are
// known when it is read first.
func (t *trial) readOthers() *probe.Others {
	others := t.outside().others()
	others.Marks = func() []string { return append(t.round.instances(), t.instance.Name) }
	return others
}

// besideWithin is how long probes beside a server may take to answer.
const besideWithin = 30 * time.Second

func reachBeside(ctx context.Context, server target.ServerCapabilities, dataDir string) (*probe.Beside, error) {
	ctx, cancel := context.WithTimeout(ctx, besideWithin)
	defer cancel()
	dial, err := server.Probe(ctx, dataDir)
	if err != nil {
		return nil, err
	}
	return probe.Reach(ctx, dial)
}

// declare writes what the probes will read, and measures the network path to the idle server.
func (p *probes) declare(ctx context.Context, job loadgen.Job) error {
	p.job, p.network = job, loadgen.NewPath(job)
	for _, l := range slices.Concat(p.watcher.Lines(), p.path(ctx, "start"), p.interfaces("start")) {
		if err := p.trial.write(l); err != nil {
			return err
		}
	}
	return nil
}

// run takes samples until the window has ended, or until stop is called, which
// waits for the last one; the first call does, and all have its error.
func (p *probes) run(ctx context.Context) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	at := probe.Window{Began: p.trial.started, Warmup: p.job.Warmup, Measure: p.job.Measure}
	if p.trial.distributed() {
		p.begun = make(chan time.Time, 1)
		at.Load = p.begun
	}
	go func() { done <- p.watcher.Run(ctx, at, p.trial.write) }()
	return sync.OnceValue(func() error {
		cancel()
		return <-done
	})
}

// counted takes the last sample of a load from elsewhere, and says so to the generator that measures the path then.
func (p *probes) counted(ctx context.Context, stop func() error) {
	_ = stop() // who stops them last gets the error
	ctx, cancel := context.WithTimeout(ctx, besideWithin)
	defer cancel()
	// Without the row the generator says that it has not measured the path, and why.
	_, _ = p.db.ExecContext(ctx, barrier.CountedSQL(p.job.Server.Schema, p.trial.instance.Name))
}

// began learns from the first interval when generators elsewhere began their load; by
// as much later as a line takes to arrive.
func (p *probes) began(i *record.Interval) {
	if p == nil || p.begun == nil {
		return
	}
	select {
	case p.begun <- time.Now().Add(-time.Duration(i.End * float64(time.Second))):
	default: // it is known
	}
}

// conclude reads what is read once, after the load.
func (p *probes) conclude(ctx context.Context) error {
	lines := append(p.interfaces("end"), p.path(ctx, "end")...)
	if p.beside != nil {
		f := p.beside.Missed()
		lines = append(lines, record.Line{Fact: &f})
	}
	if p.db != nil {
		for _, f := range probe.Digests(ctx, p.db, p.job.Server.Schema) {
			lines = append(lines, record.Line{Fact: &f})
		}
	}
	for _, l := range lines {
		if err := p.trial.write(l); err != nil {
			return err
		}
	}
	return nil
}

// close ends the probes' connections; nil has none.
func (p *probes) close() {
	if p == nil {
		return
	}
	if p.beside != nil {
		p.beside.Close()
	}
	if p.db != nil {
		_ = p.db.Close() // it only read
	}
}

// interfaces are those of a server on this machine, before the path is measured at the end:
// only the load's bytes count.
func (p *probes) interfaces(phase string) []record.Line {
	var lines []record.Line
	for _, f := range probe.Interfaces(p.place, phase) {
		lines = append(lines, record.Line{Fact: &f})
	}
	return lines
}

// path is what the network path to the idle server is like from here. Where the load comes from
// elsewhere, the path from there is another one, and the generator measures it.
func (p *probes) path(ctx context.Context, phase string) []record.Line {
	if p.trial.distributed() {
		return nil
	}
	var lines []record.Line
	for _, f := range p.network.Facts(ctx, phase) {
		lines = append(lines, record.Line{Fact: &f})
	}
	return lines
}
