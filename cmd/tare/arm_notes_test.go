package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/process"
)

// notedTarget is a target with notes.
type notedTarget struct {
	target.Target
	notes []string
}

func (n notedTarget) Capabilities() target.Capabilities { return target.Capabilities{Notes: n.notes} }

// TestArmNotes: what several arms have in common is said once.
func TestArmNotes(t *testing.T) {
	job := membersJob(t, 2, process.Settings{})
	var want []string
	for i, arm := range job.Experiment.Arms {
		notes := []string{"the program is streamed"}
		if i == 0 {
			notes = append(notes, "the data are made in every trial")
			want = []string{"all arms: the program is streamed", "arm " + arm.Name + ": the data are made in every trial"}
		}
		job.Targets[arm.Name] = notedTarget{notes: notes}
	}
	if diff := cmp.Diff(want, armNotes(job)); diff != "" {
		t.Error(diff)
	}
}
