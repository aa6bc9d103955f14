package main

// This file tests which experiments with replicated databases run by slices.

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
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
		faults   []event.Event
		want     string // the reason's code
	}{
		{2, replication.Settings{Mode: replication.Group}, nil, ""},
		{20, replication.Settings{Mode: replication.Group}, nil, "members"},
		{11, replication.Settings{Mode: replication.SemiSync}, nil, ""},
		{20, replication.Settings{Mode: replication.SemiSync}, nil, "members"},
		{20, replication.Settings{Mode: replication.Galera}, nil, ""},
		{2, replication.Settings{Mode: replication.Galera, Writers: replication.AllWriters}, nil, "frozen"},
		{2, replication.Settings{Mode: replication.Group}, []event.Event{{At: second, For: second, Pause: "primary"}}, "frozen"},
	} {
		job := membersJob(t, c.arms, process.Settings{Replication: &c.settings, Faults: c.faults})
		memories, why := obstacles(job, nil)
		if why != nil && (why.Code == "memory" || why.Code == "disk" || why.Code == "aio") { // of this machine
			why = nil
		}
		if c.want != "frozen" && job.Targets["a0"].Capabilities().BySignals { // a machine without a freezer
			c.want = "signals"
		}
		if got := codeOf(why); got != c.want {
			t.Errorf("%d arms of mode %s, faults %v: %q, want %q", c.arms, c.settings.Mode, c.faults, got, c.want)
		}
		if c.want != "members" {
			continue
		}
		if frozen := interleaving(job.Experiment, memories, false, why); frozen.Kind != experiment.KindWindows || !strings.Contains(frozen.Why, "consider each other failed after") {
			t.Errorf("%s: %s", frozen.Kind, frozen.Why)
		}
	}
}

// TestLedgerRunsByWindows: by slices nothing would compare the ledger with the server, and a
// lost write would not be reported.
func TestLedgerRunsByWindows(t *testing.T) {
	job := membersJob(t, 2, process.Settings{})
	job.Experiment.Load.Workload = "ledger"
	memories, why := obstacles(job, nil)
	if codeOf(why) != "ledger" {
		t.Fatalf("reason %q", codeOf(why))
	}
	if i := interleaving(job.Experiment, memories, false, why); i.Kind != experiment.KindWindows || !strings.Contains(i.Why, "the workload ledger") {
		t.Errorf("%s: %s", i.Kind, i.Why)
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

// TestServersNeedAsynchronousIO: servers that would not start, because the kernel has no requests
// of asynchronous I/O left for them, run by windows.
func TestServersNeedAsynchronousIO(t *testing.T) {
	const servers, each = 100, 256*(64+64+1) + 1
	job := membersJob(t, 20, process.Settings{Replication: &replication.Settings{Mode: replication.SemiSync, Members: 5}})
	job.Experiment.Database.Config = map[string]string{"innodb_read_io_threads": "64", "innodb_write_io_threads": "64"}
	most, err := os.ReadFile("/proc/sys/fs/aio-max-nr")
	if err != nil {
		t.Fatal(err)
	}
	if limit, err := strconv.Atoi(strings.TrimSpace(string(most))); err != nil || limit >= servers*each {
		t.Fatalf("fs.aio-max-nr of this machine permits %d servers: %s, %v", servers, most, err)
	}
	why := tooFewRequests(job)
	if codeOf(why) != "aio" || why.Arguments["servers"] != "100" || why.Arguments["needed"] != strconv.Itoa(servers*each) {
		t.Fatalf("%+v", why)
	}
	if p := interleaving(job.Experiment, nil, false, why); p.Kind != experiment.KindWindows || !strings.Contains(p.Why, "100 servers at once need 3302500 requests of asynchronous I/O") || !strings.Contains(p.Why, "sysctl -w fs.aio-max-nr=") {
		t.Errorf("%s: %s", p.Kind, p.Why)
	}
	job.Distribution.Flavour = mysqld.MariaDB // with io_uring
	if why := tooFewRequests(job); why != nil {
		t.Errorf("%+v", why)
	}
}

// TestWorkByTheClockRunsByWindows: what a server does by its clock happens more often for each
// second of load when it is frozen between its turns.
func TestWorkByTheClockRunsByWindows(t *testing.T) {
	for _, c := range []struct {
		workload, own, all string
		want               string
	}{
		{"oltp_read_write", "", "", ""},
		{"oltp_read_write", "innodb-io-capacity", "", "by-the-clock"},
		{"oltp_read_only", "innodb_io_capacity", "", ""},
		{"oltp_read_write", "sync-binlog", "", "left-to-the-kernel"},
		{"oltp_read_only", "sync_binlog", "", ""},
		{"oltp_read_write", "", "sync_binlog", ""},
		{"oltp_read_write", "", "innodb_redo_log_capacity", "small-redo"},
	} {
		job := membersJob(t, 2, process.Settings{})
		e := job.Experiment
		e.Load.Workload = c.workload
		if c.own != "" {
			e.Arms[1].Config = map[string]string{c.own: "100"}
		}
		if c.all != "" {
			e.Database.Config = map[string]string{c.all: "8M"}
		}
		if got := codeOf(workByTheClock(job)); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestSmallRedoOfManyRunsByWindows: the more servers take turns, the larger a redo log has to be for a load that writes; one of
// the usual size is large enough for any number.
func TestSmallRedoOfManyRunsByWindows(t *testing.T) {
	for _, c := range []struct {
		arms int
		redo string
		want string
	}{
		{2, "24M", ""}, {3, "24M", "redo-of-many"}, {3, "36M", ""}, {5, "48M", "redo-of-many"}, {9, "96M", ""}, {9, "95M", "redo-of-many"},
	} {
		job := membersJob(t, 2, process.Settings{})
		e := job.Experiment
		off := false
		e.Protocol.AA, e.Load.Workload = &off, "oltp_read_write"
		e.Database.Config = map[string]string{"innodb_redo_log_capacity": c.redo}
		for len(e.Arms) < c.arms {
			more := e.Arms[1]
			more.Name += "x"
			e.Arms = append(e.Arms, more)
		}
		e.Arms = e.Arms[:c.arms]
		why := workByTheClock(job)
		if codeOf(why) != c.want {
			t.Errorf("%+v: %q", c, codeOf(why))
		}
		if p := interleaving(e, nil, false, why); why != nil && (p.Kind != experiment.KindWindows || !strings.Contains(p.Why, "servers take turns and the redo log of arm")) {
			t.Errorf("%+v: %s: %s", c, p.Kind, p.Why)
		}
	}
}
