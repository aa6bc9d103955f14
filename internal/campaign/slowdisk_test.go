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
// is slow.
type slowly struct {
	disk    *recordtest.Disk
	mu      sync.Mutex
	seconds int   // of the present trial that were shown
	shown   []int // seconds that had been shown when a trial's record was slow
}

func (s *slowly) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case bytes.Contains(b, []byte(`"event":"second"`)):
		if s.seconds++; s.seconds == 1 {
			s.disk.Hold()
		}
	case bytes.Contains(b, []byte(`"event":"slow-record"`)):
		s.shown = append(s.shown, s.seconds)
		s.disk.Release()
	case bytes.Contains(b, []byte(`"event":"trial"`)):
		s.seconds = 0
	}
	return len(b), nil
}

// TestSlowDisk has no write and no sync of the run directory return while a server is
// loaded. The load goes on to its end; then the run says what it waits for. When the disk
// writes again, no trial and no line is missing.
func TestSlowDisk(t *testing.T) {
	disk := recordtest.Mount(t, func(*recordtest.Disk) {})
	job, _ := scriptedJob(t, filepath.Join(disk.Dir, "run"), fmt.Sprintf(soakSpec, 2, soakSeconds))
	hung := time.AfterFunc(3*time.Minute, func() {
		t.Error("the load waits for the disk")
		disk.Release()
	})
	defer hung.Stop()
	told := &slowly{disk: disk}
	show := progress.New(job, progress.Options{Out: told, JSON: true})
	defer show.Close()
	if err := Run(t.Context(), job, show); err != nil {
		t.Fatal(err)
	}
	trials := len(job.Plan.Trials)
	if len(told.shown) != trials {
		t.Errorf("%d of %d trials said that the disk is slow", len(told.shown), trials)
	}
	for i, n := range told.shown {
		if n != soakSeconds {
			t.Errorf("slow record %d: %d seconds of the load had passed, of %d", i+1, n, soakSeconds)
		}
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
