package main

// This file writes a change that a run has kept into the user's files.

import (
	"errors"
	"fmt"
	"math"
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
	kept, err := keptRemedy(run, o.of)
	if err != nil {
		return err
	}
	if len(names) == 1 {
		if text, err := os.ReadFile(names[0]); err == nil && isExperiment(names[0], text) {
			return applyToSpec(t, names[0], text, run.Experiment.Baseline, kept)
		}
	}
	return applyToFiles(t, o, names, kept)
}

// keptRemedy is the one to write: each was measured by itself, so only one is
// known to help. The largest certain gain comes first; the others are measured
// again on top of it.
func keptRemedy(run *record.Run, name string) (best compare.Remedy, err error) {
	res := compare.Run(run)
	most, others := math.Inf(-1), 0
	for _, m := range res.Remedies {
		if name != "" && m.Arm != name {
			continue
		}
		if m.Decision != compare.Kept {
			if name != "" {
				return best, gate{fmt.Errorf("apply: %s is %s, not kept", m.Arm, m.Decision)}
			}
			continue
		}
		others++
		if gain := m.CertainGain(); gain > most {
			best, most = m, gain
		}
	}
	if others == 0 {
		return best, gate{errors.New("apply: this run kept no remedy; `tare report` says what became of them")}
	}
	return best, nil
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
		return gate{fmt.Errorf("apply: %s: it has no place in the file yet; write by hand: %s", c.Finding.Where, c.Finding.Fix)}
	}
	after, err := edited(set, c.Edits)
	if err != nil {
		return err
	}
	return writeEdited(t, set, after)
}
