package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
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
	return History(runs, 0)
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
	points, left := map[string]int{}, ""
	for _, s := range History([]*record.Run{same, night("e"), other, renamed, saturated}, 0) {
		points[s.Experiment+" "+s.Arm+" "+s.Points[0].Run] = len(s.Points)
		for _, l := range s.LeftOut {
			left += s.Arm + " " + l.Run + " " + l.Why.Code
		}
	}
	name := same.Experiment.Metadata.Name
	want := map[string]int{name + " bare a": 3, name + " pod a": 2, name + " bare b": 1, name + " pod b": 1, "another bare c": 1, "another pod c": 1}
	if d := cmp.Diff(want, points); d != "" || left != "pod d client-saturated" {
		t.Errorf("left out: %s\n%s", left, d)
	}
	alone := History([]*record.Run{saturated}, 0)
	if len(alone) != 2 || len(alone[1].Points) != 0 || len(alone[1].LeftOut) != 1 {
		t.Errorf("a run alone: %+v", alone)
	}
}

// TestHistoryOfOtherLogs: logs in another unit, of another test, or with another rate are series of their own, as two
// such runs are not compared. A run without a figure does not decide what the series is of.
func TestHistoryOfOtherLogs(t *testing.T) {
	logs := func(dir, unit string, level float64, facts ...record.Fact) *record.Run {
		r := imported([]string{"bare"}, map[string][][]float64{"bare": {{level, level + 1}, {level + 2, level + 3}}})
		r.Dir, r.Imported.Unit = dir, unit
		for _, trial := range r.Trials {
			trial.Facts = append(trial.Facts, facts...)
		}
		return r
	}
	test := func(said string) record.Fact { return record.Fact{Key: keys.LoadTest, Value: said} }
	rate := record.Fact{Key: keys.LoadRate, Value: "500"}
	lost := each(logs("0", "", 1000, test("tpcc, 10 warehouses")), "bare", end(record.NotReady, "no answer"))
	var runs []*record.Run
	for i := range 3 {
		runs = append(runs, logs(fmt.Sprint("a", i), "iterations/s", 1000), logs(fmt.Sprint("b", i), "new orders/min", 45000),
			logs(fmt.Sprint("c", i), "", 1000, test("tpcc, 100 warehouses")), logs(fmt.Sprint("d", i), "", 2000, test("tpcc, 10 warehouses")),
			logs(fmt.Sprint("e", i), "", 500, test("tpcc, 10 warehouses"), rate))
	}
	var got []string
	for _, s := range History(append(runs, lost), 0) {
		got = append(got, fmt.Sprintf("%s %s %d %d", s.Unit, s.Points[0].Run, len(s.Points), len(s.LeftOut)))
	}
	want := []string{"transactions/s c0 3 1", "iterations/s a0 3 0", "new orders/min b0 3 0", "transactions/s d0 3 0", "transactions/s e0 3 0"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestHistoryWithoutBusyMachines: a run whose machine others used is named and no point, so that their load is no change
// of level. What the plan declares is for arms that take turns, and says nothing of two runs.
func TestHistoryWithoutBusyMachines(t *testing.T) {
	for _, declared := range []bool{false, true} {
		var runs []*record.Run
		for i := range 14 {
			level, foreign := 1000.0, 0.01
			if i >= 7 {
				level, foreign = 600, 0.45
			}
			r := session(t, uint64(i+1), map[string]float64{"bare": level, "pod": level})
			for _, trial := range r.Trials {
				counted(trial, 0, foreign, 0)
			}
			if most := experiment.Percent(0.99); declared {
				r.Experiment.Protocol.OthersCPU = &most
			}
			r.Dir = fmt.Sprintf("runs/%02d", i)
			runs = append(runs, r)
		}
		points, left, shifts := 7, 7, 0
		for _, s := range History(runs, 0) {
			if len(s.Points) != points || len(s.LeftOut) != left || len(s.Shifts) != shifts || left > 0 && (s.LeftOut[0].Why.Code != "busy-machine" || s.LeftOut[0].Run != "07") {
				t.Errorf("declared %v, %s: %d points, left out %v, %+v", declared, s.Arm, len(s.Points), s.LeftOut, s.Shifts)
			}
		}
	}
}

// TestHistoryOfACopy: a run of which there is a second copy is one run, and one that was made again is another.
func TestHistoryOfACopy(t *testing.T) {
	run := func(dir string, day int) *record.Run {
		r := session(t, 1, map[string]float64{"bare": 1000, "pod": 900})
		for i, trial := range r.Trials {
			trial.Header.Started = time.Date(2026, 11, day, 0, i, 0, 0, time.UTC)
		}
		r.Dir, r.Plan.Hash = dir, "ceba69fb"
		return r
	}
	for _, s := range History([]*record.Run{run("runs/a", 1), run("runs/a-fetched", 1), run("runs/b", 2)}, 0) {
		if len(s.Points) != 2 || s.Points[0].Run != "a" || s.Points[1].Run != "b" {
			t.Errorf("%s: %+v", s.Arm, s.Points)
		}
	}
}

// TestHistoryHasTheReportsFigures: the throughput of a run in its history is that of its report, and of both is the
// ratio of two arms the change, also where trials differ so much that the means of two kinds do.
func TestHistoryHasTheReportsFigures(t *testing.T) {
	r := session(t, 1, map[string]float64{"bare": 1000, "pod": 900})
	for i, trial := range r.Trials {
		trial.Window.Seconds /= float64(1 + i%5)
	}
	res, reported := Run(r), map[string]float64{}
	for _, a := range res.Arms {
		reported[a.Name] = a.Mean
	}
	near(t, "ratio of the throughputs", 100*(reported["pod"]/reported["bare"]-1), only(t, res).Effect, 1e-9)
	for _, s := range History([]*record.Run{r}, 0) {
		if s.Arm == "bare" {
			continue // of which the report has the first trial of each round, which is beside that of the other arm
		}
		near(t, s.Arm+" in its history", s.Points[0].Throughput, reported[s.Arm], 1e-9)
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
