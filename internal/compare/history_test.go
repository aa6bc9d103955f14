package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/internal/keys"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
)

func nightly(t *testing.T, seed uint64, from int) []Series {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 6))
	var runs []*record.Run
	for night := range 20 {
		pod := 900.0
		if night >= from {
			pod *= 0.96
		}
		r := session(t, rng.Uint64(), map[string]float64{"bare": 1000 * math.Exp(0.002*rng.NormFloat64()), "pod": pod * math.Exp(0.002*rng.NormFloat64())})
		r.Dir = fmt.Sprintf("runs/night-%02d", night)
		runs = append(runs, r)
	}
	return History(runs)
}

// TestHistoryOfOtherLoads: runs that cannot be compared are series of their own, and a trial whose load
// generator was saturated is no point.
func TestHistoryOfOtherLoads(t *testing.T) {
	night := func(dir string) *record.Run {
		r := session(t, 1, map[string]float64{"bare": 1000, "pod": 900})
		r.Dir = dir
		return r
	}
	same, other, renamed, saturated := night("a"), night("b"), night("c"), night("d")
	other.Experiment.Load.Workload = "oltp_read_write"
	renamed.Experiment.Metadata.Name = "another"
	for _, trial := range saturated.Trials {
		if trial.Header.Arm == "pod" {
			trial.Facts = append(trial.Facts, record.Fact{Key: keys.LoadInvalid, Value: "busy", Phase: "end"})
		}
	}
	points := map[string]int{}
	for _, s := range History([]*record.Run{same, night("e"), other, renamed, saturated}) {
		points[s.Experiment+" "+s.Arm+" "+s.Points[0].Run] = len(s.Points)
	}
	name := same.Experiment.Metadata.Name
	want := map[string]int{name + " bare a": 3, name + " pod a": 2, name + " bare b": 1, name + " pod b": 1, "another bare c": 1, "another pod c": 1}
	if d := cmp.Diff(want, points); d != "" {
		t.Error(d)
	}
}

// TestHistoryHasTheReportsFigures: the throughput of a run in its history is that of its report, also where trials
// differ so much that the means of two kinds do.
func TestHistoryHasTheReportsFigures(t *testing.T) {
	r := session(t, 1, map[string]float64{"bare": 1000, "pod": 900})
	for i, trial := range r.Trials {
		trial.Window.Seconds /= float64(1 + i%5)
	}
	reported := map[string]float64{}
	for _, a := range Run(r).Arms {
		reported[a.Name] = a.Mean
	}
	for _, s := range History([]*record.Run{r}) {
		if got := s.Points[0].Throughput; got != reported[s.Arm] || got < 1200 {
			t.Errorf("%s: %v, and %v in the report", s.Arm, got, reported[s.Arm])
		}
	}
}

// TestHistory: a loss that stays is found on its night and in its arm, and equal
// nights show none: at 1 % for each of two arms, 40 series have a change by chance
// about once.
func TestHistory(t *testing.T) {
	all := nightly(t, 1, 12)
	if len(all) != 2 || len(all[0].Shifts) != 0 || len(all[1].Shifts) != 1 {
		t.Fatalf("%+v", all)
	}
	if s := all[1].Shifts[0]; s.Run != "night-12" || math.Abs(s.Change+4) > 0.5 {
		t.Errorf("%+v", s)
	} else if s.Before != 12 || s.After != 8 || s.Interval == nil || s.Interval.Lo > s.Change || s.Interval.Hi > -3 {
		t.Errorf("%d runs before, %d after, %+v", s.Before, s.After, s.Interval)
	}
	found := 0
	for seed := range uint64(20) {
		for _, s := range nightly(t, seed+10, 99) {
			found += len(s.Shifts)
		}
	}
	if found > 3 {
		t.Errorf("%d changes in 40 series without one", found)
	}
}
