package campaign

// A tare that runs for half a day must cost at its end what it costs at its beginning. The
// trials are short, and whole: everything but the server and the load is tare's own.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

// soakHours is how many hours of trials `make soak` simulates; "" is `make test`.
const soakHours = "TARE_SOAK_HOURS"

const soakSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: soak}
protocol: {rounds: %d, warmup: 0s, measure: %ds, ready: 300s, aa: false, voids: 0}
baseline: a
arms: {a: {target: scripted}, b: {target: scripted}}
`

// soakSeconds is the length of a simulated trial, without what tare itself takes.
const soakSeconds = 30

// use is what the process has of the machine, and what it has allocated in all.
type use struct {
	goroutines, descriptors int
	heap, allocated         uint64
}

func usage(t *testing.T) use {
	t.Helper()
	runtime.GC()
	runtime.GC() // what a finalizer held in the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return use{runtime.NumGoroutine(), len(open), m.HeapAlloc, m.TotalAlloc}
}

// metered is a place that looks at the process each time that a server is started.
type metered struct {
	scriptedPlace
	t      *testing.T
	starts atomic.Int64
	seen   []use
}

func (m *metered) Start(ctx context.Context, r target.Request) (target.Server, error) {
	now := usage(m.t)
	if len(m.seen) > 1 {
		now = m.settled(ctx, m.seen[1])
	}
	m.seen = append(m.seen, now)
	m.starts.Add(1)
	return m.scriptedPlace.Start(ctx, r)
}

// settleWithin is a limit that only a leak reaches: connections of the last trial that were
// closed end their goroutines a moment later.
const settleWithin = 2 * time.Minute

// settled waits until there are no more goroutines and descriptors than there were.
func (m *metered) settled(ctx context.Context, before use) use {
	limit, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	for {
		now := usage(m.t)
		if now.goroutines <= before.goroutines && now.descriptors <= before.descriptors || limit.Err() != nil {
			return now
		}
		select {
		case <-limit.Done():
		case <-time.After(time.Millisecond):
		}
	}
}

// soak runs what is left of a run of so many rounds, of which the first are there already.
// The first two measurements are of a process that is not warm yet.
func soak(t *testing.T, rounds, there int) []use {
	t.Helper()
	job, _ := scriptedJob(t, filepath.Join(t.TempDir(), "run"), fmt.Sprintf(soakSpec, rounds, soakSeconds))
	place := &metered{t: t}
	for _, arm := range job.Experiment.Arms {
		job.Targets[arm.Name] = place
	}
	complete(t, job, there)
	if err := Run(t.Context(), job, quiet(t, job)); err != nil {
		t.Fatal(err)
	}
	run, err := record.Open(job.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range run.Trials {
		if !trial.HasResult() || trial.End.Outcome != record.Measured {
			t.Fatalf("trial %d: %q %+v", trial.Header.Trial, trial.Incomplete, trial.End)
		}
	}
	if n := int(place.starts.Load()); n != len(job.Plan.Trials)-2*there || place.open.Load() != 0 {
		t.Fatalf("%d servers were started and %d run, of %d trials", n, place.open.Load(), len(job.Plan.Trials))
	}
	return place.seen
}

// complete writes the trials of the first rounds as a run would have left them.
func complete(t *testing.T, job runner.Job, rounds int) {
	t.Helper()
	for _, planned := range job.Plan.Trials {
		if planned.Round > rounds {
			continue
		}
		s, err := record.CreateStream(record.TrialDir(job.Dir, planned), header(planned))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = scriptedEngine{}.Run(t.Context(), job.Load(planned.Threads), s.Write)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(record.End{Outcome: record.Measured, Duration: soakSeconds * time.Second}); err != nil {
			t.Fatal(err)
		}
	}
}

func header(p experiment.Trial) record.Header {
	return record.Header{Trial: p.Number, Round: p.Round, Slot: p.Slot, Arm: p.Arm, Threads: p.Threads, Started: time.Unix(1, 0).UTC(), Engine: "scripted", Tare: "test"}
}

// perTrial is what a trial allocated, the least of several: what other processes of the
// machine add to a look at /proc is left out.
func perTrial(seen []use) uint64 {
	least := ^uint64(0)
	for i := 3; i < len(seen); i++ {
		least = min(least, seen[i].allocated-seen[i-1].allocated)
	}
	return least
}

// TestSoak: from trial to trial no goroutine and no descriptor is added, the heap keeps no
// more than a trial's series, and a trial allocates as much after 200 rounds as after none.
// `make soak` does all trials of 12 hours.
func TestSoak(t *testing.T) {
	if hours := os.Getenv(soakHours); hours != "" {
		n, err := strconv.Atoi(hours)
		if err != nil {
			t.Fatal(err)
		}
		flat(t, soak(t, n*3600/soakSeconds/2, 0))
		return
	}
	first := soak(t, 4, 0)
	later := soak(t, 204, 200)
	flat(t, first)
	flat(t, later)
	before, after := perTrial(first), perTrial(later)
	t.Logf("a trial allocates %d bytes after no rounds, %d after 200", before, after)
	// To read 400 trials again allocates three times what a trial does, most of which are the
	// transfers over the network path; how many of those there are depends on the machine.
	if after > 2*before {
		t.Errorf("a trial allocates %d bytes after 200 rounds, and %d after none", after, before)
	}
}

// keptPerTrial bounds what the heap keeps of a trial: its series, for the decisions between
// rounds.
const keptPerTrial = 24 << 10

// flat compares the end of a run with its beginning.
func flat(t *testing.T, seen []use) {
	t.Helper()
	first, last := seen[2], seen[len(seen)-1]
	trials := uint64(len(seen) - 3)
	t.Logf("%d trials: goroutines %d and %d, descriptors %d and %d, heap %d and %d bytes", len(seen),
		first.goroutines, last.goroutines, first.descriptors, last.descriptors, first.heap, last.heap)
	if last.goroutines > first.goroutines {
		t.Errorf("%d goroutines have become %d", first.goroutines, last.goroutines)
	}
	if last.descriptors > first.descriptors {
		t.Errorf("%d descriptors have become %d", first.descriptors, last.descriptors)
	}
	if last.heap > first.heap+trials*keptPerTrial {
		t.Errorf("the heap has grown from %d to %d bytes in %d trials", first.heap, last.heap, trials)
	}
	quarter := len(seen) / 4
	if quarter < 8 {
		return
	}
	if early, late := perTrial(seen[:2*quarter]), perTrial(seen[3*quarter:]); late > early+early/2 {
		t.Errorf("a trial allocates %d bytes in the last quarter, and %d in the first half", late, early)
	} else {
		t.Logf("a trial allocates %d bytes in the first half, %d in the last quarter", early, late)
	}
}
