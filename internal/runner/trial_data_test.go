package runner

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// remote is a place whose data are in a server.
type remote struct {
	fake
	restores bool
}

func (r *remote) Data() target.Data { return target.InServer }
func (r *remote) Capabilities() target.Capabilities {
	return target.Capabilities{Restores: r.restores}
}

// TestEach: every arm begins with data as the file says, and without a word with data
// that are the same in all trials.
func TestEach(t *testing.T) {
	targets := map[string]target.Target{"local": &fake{}, "pod": &remote{restores: true}, "elsewhere": &remote{}}
	for _, c := range []struct{ each, workload, arm, want string }{
		{"", "oltp_read_write", "local", experiment.EachCopy},
		{"", "oltp_read_write", "pod", experiment.EachCopy},
		{"", "oltp_read_write", "elsewhere", experiment.EachRefill},
		{"", "oltp_read_only", "elsewhere", experiment.EachKeep},
		{"", "./script.lua", "elsewhere", experiment.EachRefill},
		{"keep", "oltp_read_write", "elsewhere", experiment.EachKeep},
		{"refill", "oltp_read_only", "elsewhere", experiment.EachRefill},
		{"refill", "oltp_read_write", "pod", experiment.EachCopy},
	} {
		j := Job{Targets: targets, Experiment: &experiment.Experiment{}}
		j.Experiment.Data.Each, j.Experiment.Load.Workload = c.each, c.workload
		if got := j.Each(c.arm); got != c.want {
			t.Errorf("each %q, %s, arm %s: %s, want %s", c.each, c.workload, c.arm, got, c.want)
		}
	}
}

// TestWholeRounds: a round is measured whole where its trials take turns, and where the data of an
// arm, which are made once for each process, wear from trial to trial.
func TestWholeRounds(t *testing.T) {
	targets := map[string]target.Target{"local": &fake{}, "elsewhere": &remote{}}
	for _, c := range []struct {
		each, workload, arm string
		want                bool
	}{
		{"keep", "oltp_read_write", "elsewhere", true},
		{"keep", "oltp_read_write", "local", false},
		{"", "oltp_read_only", "elsewhere", false},
		{"refill", "oltp_read_write", "elsewhere", false},
	} {
		j := Job{Targets: targets, Experiment: &experiment.Experiment{}}
		j.Experiment.Data.Each, j.Experiment.Load.Workload = c.each, c.workload
		if got := j.wholeRounds(c.arm); got != c.want {
			t.Errorf("each %q, %s, arm %s: %v", c.each, c.workload, c.arm, got)
		}
	}
}

// TestSeedOfTheLoad: engines take 0 for the time of day, which no two arms have in common.
func TestSeedOfTheLoad(t *testing.T) {
	for seed, want := range map[uint64]int64{0: 1, 7: 7} {
		j := Job{Experiment: &experiment.Experiment{}}
		j.Experiment.Protocol.Seed = seed
		if got := j.Load(1).Seed; got != want {
			t.Errorf("seed %d: %d", seed, got)
		}
	}
}

// TestPreparedArm: the server in which data cannot be made is named by its arm. The names of objects from manifests are the
// same in every arm.
func TestPreparedArm(t *testing.T) {
	place := &remote{fake: fake{refuse: errors.New("pod db-tare-0 does not start")}}
	err := Run(t.Context(), job(t, place))
	if err == nil || !strings.HasPrefix(err.Error(), "prepare data: arm ") || !strings.HasSuffix(err.Error(), ": pod db-tare-0 does not start") {
		t.Error(err)
	}
}

// refusing is a place in which no server starts.
type refusing struct {
	remote
	asked int
}

func (r *refusing) Start(context.Context, target.Request) (target.Server, error) {
	r.asked++
	return nil, errors.New("pod db-tare-0 was not scheduled")
}

// TestUnstartedArm: an arm whose server does not start when its data are to be made has an outcome in every round, without
// another attempt, and the other arms are measured. Without the baseline nothing is.
func TestUnstartedArm(t *testing.T) {
	b := &refusing{}
	j := job(t, &fake{})
	j.Experiment.Baseline = "a"
	j.Targets["b"] = b
	if err := Run(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	run, err := j.measured()
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]int{}
	for _, trial := range run.Trials {
		if trial.Header.Arm == "b" && trial.End.Outcome == record.NotReady && strings.HasSuffix(trial.End.Reason, "pod db-tare-0 was not scheduled") {
			said["b"]++
		} else if trial.Header.Arm == "a" {
			said["a"]++
		}
	}
	if said["a"] == 0 || said["b"] != said["a"] || b.asked != 1 {
		t.Errorf("trials %v, and b was started %d times", said, b.asked)
	}
	j = job(t, &fake{})
	j.Experiment.Baseline = "a"
	j.Targets["a"] = &refusing{}
	if err := Run(t.Context(), j); err == nil || !strings.HasPrefix(err.Error(), "prepare data: arm a: ") {
		t.Error(err)
	}
}
