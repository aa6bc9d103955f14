package main

// Kills of the processes beside tare: the server, the members of a replicated database and
// the load generator, at every step of a trial. tare stops at a fault point, the process is
// killed, and tare goes on.

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// otherKill is a process to be killed at a step.
type otherKill struct{ process, point string }

// loadEnded is the first point after the load: a server that is killed later was measured.
const loadEnded = "trial: load ended"

// intervalPassed is a point in the load.
const intervalPassed = "trial: an interval passed"

// serverKills are the steps of a trial at which its server runs.
func serverKills() []otherKill {
	var kills []otherKill
	for _, point := range []string{
		"trial: before wait for the first answer", "trial: server answers", "trial: probes open", "trial: facts read",
		"trial: before warm up and measure", intervalPassed, loadEnded, "trial: measured", "trial: probes closed",
	} {
		kills = append(kills, otherKill{"mysqld", point})
	}
	return kills
}

const killOthersSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: others}
database: {rootfs: %s, config: {innodb_buffer_pool_size: 32M, innodb_redo_log_capacity: 8M}}
data: {tables: 1, rows: 200}
load: {engine: sysbench, workload: oltp_point_select, threads: 2, rate: 50/s}
protocol: {rounds: %d, warmup: 0s, measure: 3s, ready: 300s, aa: false, voids: 0}
baseline: a
arms: {a: {target: process}, b: {target: process}}
`

// TestServerAndLoadKilledAtEveryStep: whichever of them is killed at whichever step, the
// trial is not measured if its load had not ended, its record says why, the next trial is
// measured, and nothing is left; --resume measures what failed. `make test` has five of the
// steps; `make crash` has all, and all of them again in pods with every layer.
func TestServerAndLoadKilledAtEveryStep(t *testing.T) {
	k, dir := newKillable(t)
	kills := append(serverKills(), otherKill{"sysbench", intervalPassed})
	if !crashing() {
		kills = []otherKill{kills[0], kills[3], kills[9], kills[5], kills[7]}
	}
	k.write(t, killOthersSpec, (len(kills)+4)/2) // a kill that comes too late is for the next trial
	k.killOthers(t, filepath.Join(dir, "run"), kills)
	if crashing() {
		// Long enough for its first interval to be seen long before its last one, on a busy machine too.
		k.write(t, strings.NewReplacer("rounds: 1", "rounds: 7", "measure: 1s", "measure: 6s").Replace(killSpec), podFirst)
		k.killOthers(t, filepath.Join(dir, "pods"), kills)
		fresh := &killable{binary: k.binary, state: filepath.Join(dir, "fresh"), spec: k.spec, place: k.place}
		fresh.killWhileDataAreMade(t, dir)
		fresh.told(t)
	}
	k.told(t)
}

// crashing tells `make crash` from `make test`.
func crashing() bool { return os.Getenv(crashKills) != "" }

// killOthers runs the experiment with these kills, one in a trial and in this order, and
// then resumes it.
func (k *killable) killOthers(t *testing.T, run string, kills []otherKill) {
	t.Helper()
	k.killOthersIn(t, run, kills, "run", k.spec, "--out", run)
}

// killOthersIn is killOthers for a run that the arguments begin or resume.
func (k *killable) killOthersIn(t *testing.T, run string, kills []otherKill, args ...string) {
	t.Helper()
	err, lost := k.runWithKills(t, kills, args...)
	var exit *exitError
	if err != nil && (!errors.As(err, &exit) || exit.code != 3) {
		t.Errorf("tare ended with %v, want exit code 0 or 3", err)
	}
	k.nothingLeft(t)
	for number, kill := range lost {
		trial := trialNumber(t, run, number)
		ended := slices.Contains([]string{loadEnded, "trial: measured", "trial: probes closed"}, kill.point)
		t.Logf("%s killed at %q: trial %d %s %s", kill.process, kill.point, number, trial.End.Outcome, trial.End.Reason)
		if (trial.End.Outcome == record.Measured) != ended || !ended && trial.End.Reason == "" {
			t.Errorf("%s killed at %q: trial %d is %+v", kill.process, kill.point, number, trial.End)
		}
	}
	before := completeTrials(t, run)
	var code *exec.ExitError // 3 where the only trial of an arm lost its server: the arm was not measured then
	if out, err := k.command("run", "--resume", run).CombinedOutput(); err != nil && (len(lost) == 0 || !errors.As(err, &code) || code.ExitCode() != 3) {
		t.Errorf("resume: %v\n%s", err, out)
	}
	k.tally.kills += len(lost)
	k.tally.kept += len(before)
	k.tally.lost += unchanged(t, before, completeTrials(t, run))
	k.nothingLeft(t)
	k.everyTrialHasAResult(t, run)
}

// trialNumber is the trial of that number, which has an end.
func trialNumber(t *testing.T, dir string, number int) *record.Trial {
	t.Helper()
	run, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range run.Trials {
		if trial.Header.Trial == number && trial.End != nil {
			return trial
		}
	}
	t.Fatalf("trial %d has no end", number)
	return nil
}

// everyTrialHasAResult compares a run with its plan, and its measured trials with each other.
func (k *killable) everyTrialHasAResult(t *testing.T, dir string) {
	t.Helper()
	run, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Trials) != len(run.Plan.Trials) {
		t.Errorf("%d trials of %d are there", len(run.Trials), len(run.Plan.Trials))
	}
	measured := map[string][]string{} // by arm, the metrics of its first measured trial
	for _, trial := range run.Trials {
		if !trial.HasResult() {
			t.Errorf("trial %d has no result: %q %+v", trial.Header.Trial, trial.Incomplete, trial.End)
			continue
		}
		if trial.End.Outcome != record.Measured {
			continue
		}
		var metrics []string
		for _, m := range trial.Metrics {
			metrics = append(metrics, m.Name)
		}
		first, there := measured[trial.Header.Arm]
		if diff := cmp.Diff(first, metrics); there && diff != "" {
			t.Errorf("trial %d has other metrics than the arm's first measured one:\n%s", trial.Header.Trial, diff)
		}
		measured[trial.Header.Arm] = metrics
	}
	if len(measured) == 0 {
		t.Error("no trial was measured")
	}
}

// killWhileDataAreMade: the run ends with the reason, and the next attempt makes the data.
func (k *killable) killWhileDataAreMade(t *testing.T, dir string) {
	t.Helper()
	run := filepath.Join(dir, "making")
	for _, point := range []string{"data: server answers", "data: rows made"} {
		err, _ := k.runWithKills(t, []otherKill{{"mysqld", point}}, k.args(run)...)
		var exit *exitError
		if !errors.As(err, &exit) || exit.code != 3 {
			t.Errorf("mysqld killed at %q: %v, want exit code 3", point, err)
		}
		k.tally.kills++
		k.nothingLeft(t)
	}
	if out, err := k.command(k.args(run)...).CombinedOutput(); err != nil {
		t.Errorf("resume: %v\n%s", err, out)
	}
	k.everyTrialHasAResult(t, run)
}

// exitError is how a tare ended that was not waited for by os/exec.
type exitError struct {
	code int
	out  string
}

func (e *exitError) Error() string { return fmt.Sprintf("exit code %d\n%s", e.code, e.out) }

// hangs is the limit that only a tare reaches which hangs.
const hangs = 30 * time.Minute

// runWithKills runs tare to its end. It returns the kills by the number of the trial in
// which they happened.
func (k *killable) runWithKills(t *testing.T, kills []otherKill, args ...string) (err error, done map[int]otherKill) {
	t.Helper()
	var points []string
	for _, kill := range kills {
		points = append(points, kill.point)
	}
	done = map[int]otherKill{}
	err = k.runStopping(t, points, func(trial int, point string) {
		if _, again := done[trial]; len(kills) > 0 && !again && point == kills[0].point && k.killOther(t, kills[0]) {
			done[trial], kills = kills[0], kills[1:]
		}
	}, args...)
	if len(kills) > 0 {
		t.Errorf("%q were not reached", kills)
	}
	return err, done
}

// runStopping runs tare to its end. At each of the points it stops, and goes on when
// stopped has returned.
func (k *killable) runStopping(t *testing.T, points []string, stopped func(trial int, point string), args ...string) error {
	t.Helper()
	file := filepath.Join(t.TempDir(), "points")
	if err := os.WriteFile(file, []byte(fault.Stop+strings.Join(points, "; ")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := k.command(args...)
	cmd.Env = append(cmd.Env, fault.Variable+"="+file)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(hangs, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	status := k.untilEnd(t, cmd.Process.Pid, func() {
		passed, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			return
		}
		reached := strings.Split(strings.TrimSpace(string(passed)), "\n")
		stopped(strings.Count(string(passed), "\nstream begun\n"), reached[len(reached)-1])
	})
	_ = cmd.Process.Release() // it has been waited for
	if status.ExitStatus() == 0 {
		return nil
	}
	out, err := os.ReadFile(log.Name())
	if err != nil {
		t.Fatal(err)
	}
	return &exitError{status.ExitStatus(), string(out)}
}

// untilEnd waits for a process and calls stopped each time that it has stopped.
func (k *killable) untilEnd(t *testing.T, pid int, stopped func()) syscall.WaitStatus {
	t.Helper()
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !status.Stopped() {
			return status
		}
		stopped()
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
}

// killOther kills a process at its point. tare has stopped there and sysbench has not: where the
// machine stood still until sysbench had ended, its trial was measured, and the kill is for the
// next trial. sysbench is stopped first, and waits until the server is dead.
func (k *killable) killOther(t *testing.T, kill otherKill) bool {
	t.Helper()
	spec, _ := os.ReadFile(k.spec)
	if kill.point != intervalPassed || !strings.Contains(string(spec), "engine: sysbench") {
		return k.signalProcess(t, kill.process, syscall.SIGKILL)
	}
	for range 2 { // the first may have come while it ended
		if !k.signalProcess(t, "sysbench", syscall.SIGSTOP) {
			return false
		}
	}
	defer k.signalProcess(t, "sysbench", syscall.SIGCONT)
	return k.signalProcess(t, kill.process, syscall.SIGKILL)
}

// signalProcess sends a signal to the last process of that name that an instance has: of the
// members of a database the one that takes no load.
func (k *killable) signalProcess(t *testing.T, name string, s syscall.Signal) bool {
	t.Helper()
	instances, err := k.instances()
	if err != nil {
		t.Error(err)
		return false
	}
	k.seen = append(k.seen, instances...)
	for _, i := range instances {
		found, err := target.Scan(i.Name, i.Dir, i.RunDir)
		if err != nil {
			t.Error(err)
			return false
		}
		for _, p := range slices.Backward(found.Processes) {
			if p.Command == name {
				err := syscall.Kill(p.PID, s)
				if err != nil && !errors.Is(err, syscall.ESRCH) {
					t.Error(err)
				}
				return err == nil // or it has ended meanwhile
			}
		}
	}
	return false
}

// nothingLeft looks for what tare should have removed by itself.
func (k *killable) nothingLeft(t *testing.T) {
	t.Helper()
	if left, err := k.instances(); err != nil || len(left) > 0 {
		k.tally.left += len(left)
		t.Errorf("instances are left: %v, %v", left, err)
	}
	k.asBefore(t)
}
