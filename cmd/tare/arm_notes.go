package main

// This file is what the user should know of arms before a run.

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/runner"
)

// armNotes are the notes of the arms' targets, each once with the arms that it is about.
func armNotes(job *runner.Job) (lines []string) {
	var notes []string
	arms := map[string][]string{}
	for _, arm := range job.Experiment.Arms {
		has := job.Targets[arm.Name].Capabilities()
		said := has.Notes
		if job.Plan.Sliced() {
			said = slices.Concat(said, has.TurnNotes)
		}
		for _, note := range said {
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
			arms[note] = append(arms[note], arm.Name)
		}
	}
	for _, note := range notes {
		switch of := arms[note]; {
		case len(of) == 1:
			lines = append(lines, "arm "+of[0]+": "+note)
		case len(of) == len(job.Experiment.Arms):
			lines = append(lines, "all arms: "+note)
		default:
			lines = append(lines, "arms "+strings.Join(of, ", ")+": "+note)
		}
	}
	if note := onSeveralNodes(job); note != "" {
		lines = append(lines, note)
	}
	return lines
}
