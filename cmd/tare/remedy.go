package main

// This file is `tare remedy`: findings become the arms of an experiment.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/record"
)

// remedyOptions are what `tare remedy` was asked for.
type remedyOptions struct {
	spec, of, node string
	apply          string
	given          givenServer
	change         specChange
}

func remedyVerb(t *terminal) *cobra.Command {
	var o remedyOptions
	c := &cobra.Command{
		Use:   "remedy DIR | remedy --spec SPEC FILE... | remedy --apply DIR FILE...",
		Short: "Write an experiment that measures the fixes for findings",
		Long: "Write an experiment whose baseline is the server as it is, and which has one arm with one change for each\n" +
			"finding. `tare run` measures all of them in the same rounds; its report says which changes to keep.\n\n" +
			"Findings come from a run (DIR), or from `tare lint` of manifests and option files (FILE...), with data,\n" +
			"load and protocol of the experiment SPEC.\n\n" +
			"--apply DIR writes the kept change with the largest certain gain of the run in DIR into its files: the\n" +
			"manifests, or the experiment whose arm it improves. No cluster is changed.",
		Example: "  tare remedy runs/first > remedy.yaml\n  tare remedy --spec experiment.yaml deployment.yaml my.cnf > remedy.yaml\n" +
			"  tare run remedy.yaml --out runs/remedy\n  tare remedy --apply runs/remedy deployment.yaml my.cnf",
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, a []string) error { return remedy(c.Context(), t, o, a) },
	}
	c.Flags().StringVar(&o.spec, "spec", "", "experiment with data, load and protocol for findings of FILE...")
	c.Flags().StringVar(&o.of, "arm", "", "arm whose findings are measured; with FILE, the database; with --apply, the remedy to write")
	completeArm(c)
	c.Flags().StringVar(&o.node, "node", "", "file with the Node, as for tare lint")
	c.Flags().StringVar(&o.apply, "apply", "", "write the change that the run in this directory kept into FILE...")
	filesFlag(c, "manifest or option file; can be repeated")
	o.given.flags(c)
	for flag, otherwise := range map[string]string{"server-version": "the server of --spec", "memory": "that of the baseline of --spec, else of this machine", "cpu": "that of the baseline of --spec, else of this machine"} {
		c.Flags().Lookup(flag).Usage += " (default " + otherwise + ")"
	}
	o.change.flags(c)
	return c
}

func remedy(ctx context.Context, t *terminal, o remedyOptions, names []string) error {
	switch {
	case o.apply != "" && o.change.given() != nil:
		return usage{fmt.Errorf("remedy: --apply contacts no cluster; leave out --%s", o.change.given()[0].Name)}
	case o.apply != "":
		return applyRemedy(ctx, t, o, names)
	case o.spec != "":
		return remedyOfFiles(ctx, t, o, names)
	case o.given != givenServer{}:
		return hinted{usage{errors.New("remedy: --server-version, --memory and --cpu are for the findings of files")}, "add --spec SPEC"}
	case len(names) > 1:
		return hinted{usage{errors.New("several files need an experiment to measure their findings with")}, "add --spec SPEC"}
	}
	return remedyOfRun(t, o, names[0])
}

// remedyOfRun writes the experiment for what a run shows of one of its arms.
func remedyOfRun(t *terminal, o remedyOptions, dir string) error {
	run, findings, err := diagnosed(dir)
	if err != nil {
		return err
	}
	like, err := o.change.of(dir, run.Experiment, nil)
	if err != nil {
		return err
	}
	var all []diagnose.Proposal
	for _, arm := range like.Arms {
		all = append(all, diagnose.ProposeRun(findings, arm))
	}
	p, err := chosen(all, o.of)
	if err != nil {
		for _, p := range all {
			if o.of == "" || o.of == p.Subject {
				notMeasured(t, p)
			}
		}
		return err
	}
	return writeProposal(t, p, like, p.Subject)
}

// diagnosed is a finished run with what its counters show.
func diagnosed(dir string) (*record.Run, []diagnose.Finding, error) {
	run, err := record.Open(dir)
	if err != nil {
		return nil, nil, usage{err}
	}
	if run.Experiment == nil {
		return nil, nil, usage{fmt.Errorf("remedy: %s was imported; tare cannot start its servers", dir)}
	}
	res := compare.Run(run)
	if res.Sealed {
		return nil, nil, hinted{usage{fmt.Errorf("remedy: only %d of %d trials are complete", res.TrialsDone, res.TrialsPlanned)}, "continue with: tare run --resume " + dir}
	}
	return run, diagnose.Run(run, res, diagnose.Rules()), nil
}

