package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/runner"
)

const storageSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: storage}
database: {rootfs: %s, config: {innodb_buffer_pool_size: 32M, innodb_redo_log_capacity: 8M}}
data: {tables: 1, rows: 100}
load: {engine: tare, workload: oltp_point_select, threads: 2, rate: 50/s}
protocol: {rounds: 1, warmup: 0s, measure: 3s, ready: 300s, aa: false}
baseline: a
arms: {a: {target: process}, b: {target: process}}
`

// TestStorageFaultsInTrials: a run whose directory is on a file system that becomes full in
// a trial, and read-only before the next, ends with the reason and keeps the trial that was
// complete. When there is room again, --resume finishes it.
func TestStorageFaultsInTrials(t *testing.T) {
	needRoot(t)
	rootfs := testRootfs(t)
	t.Parallel()
	disk := smallDisk(t)
	job := assembled(t, fmt.Appendf(nil, storageSpec, rootfs), filepath.Join(disk, "run"))
	var full sync.Once
	job.Observe = func(p runner.Progress) {
		if p.Kind == runner.Second && p.Trial.Number == 2 {
			full.Do(func() { fillUp(t, filepath.Join(disk, "others")) })
		}
	}
	expectRun(t, job, "no space left on device", 1)
	remount(t, disk, unix.MS_RDONLY)
	expectRun(t, job, "read-only file system", 1)
	remount(t, disk, 0)
	if err := os.Remove(filepath.Join(disk, "others")); err != nil {
		t.Fatal(err)
	}
	expectRun(t, job, "", 2)
}

// expectRun carries the run out: it ends with that error, and so many trials are complete.
// The first is not touched again.
func expectRun(t *testing.T, job runner.Job, says string, complete int) {
	t.Helper()
	before := completeTrials(t, job.Dir)
	err := runner.Run(t.Context(), job)
	if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
		t.Errorf("the run ended with %v; want %q", err, says)
	}
	now := completeTrials(t, job.Dir)
	if unchanged(t, before, now); len(now) != complete {
		t.Errorf("%d trials are complete, not %d", len(now), complete)
	}
	if left, err := filepath.Glob(filepath.Join(job.State.Dir, "instances", "t*")); err != nil || len(left) > 0 {
		t.Errorf("instances are left: %v, %v", left, err)
	}
}

// smallDisk is a file system of 4 MiB.
func smallDisk(t *testing.T) string {
	t.Helper()
	disk := t.TempDir()
	if err := unix.Mount("tare-test", disk, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("no tmpfs can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(disk, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return disk
}

// fillUp takes all room that is left.
func fillUp(t *testing.T, path string) {
	f, err := os.Create(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	for n := 1 << 16; n > 0; n /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, n))
		}
	}
}

func remount(t *testing.T, disk string, flags uintptr) {
	t.Helper()
	if err := unix.Mount("tare-test", disk, "tmpfs", unix.MS_REMOUNT|flags, "size=4m"); err != nil {
		t.Fatal(err)
	}
}
