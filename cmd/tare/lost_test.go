package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

const lostSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: lost}
database: {rootfs: %s, config: {innodb_buffer_pool_size: 32M, innodb_redo_log_capacity: 8M}}
data: {tables: 1, rows: 100}
load: {engine: %s, workload: oltp_point_select, threads: 2, rate: 200/s}
protocol: {kind: windows, rounds: 2, warmup: 0s, measure: 5s, ready: 300s, aa: false}
baseline: a
arms: {a: {target: process}, b: {target: process}}
`

// lostServer is what a test does to the server of a trial in its window, and what the
// trial's reason has to say.
type lostServer struct {
	says string
	do   func(t *testing.T, in target.Leftover)
}

func lostServers() map[int]lostServer {
	return map[int]lostServer{
		1: {"killed", func(t *testing.T, in target.Leftover) { signalServer(t, in, syscall.SIGKILL) }},
		2: {"hung", func(t *testing.T, in target.Leftover) { signalServer(t, in, syscall.SIGSTOP) }},
		3: {"was lost", dropSchema},
	}
}

// TestLostServers kills, stops and empties servers in the middle of their windows. Each
// such trial has an outcome of its own, in the record and in all that is made from it,
// with both engines; the trial without a fault is measured.
func TestLostServers(t *testing.T) {
	rootfs := testRootfs(t)
	for _, engine := range []string{"tare", "sysbench"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			faults := lostServers()
			dir, run := faultsInTime(t, func() string { return runWithFaults(t, fmt.Appendf(nil, lostSpec, rootfs, engine), lostServers()) },
				func(trial int) bool { _, lost := faults[trial]; return lost })
			for _, trial := range run.Trials {
				fault, lost := faults[trial.Header.Trial]
				if !lost {
					if trial.End.Outcome != record.Measured {
						t.Errorf("trial %d, nothing was done to it: %+v", trial.Header.Trial, trial.End)
					}
					continue
				}
				event := ""
				for _, e := range trial.Events {
					if e.Name == string(record.ServerLost) {
						event = e.Detail
					}
				}
				if trial.End.Outcome != record.ServerLost || !strings.Contains(trial.End.Reason, fault.says) || event != trial.End.Reason {
					t.Errorf("trial %d is to say %q: %+v, event %q", trial.Header.Trial, fault.says, trial.End, event)
				}
			}
			saysLost(t, dir)
		})
	}
}

const lostMemorySpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: lost-memory}
database: {rootfs: %s, config: {innodb_buffer_pool_size: 32M, innodb_redo_log_capacity: 8M, max_allowed_packet: 1G}}
data: {tables: 1, rows: 100}
load: {workload: oltp_point_select, threads: 2, rate: 200/s}
protocol: {kind: windows, rounds: 1, warmup: 0s, measure: 5s, ready: 300s, aa: false}
baseline: a
arms: {a: &pod {target: container, qos: Guaranteed, cpu: 1, memory: 1Gi}, b: *pod}
`

// TestServerLostForMemory: a session takes more than the memory limit of the server's
// container, and the kernel kills the server in its window. The trial says so, and the next
// one is measured.
func TestServerLostForMemory(t *testing.T) {
	needRoot(t)
	t.Parallel()
	memory := func(t *testing.T, in target.Leftover) {
		db, err := mysqld.Open(mysqld.Address{Socket: filepath.Join(in.RunDir, target.SocketFile), User: "root"})
		if err != nil {
			t.Error(err)
			return
		}
		defer db.Close()
		if _, err := db.Exec("SET @a = REPEAT('a', 1000000000), @b = REPEAT('b', 1000000000)"); err == nil {
			t.Error("the server lives")
		}
	}
	spec := fmt.Appendf(nil, lostMemorySpec, testRootfs(t))
	_, run := faultsInTime(t, func() string { return runWithFaults(t, spec, map[int]lostServer{1: {do: memory}}) }, func(trial int) bool { return trial == 1 })
	if len(run.Trials) != 2 {
		t.Fatal(run)
	}
	for _, trial := range run.Trials {
		killed := trial.End.Outcome == record.ServerLost && strings.Contains(trial.End.Reason, "reached its memory limit of ")
		if first := trial.Header.Trial == 1; first != killed || !first && trial.End.Outcome != record.Measured {
			t.Errorf("trial %d: %+v", trial.Header.Trial, trial.End)
		}
	}
}

