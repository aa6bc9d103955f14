package campaign

// A run whose machine loses its power.

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

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

// TestPowerCut cuts the power after every sync of a run. Every trial that had been shown as
// ended is there and complete, on a disk that keeps nothing but what was synced; and a run
// that is resumed from what is left ends like any other.
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
	job, _ := scriptedJob(t, filepath.Join(disk.Dir, "results", "run"), fmt.Sprintf(soakSpec, 2, soakSeconds))
	show := progress.New(job, progress.Options{Out: shown, JSON: true})
	defer show.Close()
	if err := Run(t.Context(), job, show); err != nil {
		t.Fatal(err)
	}
	cut(disk)
	trials := len(job.Plan.Trials)
	if shown.count() != trials {
		t.Fatalf("%d trials were shown as ended, of %d", shown.count(), trials)
	}
	dir, resumed := t.TempDir(), false
	for i, left := range cuts {
		run := filepath.Join(dir, fmt.Sprint(i), "results", "run")
		recordtest.Restore(t, left, filepath.Join(dir, fmt.Sprint(i)))
		there := completeIn(t, run, ended[i] > 0)
		if there < ended[i] {
			t.Errorf("cut %d of %d: %d trials had been shown as ended, %d are complete", i, len(cuts), ended[i], there)
		}
		if ended[i] == trials/2 && !resumed {
			resumed = true
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
	if !resumed {
		t.Errorf("no cut after half of the trials: %v", ended)
	}
}

// completeIn counts the measured trials of a run, which need not be there yet.
func completeIn(t *testing.T, dir string, must bool) (n int) {
	t.Helper()
	run, err := record.Open(dir)
	if err != nil {
		if must || !strings.Contains(err.Error(), record.ErrNoRun.Error()) {
			t.Errorf("%s: %v", dir, err)
		}
		return 0
	}
	for _, trial := range run.Trials {
		if trial.HasResult() && trial.End.Outcome == record.Measured {
			n++
		}
	}
	return n
}
