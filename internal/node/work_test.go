package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"
)

// TestNeighbourWorks: each kind of work shows where the kernel counts it, and
// leaves no file.
func TestNeighbourWorks(t *testing.T) {
	procfile := func(pid int, file, key string) float64 {
		t.Helper()
		b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), file))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			if rest, ok := strings.CutPrefix(line, key); ok {
				n, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
		}
		t.Fatalf("%s has no %s", file, key)
		return 0
	}
	loopback := func(int) float64 { return procfile(1, "net/dev", "    lo:") }
	for _, c := range []struct {
		name    string
		n       Neighbour
		class   QoS
		counter func(pid int) float64
		least   float64
	}{
		// What it streams is not counted anywhere; that its areas are in use is.
		{"memory", Neighbour{MemoryBandwidth: 1}, BestEffort, func(pid int) float64 { return procfile(pid, "status", "VmRSS:") }, 0},
		{"disk", Neighbour{Disk: 2, Request: 100}, Burstable, func(pid int) float64 { return procfile(pid, "io", "write_bytes:") }, 10 * writeSize},
		{"network", Neighbour{Network: 1, Limit: 1000, MemoryLimit: 1 << 30}, Guaranteed, loopback, 1 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree, r := startNeighbour(t, c.n)
			if r.pod.Class() != c.class {
				t.Errorf("its class is %s, want %s", r.pod.Class(), c.class)
			}
			before := c.counter(r.pid)
			used := values(t, tree.ReadBack("end"), "end")
			// A disk with other work on it took a second for four writes.
			did := 0.0
			for end := time.Now().Add(5 * time.Minute); did < c.least && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
				did = c.counter(r.pid) - before
			}
			if did < c.least {
				t.Errorf("in five minutes the kernel counted %.0f, want %.0f at least", did, c.least)
			}
			if c.n.MemoryBandwidth > 0 && before < 2*float64(streamSize)/1024 {
				t.Errorf("it has %.0f KiB in memory, want two areas of %v", before, streamSize)
			}
			if len(used) == 0 {
				t.Error("nothing is read back")
			}
			if files, _ := filepath.Glob(filepath.Join(r.dir, "*")); len(files) > 0 {
				t.Errorf("it left %v", files)
			}
			if err := r.Alive(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDiskInMemory: where the disk is memory, a thread does not write at its speed. That a write
// comes a millisecond after the one before is sleep's promise, however slow the machine is.
func TestDiskInMemory(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "tare-disk")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if system, err := FileSystem(dir); err != nil || system != "tmpfs" {
		t.Fatalf("the file system of %s: %q, %v", dir, system, err)
	}
	written := func() uint64 {
		t.Helper()
		p, err := procfs.Self()
		if err != nil {
			t.Fatal(err)
		}
		io, err := p.IO()
		if err != nil {
			t.Fatal(err)
		}
		return io.WChar
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	before, start := written(), time.Now()
	if err := (Work{Dir: dir}).write(ctx, nil, 0, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	const pages = 50
	for written() < before+pages*writeSize {
		time.Sleep(time.Millisecond)
	}
	if took := time.Since(start); took < (pages-1)*memoryPause {
		t.Errorf("%d pages in %v", pages, took)
	}
}

func TestWorkThreads(t *testing.T) {
	for want, w := range map[int]Work{1: {}, 3: {CPU: 1500}, 2: {CPU: 100}, 8: {CPU: 1000, Bandwidth: 1, Disk: 1, Network: 2}} {
		if got := w.threads(); got != want {
			t.Errorf("%s: %d threads, want %d", fmt.Sprintf("%+v", w), got, want)
		}
	}
}
