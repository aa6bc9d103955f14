package node

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// TestThawedWhereItWasFrozen freezes a neighbour, twice as a tree that was slow to stop is, and thaws
// it: meanwhile each of its threads is kept to the CPU that it ran on, and then it may use all again.
func TestThawedWhereItWasFrozen(t *testing.T) {
	tree, r := startNeighbour(t, Neighbour{CPU: 1000})
	t.Cleanup(func() { _ = tree.Thaw() })
	before, _ := affinities(t, r.pid)
	freeze(t, tree)
	freeze(t, tree)
	frozen, last := affinities(t, r.pid)
	for tid, cpus := range frozen {
		if cpus.Count() != 1 || !cpus.IsSet(last[tid]) {
			t.Errorf("frozen thread %d, last on CPU %d, may use %d CPUs", tid, last[tid], cpus.Count())
		}
	}
	if err := tree.Thaw(); err != nil {
		t.Fatal(err)
	}
	after, _ := affinities(t, r.pid)
	for tid := range after {
		if _, ok := before[tid]; !ok {
			delete(after, tid) // started meanwhile
		}
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("CPUs of the threads before and after (-want +got):\n%s", diff)
	}
}

// TestHeldProcessEnds freezes and thaws a neighbour that ends in between, as one that is stopped does.
func TestHeldProcessEnds(t *testing.T) {
	tree, r := startNeighbour(t, Neighbour{CPU: 100})
	freeze(t, tree)
	if err := tree.freezer().thaw(); err != nil {
		t.Fatal(err)
	}
	r.Stop()
	for _, do := range []func() error{tree.Thaw, tree.Freeze, tree.Thaw} {
		if err := do(); err != nil {
			t.Error(err)
		}
	}
}

// freeze freezes a tree; on a busy machine it takes longer than Freeze waits.
func freeze(t *testing.T, tree *Tree) {
	t.Helper()
	err := tree.Freeze()
	for attempt := 0; errors.Is(err, ErrNotYetFrozen) && attempt < 1000; attempt++ {
		err = tree.Freeze()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// affinities are the CPUs that each thread of a process may use, and the one that it ran on last.
func affinities(t *testing.T, pid int) (may map[int]unix.CPUSet, last map[int]int) {
	t.Helper()
	threads, err := procfs.AllThreads(pid)
	if err != nil {
		t.Fatal(err)
	}
	may, last = map[int]unix.CPUSet{}, map[int]int{}
	for _, thread := range threads {
		stat, err := thread.Stat()
		if err != nil {
			t.Fatal(err)
		}
		var cpus unix.CPUSet
		if err := unix.SchedGetaffinity(thread.PID, &cpus); err != nil {
			t.Fatal(err)
		}
		may[thread.PID], last[thread.PID] = cpus, int(stat.Processor)
	}
	return may, last
}
