package main

// This file writes the experiment that measures the changes for what a running server
// showed.

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/report/live"
)

// like is the experiment whose data, load and protocol the new one has; nil where none is
// to be written.
func (o watchOptions) like(ctx context.Context) (*experiment.Experiment, error) {
	switch {
	case o.trial == "" && (o.spec != "" || o.database != ""):
		return nil, usage{fmt.Errorf("explain --live: --spec and --database belong to --experiment")}
	case o.trial == "":
		return nil, nil
	case o.again:
		return nil, usage{fmt.Errorf("explain --live: --experiment writes one file; leave out --watch")}
	case o.spec != "":
		return readSpec(o.spec, specChange{})
	}
	text, _, err := firstFor(ctx, o.trial, o.database, "")
	if err != nil {
		return nil, err
	}
	return experiment.ParseIn(".", o.trial, text)
}

// propose writes the experiment, if it was asked for and there is a change to measure.
func (o watchOptions) propose(ctx context.Context, t *terminal, db *sql.DB, r *live.Report, seen seenLive, like *experiment.Experiment) error {
	if like == nil {
		return nil
	}
	if r.Ended > 0 {
		fmt.Fprintf(t.err, "%s not written: the server ended or stopped answering while it was watched\n", o.trial)
		return nil
	}
	set, err := mysqld.SetVariables(ctx, db)
	if err != nil {
		return fmt.Errorf("explain --live: %w", err)
	}
	all := seen.running.Variables
	seen.running.Variables = map[string]string{}
	for _, name := range set {
		if value, ok := all[name]; ok {
			seen.running.Variables[name] = value
		}
	}
	p := diagnose.ProposeLive(seen.running, seen.findings)
	if len(p.Changes) == 0 {
		fmt.Fprintf(t.err, "%s not written: no cause that is present has a change that a run can measure\n", o.trial)
		return nil
	}
	d, known, err := serverOf(ctx, t, like)
	if err != nil {
		return err
	}
	p = fitted(ctx, p, d, known)
	text, err := p.Experiment(like, "as-running",
		"Changes for the server "+p.Subject+", written by `tare explain --live`. The first arm has the",
		"limits and the options of the running server. Each remedy is measured in the same rounds.",
		"Data and load are those of "+o.source()+", not those of the running server.")
	if err != nil {
		return err
	}
	if err := os.WriteFile(o.trial, text, 0o644); err != nil {
		return fmt.Errorf("explain --live: %w", err)
	}
	r.Experiment = o.trial
	return nil
}

// source names where data, load and protocol of the experiment come from.
func (o watchOptions) source() string {
	if o.spec != "" {
		return o.spec
	}
	return "`tare init`"
}
