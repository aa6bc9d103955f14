package node

import (
	"testing"
	"time"
)

// TestQuotaRemembersIdleTime is the control of the lead-in of slices: a frozen group's quota
// is there again when it is thawed, so that a turn that is counted from its beginning
// holds more CPU time than the quota allows. After two periods of load it holds what the
// quota allows (Documentation/scheduler/sched-bwc.rst).
func TestQuotaRemembersIdleTime(t *testing.T) {
	const quota = 0.1 // CPUs
	tree, _ := startNeighbour(t, Neighbour{CPU: 1000, Request: 100, Limit: 100})
	t.Cleanup(func() { _ = tree.Thaw() })
	// Other work on the machine can take the CPU from the group: then nothing is shown.
	for range 20 {
		with := turnShare(t, tree, 200*time.Millisecond)
		without := turnShare(t, tree, 0)
		t.Logf("quota %.2f CPUs; a turn holds %.3f with a lead-in, %.3f without", quota, with, without)
		if with > 0.8*quota && with < 1.25*quota && without > 1.25*with {
			return
		}
	}
	t.Error("no attempt shows what the lead-in is for")
}

// turnShare is the CPUs that the tree uses in the counted part of turns of a period, each
// after a time frozen and a lead-in.
func turnShare(t *testing.T, tree *Tree, leadIn time.Duration) float64 {
	t.Helper()
	const turns, off, counted = 8, 250 * time.Millisecond, 100 * time.Millisecond
	var used, elapsed float64
	whole := 0
	for tries := 0; whole < turns && tries < 10*turns; tries++ {
		if err := tree.Freeze(); err != nil {
			t.Log(err) // it stops a little later
		}
		time.Sleep(off)
		if err := tree.Thaw(); err != nil {
			t.Fatal(err)
		}
		thawed := time.Now()
		time.Sleep(leadIn)
		before, began := usedSeconds(t, tree), time.Now()
		time.Sleep(counted)
		after := usedSeconds(t, tree)
		if time.Since(thawed) > leadIn+counted*3/2 { // further periods hide what the first had to spare
			continue
		}
		used += after - before
		elapsed += time.Since(began).Seconds()
		whole++
	}
	return used / elapsed
}

// usedSeconds is the CPU time of the neighbour's container.
func usedSeconds(t *testing.T, tree *Tree) float64 {
	t.Helper()
	facts := values(t, tree.ReadBack("end"), "end")
	const level = "neighbour.cgroup.container."
	if tree.hierarchy.unified {
		return count(t, facts, level+"cpu.stat.usage_usec") / 1e6
	}
	return count(t, facts, level+"cpuacct.usage") / 1e9
}
