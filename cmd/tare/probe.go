package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
)

// probeVerb runs the probes beside a server that is loaded by somebody else.
func probeVerb(t *terminal) *cobra.Command {
	var o liveOptions
	var length time.Duration
	c := &cobra.Command{
		Use:   "probe ADDRESS",
		Short: "Watch a running server and its machine: a sample a second, as lines of a record",
		Long: "Read what the probes of `tare run` read, beside a server that runs: its cgroups, threads, disk and\n" +
			"network where its process is on this machine, the machine, and the server's own counters. Lines of\n" +
			"a record (docs/record.md) on standard output; nothing is written to the server.\n\n" +
			"ADDRESS is /path/of/the.sock, HOST or HOST:PORT. The password comes from MYSQL_PWD or a file.",
		Example: "  tare probe /run/mysqld/mysqld.sock --length 1m\n  tare probe --pid 4711 db.example.com:3306",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			o.address = a[0]
			if length < time.Second {
				return usage{fmt.Errorf("--length %s: at least 1s is wanted", length)}
			}
			return watchServer(c.Context(), t, o, length)
		},
	}
	c.Flags().StringVar(&o.user, "user", "root", "user to ask the server as")
	c.Flags().StringVar(&o.passwordFile, "password-file", "", "file with the password")
	c.Flags().StringVar(&o.tls, "tls", "", "required, verify-ca or verify-identity")
	c.Flags().StringVar(&o.ca, "ca", "", "file with the certificates that are trusted")
	c.Flags().IntVar(&o.pid, "pid", 0, "the server's process (default: who listens on the socket)")
	c.Flags().DurationVar(&length, "length", 10*time.Second, "how long to watch")
	c.AddCommand(probeBesideVerb(t))
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
	place := probe.Place{Root: os.DirFS("/"), PID: o.pid, DB: db}
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
