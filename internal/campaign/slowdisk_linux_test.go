package campaign

// A run whose directory is on a slow device.

import (
	"bytes"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/progress"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/record/recordtest"
)

// slowly holds the disk from the first second of every load, until it is told that the disk
// is slow and the last second has been shown. Which comes first depends on the machine: one that
// stands still between two seconds makes a write look slow before the load has ended.
type slowly struct {
	disk    *recordtest.Disk
	mu      sync.Mutex
	seconds int  // of the present trial that were shown
	slow    bool // the present trial said so
	held    bool
	told    int // trials that said that the disk is slow
	went    int // trials whose last second was shown while the disk was held
}

func (s *slowly) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case bytes.Contains(b, []byte(`"event":"second"`)):
		if s.seconds++; s.seconds == 1 {
			s.disk.Hold()
			s.held = true
		}
		if s.seconds == soakSeconds && s.held {
			s.went++
		}
	case bytes.Contains(b, []byte(`"event":"slow-record"`)):
		s.told++
		s.slow = true
	case bytes.Contains(b, []byte(`"event":"trial"`)):
		s.seconds, s.slow = 0, false
	}
	if s.slow && s.seconds == soakSeconds {
		s.release()
	}
	return len(b), nil
}

func (s *slowly) release() {
	s.held = false
	s.disk.Release()
}

// TestSlowDisk has no write and no sync of the run directory return while a server is
// loaded. The load goes on to its end; then the run says what it waits for. When the disk
// writes again, no trial and no line is missing.
func TestSlowDisk(t *testing.T) {
	disk := recordtest.Mount(t, func(*recordtest.Disk) {})
	job, _ := scriptedJob(t, filepath.Join(disk.Dir, "run"), fmt.Sprintf(soakSpec, 2, soakSeconds))
	told := &slowly{disk: disk}
	hung := time.AfterFunc(3*time.Minute, func() {
		t.Error("the load waits for the disk, or nobody says that it is slow")
		told.mu.Lock()
		defer told.mu.Unlock()
		told.release()
	})
	defer hung.Stop()
	show := progress.New(job, progress.Options{Out: told, JSON: true})
	defer show.Close()
	if err := Run(t.Context(), job, show); err != nil {
		t.Fatal(err)
	}
	trials := len(job.Plan.Trials)
	if told.told != trials || told.went != trials {
		t.Errorf("of %d trials, %d said that the disk is slow and %d went on to their last second", trials, told.told, told.went)
	}
	run, err := record.Open(job.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range run.Trials {
		if trial.Incomplete != "" || len(trial.Intervals) != soakSeconds {
			t.Errorf("trial %d: %q, %d lines of %d", trial.Header.Trial, trial.Incomplete, len(trial.Intervals), soakSeconds)
		}
	}
	if n := completeIn(t, job.Dir, true); n != trials {
		t.Errorf("%d trials are complete, of %d", n, trials)
	}
}
