package main

// This file writes a change that a run has kept into the user's files.

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/record"
)

func applyRemedy(ctx context.Context, t *terminal, o remedyOptions, names []string) error {
	run, err := record.Open(o.apply)
	if err != nil {
		return usage{err}
	}
	kept, err := compare.Run(run).KeptRemedy(o.of)
	if err != nil {
		return gate{fmt.Errorf("apply: %w", err)}
	}
	if len(names) == 1 {
		if text, err := os.ReadFile(names[0]); err == nil && isExperiment(names[0], text) {
			return applyToSpec(t, names[0], text, run.Experiment.Baseline, kept)
		}
	}
	return applyToFiles(ctx, t, o, names, run.Experiment, kept)
}

func isExperiment(name string, text []byte) bool {
	set, _ := manifest.Read([]manifest.Source{{Name: name, Text: text}}, nil)
	return set.Find(experiment.Kind, "") != nil
}

// applyToSpec changes an arm of an experiment in place, and writes it only where
// the arm then has exactly the settings that were measured.
func applyToSpec(t *terminal, name string, text []byte, arm string, kept compare.Remedy) error {
	before, err := experiment.Parse(name, text)
	if err != nil {
		return err
	}
	old, ok := before.Arm(arm)
	if !ok || len(old.Layers) > 0 {
		return usage{fmt.Errorf("apply: %s has no arm %s, which the remedy changes", name, arm)}
	}
	want, err := old.Laid(kept.Change)
	if err != nil {
		return err
	}
	set, _ := manifest.Read([]manifest.Source{{Name: name, Text: text}}, nil)
	edits, err := set.Find(experiment.Kind, "").Value.Get("arms", arm).Patch(kept.Change)
	if err != nil {
		return usage{fmt.Errorf("apply: %w", err)}
	}
	after, err := set.Edited(edits)
	if err != nil {
		return err
	}
	e, err := experiment.Parse(name, after[0].Text)
	if err != nil {
		return fmt.Errorf("apply: the changed experiment: %w", err)
	}
	if changed, _ := e.Arm(arm); !changed.Same(want) {
		return usage{fmt.Errorf("apply: %s cannot be changed to %s in place; write it by hand", arm, want)}
	}
	return writeEdited(t, "en", set, after)
}

// applyToFiles makes the edits of the same finding of the same database. That it is the
// same is checked by its settings, which the baseline has, and by what the edits change.
func applyToFiles(ctx context.Context, t *terminal, o remedyOptions, names []string, e *experiment.Experiment, kept compare.Remedy) error {
	a, _, _, err := o.assumedOf(ctx, t, e)
	if err != nil {
		return err
	}
	all, set, err := proposals(t, o, a, names)
	if err != nil {
		return err
	}
	baseline, ok := e.Arm(e.Baseline)
	if !ok {
		return usage{fmt.Errorf("apply: the run has no arm %s", e.Baseline)}
	}
	found := measured(all, baseline, kept)
	switch len(found) {
	case 0:
		return hinted{usage{fmt.Errorf("apply: %s has changed since the run, or is not what it measured: no finding of %s there asks for %s", names[0], kept.Rule, kept.Change)},
			"give --server-version, --memory and --cpu as they were for tare remedy --spec"}
	case 1:
		return applyEdits(t, set, found[0].Changes[0])
	}
	var subjects []string
	for _, p := range found {
		subjects = append(subjects, fmt.Sprintf("%s (%s)", p.Subject, p.Changes[0].Finding.Where))
	}
	return usage{fmt.Errorf("apply: several databases have the settings that the run measured: %s; give the files of one of them", strings.Join(subjects, ", "))}
}

// measured are the databases with the settings of the baseline, each with the kept change
// alone: exactly these settings, or else those that are left of them without the options
// that the run's server did not accept.
func measured(all []diagnose.Proposal, baseline experiment.Arm, kept compare.Remedy) []diagnose.Proposal {
	var exact, fitted []diagnose.Proposal
	for _, p := range all {
		if i := slices.IndexFunc(p.Changes, func(c diagnose.Change) bool { return c.Patch == kept.Change && c.Finding.Rule == kept.Rule }); i >= 0 {
			arm, without := p.Arm, p.ForServer("", leftOut(p, baseline)).Arm
			p.Changes = p.Changes[i : i+1]
			if baseline.Same(arm) {
				exact = append(exact, p)
			} else if baseline.Same(without) {
				fitted = append(fitted, p)
			}
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return fitted
}

// leftOut are the options of a proposal that the baseline does not set.
func leftOut(p diagnose.Proposal, baseline experiment.Arm) map[string]string {
	out := map[string]string{}
	for name := range p.Options() {
		if _, set := baseline.Config[name]; !set {
			out[name] = ""
		}
	}
	return out
}

func applyEdits(t *terminal, set *manifest.Set, c diagnose.Change) error {
	if len(c.Edits) == 0 {
		return gate{fmt.Errorf("apply: %s: the file does not have this setting yet; add by hand: %s", c.Finding.Where, c.Finding.Fix)}
	}
	if err := changeable(set); err != nil {
		return err
	}
	after, err := set.Edited(c.Edits)
	if err != nil {
		return err
	}
	return writeEdited(t, "en", set, after)
}
