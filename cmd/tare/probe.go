package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/inpod"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
)

// probeVerb runs the probes beside a server that is loaded by somebody else.
func probeVerb(t *terminal) *cobra.Command {
	var o liveOptions
	var length time.Duration
	c := &cobra.Command{
		Use:   "probe ADDRESS | probe --socket PATH | probe --host HOST",
		Short: "Record metrics of a running server (every 5 s) and its machine (every second)",
		Long: "Read what the probes of `tare run` read, for a server that is already running: its own counters, and where\n" +
			"its process is on this machine also its cgroups, threads, disk and network. Lines of a record\n" +
			"(docs/record.md) are written to standard output. Nothing is written to the server.\n\n" +
			addressHelp,
		Example: "  tare probe /run/mysqld/mysqld.sock --for 1m\n  tare probe --pid 4711 db.example.com:3306",
		Args:    args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			if err := o.name("probe", a); err != nil {
				return err
			}
			if length < time.Second {
				return usage{fmt.Errorf("--for %s: use at least 1s", length)}
			}
			return watchServer(c.Context(), t, o, length)
		},
	}
	liveFlags(c, &o, "")
	spanFlag(c.Flags(), &length, "for", 10*time.Second, "how long to watch")
	c.AddCommand(inpod.ProbeBeside())
	return c
}

// watchServer prints declarations, what cannot be read, and the samples.
func watchServer(ctx context.Context, t *terminal, o liveOptions, length time.Duration) error {
	a, err := o.server()
	if err != nil {
		return usage{err}
	}
	db, err := mysqld.Open(a)
	if err != nil {
		return usage{fmt.Errorf("probe: %w", err)}
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, _, err := mysqld.Version(ctx, db); err != nil { // one that is stopped would keep the command waiting
		return fmt.Errorf("probe %s: %w", o.address, err)
	}
	place := probe.Place{Root: os.DirFS("/"), PID: o.pid, TakesPID: true, DB: db}
	if place.PID == 0 && a.Socket != "" {
		place.PID = listener(a.Socket)
	}
	if err := db.QueryRowContext(ctx, "SELECT @@datadir").Scan(&place.DataDir); err != nil {
		return fmt.Errorf("probe %s: %w", o.address, err)
	}
	out := json.NewEncoder(t.out)
	emit := func(l record.Line) error { return out.Encode(l) }
	w := probe.Start(place, probe.All())
	for _, l := range w.Lines() {
		if err := emit(l); err != nil {
			return err
		}
	}
	return w.Run(ctx, probe.Window{Began: time.Now(), Measure: length}, emit)
}
