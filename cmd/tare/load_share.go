package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tarebench/tare/internal/loadgen/barrier"
	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/summary"
	"github.com/tarebench/tare/internal/workload"
)

// shared are the workload's options with the connections of all generators: they
// divide rows, tables and numbers among themselves.
func (o *loadOptions) shared() workload.Options {
	w := o.workload
	w.Threads *= o.generators
	return w
}

// shareWork makes this generator one of several: its connections are numbered
// after those of the ones before, and all begin at a time that they agree on
// through the database.
func (o *loadOptions) shareWork(ctx context.Context, j *loop.Job) {
	j.First, j.All = o.generator*o.workload.Threads, o.generators*o.workload.Threads
	j.Agree = func() (time.Time, error) { // when the connections are made, which can take longer than the agreed time
		s, err := j.Dial(ctx)
		if err != nil {
			return time.Time{}, err
		}
		defer s.Close()
		return barrier.Start(ctx, s, o.run, o.generator, o.generators)
	}
}

// leave removes the traces of shareWork, also after an interruption. The load is
// measured by then, so it is not a failure of it if the server has gone away.
func (o *loadOptions) leave(ctx context.Context, w io.Writer, j *loop.Job) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	s, err := j.Dial(ctx)
	if err == nil {
		defer s.Close()
		err = barrier.Leave(ctx, s, o.run, o.generator)
	}
	if err != nil {
		fmt.Fprintf(w, "the generators' table keeps its rows: %v\n", err)
	}
}

func writeReport(w io.Writer, name string, r *summary.Summary) error {
	if name == "" {
		return nil
	}
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	b = append(b, '\n')
	if name == "-" {
		_, err = w.Write(b)
		return err
	}
	return os.WriteFile(name, b, 0o644)
}
