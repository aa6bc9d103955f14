package main

// This file writes the experiment that measures the changes for what a running server
// showed.

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/report/live"
)

// like is the experiment whose data, load and protocol the new one has; nil where none is
// to be written.
func (o watchOptions) like(ctx context.Context) (*experiment.Experiment, error) {
	switch {
	case o.pod.name != "" && o.trial+o.spec+o.database != "":
		return nil, hinted{usage{errors.New("explain POD: --experiment, --spec and --database are for a server outside a cluster: they make an experiment with servers of this machine")},
			"make one of the manifests of the pod's StatefulSet or Deployment with: " + o.ofManifests()}
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
		fmt.Fprintf(t.err, "%s not written: %s\n", o.trial, nothingToMeasure(p))
		return nil
	}
	d, known, err := serverOf(ctx, t, like)
	if err != nil {
		return err
	}
	if p = fitted(ctx, p, d, known); len(p.Changes) == 0 {
		fmt.Fprintf(t.err, "%s not written: %s\n", o.trial, nothingToMeasure(p))
		return nil
	}
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

// nothingToMeasure is why a proposal without changes is no experiment.
func nothingToMeasure(p diagnose.Proposal) string {
	var rules []string
	for _, f := range p.Unmeasured {
		rules = append(rules, fmt.Sprintf("%s (%s)", f.Rule, cmp.Or(f.Fix, f.Title)))
	}
	if len(rules) == 0 {
		return "no cause is present, so there is no change to measure. Watch for longer (--for), or while the server is slow"
	}
	return fmt.Sprintf("what is present has no change that an arm of an experiment can have: %s", strings.Join(rules, "; "))
}

// ofRunning refuses flags of a running server beside anything else, where they would do nothing.
func ofRunning(c *cobra.Command, argument string, run bool) error {
	for _, name := range []string{"experiment", "spec", "database", "watch", "for"} {
		if !c.Flags().Changed(name) {
			continue
		}
		err := usage{fmt.Errorf("explain: --%s is for a running server, and %s is none", name, argument)}
		if run {
			return hinted{err, "the experiment that measures the changes for what a run found is written by: tare remedy " + argument}
		}
		return hinted{err, "of a server, write HOST:PORT or a socket's path; of a pod, add its namespace: -n NAMESPACE"}
	}
	return nil
}

// source names where data, load and protocol of the experiment come from.
func (o watchOptions) source() string {
	if o.spec != "" {
		return o.spec
	}
	return "`tare init`"
}
