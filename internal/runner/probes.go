package runner

import (
	"context"
	"database/sql"
	"os"
	"time"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// probes watch one trial from before its load until after it.
type probes struct {
	trial   *trial
	job     loadgen.Job
	db      *sql.DB
	watcher *probe.Watcher
}

// watch opens the probes' own connection, weighs the way to the idle server,
// and starts the probes. Nothing here can fail a trial: what cannot be
// read is a fact that says why.
func (t *trial) watch(ctx context.Context, job loadgen.Job) (*probes, error) {
	p := &probes{trial: t, job: job}
	place := probe.Place{Root: os.DirFS("/")}
	if local, ok := t.server.(target.Local); ok {
		place.PID = local.PID()
	}
	db, err := mysqld.Open(t.server.Address())
	if err == nil {
		db.SetMaxOpenConns(1) // one more session beside the load's, all the while
		ask, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		var dir string
		if err = db.QueryRowContext(ask, "SELECT @@datadir").Scan(&dir); err == nil {
			p.db, place.DB, place.DataDir = db, db, dir
		}
	}
	p.watcher = probe.Start(place, probe.All())
	for _, l := range append(p.watcher.Lines(), p.way(ctx, "start")...) {
		if err := t.write(l); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// run takes samples until the window has ended, or until stop is called, which
// waits for the last one.
func (p *probes) run(ctx context.Context) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	at := probe.Window{Began: p.trial.started, Warmup: p.job.Warmup, Measure: p.job.Measure}
	go func() { done <- p.watcher.Run(ctx, at, p.trial.write) }()
	return func() error {
		cancel()
		return <-done
	}
}

// close reads what is read once, after the load, and ends the probes.
func (p *probes) close(ctx context.Context) error {
	lines := p.way(ctx, "end")
	if p.db != nil {
		defer p.db.Close()
		for _, f := range probe.Digests(ctx, p.db) {
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

// way is what the way to the idle server is like from here. Where the load comes from
// elsewhere, the way from there is another one, and the generator weighs it.
func (p *probes) way(ctx context.Context, phase string) []record.Line {
	if p.trial.spread() != nil {
		return nil
	}
	var lines []record.Line
	for _, f := range loadgen.WayFacts(ctx, p.job, phase) {
		lines = append(lines, record.Line{Fact: &f})
	}
	return lines
}
