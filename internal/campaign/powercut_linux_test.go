package campaign

// A run whose machine loses its power.

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/progress"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/record/recordtest"
)

// reports counts the trials whose end was shown.
type reports struct {
	mu    sync.Mutex
	ended int
}

func (r *reports) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended += bytes.Count(b, []byte(`"event":"trial"`))
	return len(b), nil
}

func (r *reports) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

// lateOnce is an engine whose client cannot keep up in its first load: the trial's round is
// set aside and run again.
type lateOnce struct {
	scriptedEngine
	loads atomic.Int64
}

func (l *lateOnce) Run(ctx context.Context, j loadgen.Job, emit func(record.Line) error) (record.Outcome, string, error) {
	if l.loads.Add(1) == 1 {
		if err := emit(record.Line{Fact: &record.Fact{Key: "load.invalid", Value: "too slow", Source: "script"}}); err != nil {
			return record.Failed, err.Error(), err
		}
	}
	return l.scriptedEngine.Run(ctx, j, emit)
}

// TestPowerCut cuts the power after every sync of a run, of which one round is set aside. Every
// trial that had been shown as ended is there and complete, on a disk that keeps nothing but
// what was synced; and a run that is resumed from what is left ends like any other.
func TestPowerCut(t *testing.T) {
	shown := &reports{}
	var mu sync.Mutex
	var cuts []map[string][]byte
	var ended []int
	cut := func(disk *recordtest.Disk) {
		mu.Lock()
		defer mu.Unlock()
		ended = append(ended, shown.count()) // before the cut: what is shown later may be lost
		cuts = append(cuts, disk.Cut())
	}
	disk := recordtest.Mount(t, cut)
	spec := strings.Replace(fmt.Sprintf(soakSpec, 2, soakSeconds), "voids: 0", "voids: 1", 1)
	job, _ := scriptedJob(t, filepath.Join(disk.Dir, "results", "run"), spec)
	job.Engine = &lateOnce{}
	show := progress.New(job, progress.Options{Out: shown, JSON: true})
	defer show.Close()
	if err := Run(t.Context(), job, show); err != nil {
		t.Fatal(err)
	}
	cut(disk)
	planned := len(job.Plan.Trials)
	trials := planned + planned/2 // one of two rounds was run again
	if shown.count() != trials {
		t.Fatalf("%d trials were shown as ended, of %d", shown.count(), trials)
	}
	dir, resumed, inSetAside := t.TempDir(), false, false
	for i, left := range cuts {
		run := filepath.Join(dir, fmt.Sprint(i), "results", "run")
		recordtest.Restore(t, left, filepath.Join(dir, fmt.Sprint(i)))
		there := completeIn(t, run, ended[i] > 0)
		if there < ended[i] {
			t.Errorf("cut %d of %d: %d trials had been shown as ended, %d are complete", i, len(cuts), ended[i], there)
		}
		first, unmoved := ended[i] == planned/2 && !resumed, unmovedIn(left) && !inSetAside
		if first || unmoved {
			resumed, inSetAside = resumed || first, inSetAside || unmoved
			again := job
			again.Dir = run
			if err := Run(t.Context(), again, quiet(t, again)); err != nil {
				t.Fatal(err)
			}
			if n := completeIn(t, run, true); n != trials {
				t.Errorf("after a cut and a resume %d trials are complete, of %d", n, trials)
			}
		}
	}
	if !resumed || !inSetAside {
		t.Errorf("no cut after half of the trials, or none while a round was set aside: %v", ended)
	}
}

// unmovedIn is whether a round was about to be set aside: its place is there, and none of its
// trials is in it.
func unmovedIn(left map[string][]byte) bool {
	place, moved := false, false
	for path := range left {
		place = place || filepath.Base(path) == record.VoidFile
		moved = moved || filepath.Base(filepath.Dir(filepath.Dir(path))) == record.VoidsDir && filepath.Base(path) != record.VoidFile
	}
	return place && !moved
}

// completeIn counts the measured trials of a run, those of rounds that were set aside among
// them. The run need not be there yet.
func completeIn(t *testing.T, dir string, must bool) (n int) {
	t.Helper()
	run, err := record.Open(dir)
	if err != nil {
		if must || !strings.Contains(err.Error(), record.ErrNoRun.Error()) {
			t.Errorf("%s: %v", dir, err)
		}
		return 0
	}
	all := run.Trials
	for _, v := range run.Voids {
		all = append(all, v.Trials...)
	}
	for _, trial := range all {
		if trial.HasResult() && trial.End.Outcome == record.Measured {
			n++
		}
	}
	return n
}
