package main

// This file tests which experiments with replicated databases run by slices.

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/members"
	"github.com/tarebench/tare/internal/target/process"
)

// membersJob is a job of so many arms, each a database of three members.
func membersJob(t *testing.T, arms int, s process.Settings) *runner.Job {
	t.Helper()
	text := `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: members}
data: {tables: 1, rows: 10}
protocol: {rounds: 1, aa: false}
load: {engine: tare, threads: 1}
database: {config: {innodb_buffer_pool_size: 8M}}
baseline: a0
arms:
`
	job := &runner.Job{Targets: map[string]target.Target{}}
	for i := range arms {
		name := fmt.Sprint("a", i)
		text += "  " + name + ": {target: process}\n"
		place, err := process.New(func(into any) error { *into.(*process.Settings) = s; return nil }, process.Env{})
		if err != nil {
			t.Fatal(err)
		}
		job.Targets[name] = place
	}
	e, err := experiment.Parse("members.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	job.Experiment = e
	return job
}

// TestMembersTakeTurns: members are frozen for no longer than they wait for each other, which
// is what many arms would take, and not while tare watches for a failover.
func TestMembersTakeTurns(t *testing.T) {
	second := experiment.Duration(time.Second)
	for _, c := range []struct {
		arms     int
		settings replication.Settings
		faults   members.Faults
		want     string // the reason's code
	}{
		{2, replication.Settings{Mode: replication.Group}, nil, ""},
		{20, replication.Settings{Mode: replication.Group}, nil, "members"},
		{11, replication.Settings{Mode: replication.SemiSync}, nil, ""},
		{20, replication.Settings{Mode: replication.SemiSync}, nil, "members"},
		{20, replication.Settings{Mode: replication.Galera}, nil, ""},
		{2, replication.Settings{Mode: replication.Galera, Writers: replication.AllWriters}, nil, "frozen"},
		{2, replication.Settings{Mode: replication.Group}, members.Faults{{At: second, For: second, Pause: "primary"}}, "frozen"},
	} {
		job := membersJob(t, c.arms, process.Settings{Replication: &c.settings, Faults: c.faults})
		memories, why := obstacles(job, nil)
		if why != nil && (why.Code == "memory" || why.Code == "disk") { // of this machine
			why = nil
		}
		if got := codeOf(why); got != c.want {
			t.Errorf("%d arms of mode %s, faults %v: %q, want %q", c.arms, c.settings.Mode, c.faults, got, c.want)
		}
		if c.want != "members" {
			continue
		}
		if frozen := interleaving(job.Experiment, memories, why); frozen.Kind != experiment.KindWindows || !strings.Contains(frozen.Why, "take each other for failed after") {
			t.Errorf("%s: %s", frozen.Kind, frozen.Why)
		}
	}
}

func codeOf(r *experiment.Reason) string {
	if r == nil {
		return ""
	}
	return r.Code
}

// TestMembersNeedMemory: the servers of a run by slices are all members of all arms.
func TestMembersNeedMemory(t *testing.T) {
	job := membersJob(t, 4, process.Settings{Replication: &replication.Settings{Mode: replication.SemiSync, Members: 5}})
	if n := serversAtOnce(job); n != 20 {
		t.Errorf("%d servers of 4 arms with 5 members", n)
	}
	job = membersJob(t, 4, process.Settings{})
	if n := serversAtOnce(job); n != 4 {
		t.Errorf("%d servers of 4 arms", n)
	}
}