// remedyOfFiles writes the experiment for what lint says of one database.
func remedyOfFiles(ctx context.Context, t *terminal, o remedyOptions, names []string) error {
	like, err := readSpec(o.spec, o.change)
	if like != nil {
		err = like.WithoutComparison(err) // arms are made of the files
	}
	if err != nil {
		return err
	}
	a, d, known, err := o.assumedOf(ctx, t, like)
	if err != nil {
		return err
	}
	all, _, err := proposals(t, o, a, names)
	if err != nil {
		return err
	}
	differs(t, all, d, known, like)
	p, err := chosen(all, o.of)
	if err != nil {
		for _, p := range all {
			if o.of == "" && len(p.Changes) == 0 || o.of == p.Subject {
				notMeasured(t, p)
			}
		}
		return err
	}
	p = fitted(ctx, p, d, known)
	if len(p.Changes) == 0 {
		notMeasured(t, p)
		return gate{errors.New("remedy: no finding has a remedy that this server can measure")}
	}
	return writeProposal(t, p, like, "as-written")
}

// proposals are those of each database of the files.
func proposals(t *terminal, o remedyOptions, a assumption, names []string) ([]diagnose.Proposal, *manifest.Set, error) {
	set, unbuilt, broken := readManifests(t, names)
	for _, u := range unbuilt {
		broken = append(broken, fmt.Errorf("%s: %s cannot be built: %w", u.File, u.Title, u.Err))
	}
	if len(broken) > 0 {
		return nil, nil, usage{errors.Join(broken...)}
	}
	facts, err := nodeFacts(o.node)
	if err != nil {
		return nil, nil, err
	}
	rules, err := lintRules(nil)
	if err != nil {
		return nil, nil, err
	}
	facts.Assumed = a.Assumed
	sayAssumed(t, set, a)
	all, err := diagnose.ProposeFiles(set, facts, rules, func(edits []manifest.Edit) (*manifest.Set, error) {
		after, err := set.Edited(edits)
		if err != nil {
			return nil, err
		}
		again, _ := manifest.Read(after, os.ReadFile)
		return again, nil
	})
	return all, set, err
}

// chosen is the proposal that is meant: the one named, or the only one that
// changes anything.
func chosen(all []diagnose.Proposal, of string) (diagnose.Proposal, error) {
	var with []diagnose.Proposal
	var names []string
	for _, p := range all {
		if of == p.Subject || of == "" && len(p.Changes) > 0 {
			with = append(with, p)
		}
		names = append(names, p.Subject)
	}
	switch {
	case len(with) == 1 && len(with[0].Changes) > 0:
		return with[0], nil
	case len(with) > 1:
		return diagnose.Proposal{}, usage{fmt.Errorf("remedy: several of these have changes: %s; choose one with --arm", strings.Join(names, ", "))}
	case of != "" && len(with) == 0:
		return diagnose.Proposal{}, usage{fmt.Errorf("remedy: --arm %s is unknown; use one of: %s", of, strings.Join(names, ", "))}
	}
	return diagnose.Proposal{}, gate{errors.New("remedy: no finding has a remedy that a run can measure")}
}

// writeProposal prints the experiment, and to the side what is in it and what not.
func writeProposal(t *terminal, p diagnose.Proposal, like *experiment.Experiment, arm string) error {
	text, err := p.Experiment(like, arm,
		"Remedies of "+p.Subject+", written by `tare remedy`. The first arm is the server as it is; each",
		"remedy is measured against it in the same rounds. `tare run` says which are kept.")
	if err != nil {
		return err
	}
	if want := p.Rounds(like); like.Protocol.Rounds.Max < want {
		fmt.Fprintf(t.err, "differs from the experiment: protocol.rounds is %d instead of %d: with fewer rounds so many changes (%d) can have no verdict\n", want, like.Protocol.Rounds.Max, len(p.Changes))
	}
	for _, note := range p.Notes {
		fmt.Fprintf(t.err, "differs from the files: %s\n", note)
	}
	for _, c := range p.Changes {
		fmt.Fprintf(t.err, "%s: %s: %s\n", c.Name, c.Finding.Says, c.Patch)
	}
	notMeasured(t, p)
	_, err = t.out.Write(text)
	return err
}

// notMeasured says which findings no arm can show and why, a line each, and which rules were not checked.
func notMeasured(t *terminal, p diagnose.Proposal) {
	for _, f := range p.Unmeasured {
		line := fmt.Sprintf("not measured: %s [%s]: %s", f.Says, f.Rule, f.Why)
		if f.Fix != "" {
			line += "; fix: " + f.Fix
		}
		fmt.Fprintln(t.err, line)
	}
	for _, u := range diagnose.ByReason(p.Unknown) {
		fmt.Fprintf(t.err, "not checked: %s: %s\n", u.Why, strings.Join(u.Rules, " "))
	}
}