// assembled is the job of an experiment whose record begins in dir.
func assembled(t *testing.T, spec []byte, dir string) runner.Job {
	t.Helper()
	e, err := experiment.Parse("x.yaml", spec)
	if err != nil {
		t.Fatal(err)
	}
	show := &terminal{err: io.Discard, out: io.Discard, stateDir: filepath.Join(t.TempDir(), "state")}
	job, err := assemble(t.Context(), show, e, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	job.Dir, job.Plan = dir, experiment.NewPlan(e)
	if err := record.Create(job.Dir, e, job.Plan); err != nil {
		t.Fatal(err)
	}
	return job
}

// faultAttempts are more than a machine that stands still now and then needs.
const faultAttempts = 3

// faultsInTime carries an experiment out whose faults are to be done while the load runs. Where
// the machine stood still until the load had ended, the trial is measured, and the experiment is
// carried out again.
func faultsInTime(t *testing.T, attempt func() (dir string), lost func(trial int) bool) (dir string, run *record.Run) {
	t.Helper()
	for n := 1; ; n++ {
		dir = attempt()
		run, err := record.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		late := slices.ContainsFunc(run.Trials, func(trial *record.Trial) bool {
			return lost(trial.Header.Trial) && trial.End != nil && trial.End.Outcome == record.Measured
		})
		if !late || n == faultAttempts {
			return dir, run
		}
		t.Logf("attempt %d: a fault came after the load", n)
	}
}

// runWithFaults carries an experiment out and does to each trial what is its turn, once
// the first second of its load has been shown.
func runWithFaults(t *testing.T, spec []byte, faults map[int]lostServer) (dir string) {
	t.Helper()
	job := assembled(t, spec, filepath.Join(t.TempDir(), "run"))
	job.Observe = func(p runner.Progress) {
		fault, due := faults[p.Trial.Number]
		if p.Kind != runner.Second || !due {
			return
		}
		delete(faults, p.Trial.Number)
		found, err := job.State.Instances()
		if err != nil || len(found) != 1 {
			t.Errorf("trial %d: instances %v, %v", p.Trial.Number, found, err)
			return
		}
		fault.do(t, found[0])
	}
	if err := runner.Run(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	if len(faults) > 0 {
		t.Errorf("no fault was done to trials %v", faults)
	}
	return job.Dir
}

func signalServer(t *testing.T, in target.Leftover, s syscall.Signal) {
	found, err := target.Scan(in.Name, in.Dir, in.RunDir)
	if err != nil {
		t.Error(err)
	}
	sent := 0
	for _, p := range found.Processes {
		if strings.HasPrefix(filepath.Base(p.Command), "mysqld") {
			sent++
			if err := syscall.Kill(p.PID, s); err != nil {
				t.Error(err)
			}
		}
	}
	if sent != 1 {
		t.Errorf("%d servers found: %v", sent, found)
	}
}

func dropSchema(t *testing.T, in target.Leftover) {
	db, err := mysqld.Open(mysqld.Address{Socket: filepath.Join(in.RunDir, target.SocketFile), User: "root"})
	if err != nil {
		t.Error(err)
		return
	}
	defer db.Close()
	if _, err := db.Exec("DROP DATABASE sbtest"); err != nil {
		t.Error(err)
	}
}

// saysLost looks for the lost servers in every form of the report.
func saysLost(t *testing.T, dir string) {
	t.Helper()
	for format, want := range map[string][]string{
		"text": {"lost", "killed", "excluded from every mean"},
		"md":   {"lost", "killed", "excluded from every mean"},
		"json": {`"server-lost"`, "killed"},
		"html": {"server lost", "killed"},
	} {
		var out, errs bytes.Buffer
		if code := run([]string{"report", "--format", format, "--lang", "en", dir}, &terminal{out: &out, err: &errs}); code != exitDone {
			t.Errorf("report --format %s: exit %d: %s", format, code, errs.String())
		}
		for _, w := range want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("report --format %s does not say %q:\n%.4000s", format, w, out.String())
			}
		}
	}
}
