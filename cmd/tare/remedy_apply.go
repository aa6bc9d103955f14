package main

// This file writes a change that a run has kept into the user's files.

import (
	"fmt"
	"os"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/record"
)

func applyRemedy(t *terminal, o remedyOptions, names []string) error {
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
	return applyToFiles(t, o, names, kept)
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
	after, err := edited(set, edits)
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
	return writeEdited(t, set, after)
}

// applyToFiles makes the edits of the same finding of the same files. That they
// are the same is checked by what they change.
func applyToFiles(t *terminal, o remedyOptions, names []string, kept compare.Remedy) error {
	all, set, err := proposals(t, o, names)
	if err != nil {
		return err
	}
	for _, p := range all {
		for _, c := range p.Changes {
			if c.Patch == kept.Change && c.Finding.Rule == kept.Rule {
				return applyEdits(t, set, c)
			}
		}
	}
	return usage{fmt.Errorf("apply: %s has changed since the run, or is not what it measured: no finding of %s there asks for %s", names[0], kept.Rule, kept.Change)}
}

func applyEdits(t *terminal, set *manifest.Set, c diagnose.Change) error {
	if len(c.Edits) == 0 {
		return gate{fmt.Errorf("apply: %s: the file does not have this setting yet; add by hand: %s", c.Finding.Where, c.Finding.Fix)}
	}
	after, err := edited(set, c.Edits)
	if err != nil {
		return err
	}
	return writeEdited(t, set, after)
}
