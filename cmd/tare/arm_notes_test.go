package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/process"
)

// notedTarget is a target with notes.
type notedTarget struct {
	target.Target
	notes, turnNotes []string
}

func (n notedTarget) Capabilities() target.Capabilities {
	return target.Capabilities{Notes: n.notes, TurnNotes: n.turnNotes}
}

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

// TestTurnNotes: that windows need less of the nodes is not said to who has written kind: windows.
func TestTurnNotes(t *testing.T) {
	job := membersJob(t, 2, process.Settings{})
	for _, arm := range job.Experiment.Arms {
		job.Targets[arm.Name] = notedTarget{turnNotes: []string{"kind: windows runs one server at a time"}}
	}
	for kind, want := range map[string][]string{experiment.KindSlices: {"all arms: kind: windows runs one server at a time"}, experiment.KindWindows: nil} {
		job.Plan.Protocol = &experiment.Interleaving{Kind: kind}
		if kind == experiment.KindSlices {
			job.Plan.Protocol.Slices = &interleave.Slices{}
		}
		if diff := cmp.Diff(want, armNotes(job)); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
	}
}
