package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/runner"
)

// TestCheckMembers: faults and loads of all members that do not fit the load or the protocol
// are refused at their place in the file.
func TestCheckMembers(t *testing.T) {
	const spec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: x}
load: {LOAD}
protocol: {rounds: 6, warmup: 1s, measure: 20s}
baseline: a
arms:
  a:
    target: process
    REPLICATION
    FIELD: [{FAULT}]
  b: {target: process}
`
	for _, c := range []struct{ load, replication, fault, want string }{
		{"engine: tare, workload: ledger", "mode: group", "at: 5s, pause: primary, for: 15s", ""},
		{"engine: tare, workload: ledger", "mode: group", "at: 19s, kill: primary", ""},
		{"engine: tare, workload: ledger", "mode: group", "at: 6s, pause: primary, for: 15s", "x.yaml:11:19: arms.a.faults[0].at: the event lasts until 21s, and the measured window ends at 20s"},
		{"engine: tare, workload: ledger", "mode: group", "at: 20s, kill: primary", "arms.a.faults[0].at: the event lasts until 20s"},
		{"engine: sysbench", "mode: group", "at: 5s, kill: 2", "x.yaml:11:13: arms.a.faults: the engine sysbench ends when it loses a connection"},
		{"engine: sysbench", "mode: galera, writers: all", "at: 5s, kill: 2", "arms.a.replication: the engine sysbench connects to one server"},
		{"engine: tare, workload: ledger", "mode: async, readers: all", "at: 5s, kill: 2", "x.yaml:10:41: arms.a.replication.readers: replicas take no writes"},
		{"engine: tare, workload: oltp_read_only", "mode: async, readers: all", "at: 5s, kill: 2", ""},
		{"engine: tare, find: {p99: 20ms}", "mode: group", "at: 5s, kill: primary", "x.yaml:11:13: arms.a.faults: an event happens at a time of the measured window, and load.find loads the database in many windows"},
		{"engine: tare", "mode: group", "at: 5s, kill: 7", `arms.a.faults[0].kill: "7" is not a member`},
	} {
		text := strings.NewReplacer("LOAD", c.load, "REPLICATION", "replication: {"+c.replication+"}", "FIELD", "faults", "FAULT", c.fault).Replace(spec)
		_, problems := checkedMembers(t, text)
		said := ""
		if err := problems.Err(); err != nil {
			said = err.Error()
		}
		if !strings.Contains(said, c.want) || (said == "") != (c.want == "") {
			t.Errorf("%s; %s; %s: %q, want %q", c.load, c.replication, c.fault, said, c.want)
		}
	}
}

// TestCheckEvents: events that do not fit the load, the target or the window are refused at their place
// in the file, and those of a file may run programs only where the user allows it.
func TestCheckEvents(t *testing.T) {
	const spec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: x}
load: {LOAD}
protocol: {rounds: 6, warmup: 1s, measure: 20s}
baseline: a
arms:
  a:
    TARGET
    events: [{EVENT}]
  b: {target: process}
`
	for _, c := range []struct{ load, target, event, want string }{
		{"rate: 100/s", "target: process", "at: 5s, kill: server", ""},
		{"rate: 100/s", "target: process", "at: 5s, restart: server", ""},
		{"rate: 100/s", "target: process", "at: 5s, pause: server, for: 15s", ""},
		{"rate: 100/s", "target: process", "at: 5s, pause: server, for: 16s", "x.yaml:10:19: arms.a.events[0].at: the event lasts until 21s, and the measured window ends at 20s"},
		{"rate: 100/s", "target: process", "at: 5s, command: [sleep, 1], timeout: 30s", "events[0].at: the event lasts until 35s"},
		{"rate: 100/s", "target: process", "at: 5s, command: [sleep, 1], timeout: 3s", "x.yaml:10:32: arms.a.events[0].command: the experiment runs the program \"sleep\" as your user; add --allow commands"},
		{"threads: 8", "target: process", "at: 5s, kill: server", "x.yaml:10:13: arms.a.events: the time without service is that of transactions that become due whether or not the server answers; write load.rate"},
		{"rate: 100/s", "target: process\n    replication: {mode: group}", "at: 5s, kill: server", `events[0].kill: "server" is not a member`},
		{"rate: 100/s", "target: external", "at: 5s, kill: server", "x.yaml:10:13: arms.a.events: target external cannot carry out events"},
		{"rate: 100/s", "target: kubernetes\n    image: mysql:8.4", "at: 5s, kill: server", ""},
		{"rate: 100/s", "target: kubernetes\n    image: mysql:8.4", "at: 5s, pause: server, for: 5s", ""},
		{"rate: 100/s", "target: kubernetes\n    image: mysql:8.4", "at: 5s, delete: pod", ""},
		{"rate: 100/s", "target: kubernetes\n    image: mysql:8.4", "at: 5s, delete: server", `events[0].delete: "server" is not known: the database has one server in one pod; write delete: pod`},
		{"rate: 100/s", "target: kubernetes\n    image: mysql:8.4", "at: 5s, cutOff: server, for: 5s", "events[0].cutOff: a server in a pod of a cluster has kill, restart, pause, delete and command"},
		{"rate: 100/s", "target: kubernetes\n    image: mysql:8.4\n    address: pod", "at: 5s, delete: pod", "events[0].delete: the next pod has another address; write address: service"},
		{"rate: 100/s", "target: kubernetes\n    image: mysql:8.4\n    volume: tmpfs", "at: 5s, delete: pod", "events[0].delete: the data on tmpfs are gone with the pod"},
		{"rate: 100/s", "target: kubernetes\n    image: mysql:8.4\n    volume: emptyDir", "at: 5s, kill: server", "events[0].kill: every trial starts the container again before its load"},
		{"rate: 100/s", "target: kubernetes\n    image: mysql:8.4\n    clients: 1", "at: 5s, kill: server", "arms.a.clients: what the clients see of an event is counted by tare itself"},
		{"rate: 100/s", "target: kubernetes\n    manifests: [.]", "at: 5s, kill: server", "arms.a.events: the pods of your manifests are not tare's to end"},
		{"rate: 100/s", "target: kubernetes\n    operator: mariadb-operator", "at: 5s, kill: server", "arms.a.events: the pods of a database that an operator runs are the operator's"},
		{"rate: 100/s", "target: process", "at: 5s, delete: pod", "events[0].delete: the pod of a server that target kubernetes makes can be deleted"},
		{"rate: 100/s", "target: process", "at: 5s, kill: server}]\n    faults: [{at: 6s, kill: server", "arms.a.faults: faults is the older name of events"},
	} {
		text := strings.NewReplacer("LOAD", c.load, "TARGET", c.target, "EVENT", c.event).Replace(spec)
		job, problems := checkedMembers(t, text)
		said := problems.Err()
		if said == nil {
			said = checkPermissions(&terminal{}, job)
		}
		if got := fmt.Sprint(said); !strings.Contains(got, c.want) || (said == nil) != (c.want == "") {
			t.Errorf("%s; %s; %s: %q, want %q", c.load, c.target, c.event, got, c.want)
		}
	}
}

// checkedMembers is the job of an experiment, and what is wrong with its targets, else with the members of its first arm.
func checkedMembers(t *testing.T, text string) (*runner.Job, experiment.Problems) {
	t.Helper()
	e, err := experiment.Parse("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	job := &runner.Job{Experiment: e}
	problems := makeTargets(job)
	if len(problems) == 0 {
		problems = checkMembers(job, e.Arms[0])
	}
	return job, problems
}
