package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/interleave"
)

// TestMain lets the test binary be a neighbour's process, as tare's own binary
// is outside of tests.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "neighbour" {
		if err := RunNeighbour(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func startNeighbour(t *testing.T, n Neighbour) (*Tree, *RunningNeighbour) {
	t.Helper()
	tree, capacity := newTestTree(t, strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-")))
	r, err := n.Start(context.Background(), tree, capacity, []string{os.Args[0], "neighbour"}, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Stop)
	return tree, r
}

func TestNeighbourBurns(t *testing.T) {
	for name, n := range map[string]Neighbour{
		"one":      {CPU: 1000},
		"fraction": {CPU: 300, Memory: 64 << 20, Request: 100},
	} {
		t.Run(name, func(t *testing.T) {
			tree, r := startNeighbour(t, n)
			want, burnt := n.CPU.Cores(), false
			var facts map[string]string
			for attempt := 0; attempt < 10 && !burnt; attempt++ {
				var used, wait float64
				used, wait, facts = burning(t, tree, r)
				if used > 1.15*want {
					t.Errorf("asked to burn %.2f CPUs, burnt %.2f", want, used)
				}
				burnt = used >= 0.02 && used+wait >= 0.6*want
				t.Logf("asked to burn %.2f CPUs, burnt %.2f and waited %.2f", want, used, wait)
			}
			if !burnt {
				t.Errorf("asked to burn %.2f CPUs, it never did", want)
			}
			memory := burnLevel + "memory.usage_in_bytes"
			if tree.hierarchy.unified {
				memory = burnLevel + "memory.current"
			}
			if got := count(t, facts, memory); got < float64(n.Memory) {
				t.Errorf("asked to hold %v, holds %.0f", n.Memory, got)
			}
			if pids, err := tree.Processes(); err != nil || len(pids) != 1 || pids[0] != r.pid {
				t.Errorf("in the tree: %v, %v; want %d alone", pids, err, r.pid)
			}
		})
	}
}

// burnLevel begins the names of what a neighbour's cgroup has used.
const burnLevel = "neighbour.cgroup.container."

// burning is how many CPUs a neighbour has used in two seconds and how many it waited for,
// and what was read at their end. Other work on the machine can take from it, and then it
// waits for a CPU; nothing can add to it. A machine that stands still takes from it as well,
// and no thread waits meanwhile.
func burning(t *testing.T, tree *Tree, r *RunningNeighbour) (used, wait float64, facts map[string]string) {
	t.Helper()
	begun := time.Now()
	first := values(t, tree.ReadBack("start"), "start")
	waited := runqueueWait(t, r.pid)
	time.Sleep(2 * time.Second)
	facts = values(t, tree.ReadBack("end"), "end")
	seconds := time.Since(begun).Seconds()
	used = usedCores(t, tree, facts, burnLevel, seconds) - usedCores(t, tree, first, burnLevel, seconds)
	return used, (runqueueWait(t, r.pid) - waited) / seconds, facts
}

// runqueueWait is how long the threads of a process have waited for a CPU, in
// seconds (Documentation/scheduler/sched-stats.rst).
func runqueueWait(t *testing.T, pid int) float64 {
	t.Helper()
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	var sum float64
	for _, f := range files {
		b, err := os.ReadFile(f)
		var run, wait float64
		if err == nil {
			_, err = fmt.Sscan(string(b), &run, &wait)
		}
		if err != nil {
			t.Fatal(err)
		}
		sum += wait / 1e9
	}
	return sum
}

func TestNeighbourFacts(t *testing.T) {
	_, r := startNeighbour(t, Neighbour{CPU: 100, Request: 100})
	got := map[string]string{}
	for _, f := range r.Facts("start") {
		got[f.Key] = f.Value
	}
	for key, want := range map[string]string{
		"neighbour.alive": "yes", "neighbour.cpu": "100m", "neighbour.qos": "Burstable",
		"neighbour.oom_score_adj.wanted": "999", "neighbour.oom_score_adj": "999",
	} {
		if got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
	if !strings.Contains(got["neighbour.cgroup"], "/burstable/podneighbour/neighbour") {
		t.Errorf("it is in the cgroups %q", got["neighbour.cgroup"])
	}
	r.Stop()
	r.Stop()
	if err := r.Alive(); err == nil {
		t.Error("a stopped neighbour is alive")
	}
	if err := syscall.Kill(r.pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("its process is still there: %v", err)
	}
}

// The end of standard input ends the process, before its first line as well as
// at work: a tare that is killed leaves no neighbour.
func TestNeighbourEndsWithInput(t *testing.T) {
	for name, input := range map[string]string{"waiting": "", "at work": `{"cpu": "2", "memory": "1Mi", "network": 1}` + "\n"} {
		cmd := exec.Command(os.Args[0], "neighbour")
		cmd.Stdin = strings.NewReader(input)
		done := make(chan error, 1)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { done <- cmd.Wait() }()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(5 * time.Minute):
			cmd.Process.Kill()
			t.Errorf("%s: the process %d outlived its input", name, cmd.Process.Pid)
		}
	}
}

func TestNeighbourStartFails(t *testing.T) {
	tree, capacity := newTestTree(t, "fails")
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		argv []string
		n    Neighbour
		want string
	}{
		"no program":       {context.Background(), []string{"/nonexistent/tare"}, Neighbour{CPU: 1000}, "no such file"},
		"cancelled":        {done, []string{os.Args[0], "neighbour"}, Neighbour{CPU: 1000}, "canceled"},
		"memory not there": {context.Background(), []string{os.Args[0], "neighbour"}, Neighbour{Memory: 1 << 50}, "take 1Pi of memory"},
	} {
		if _, err := c.n.Start(c.ctx, tree, capacity, c.argv, t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
		if pids, err := tree.Processes(); err != nil || len(pids) > 0 {
			t.Errorf("%s: left in the tree: %v, %v", name, pids, err)
		}
	}
}

func TestNeighbourCheck(t *testing.T) {
	capacity := Resources{CPU: 2000, Memory: 4 << 30}
	for _, c := range []struct {
		n    Neighbour
		want string // "" for none
	}{
		{Neighbour{CPU: 2000}, ""},
		{Neighbour{CPU: MaxCPU, Request: 500}, ""},
		{Neighbour{}, "does nothing"},
		{Neighbour{CPU: 2001}, "cpu 2001m is more than this machine's 2; write cpu: 2"},
		{Neighbour{Memory: 5 << 30}, "memory 5Gi"},
		{Neighbour{CPU: 1000, Request: MaxCPU}, "request max"},
		{Neighbour{CPU: 1000, MemoryRequest: 5 << 30}, "memoryRequest 5Gi"},
		{Neighbour{Disk: 1, Network: 2, MemoryBandwidth: 1, Limit: 1000, MemoryLimit: 1 << 30}, ""},
		{Neighbour{Disk: -1}, "disk is a number of threads, 0 to 64; write disk: 1"},
		{Neighbour{Network: 1000}, "write network: 1"},
		{Neighbour{CPU: 1000, Limit: 3000}, "limit 3 does not fit; write at most limit: 2"},
		{Neighbour{CPU: 1000, Limit: 1000, Request: 1500}, "request 1500m is more than limit 1"},
		{Neighbour{MemoryBandwidth: 1, MemoryLimit: 128 << 20}, "the kernel would kill it; write memoryLimit: 160Mi or more"},
	} {
		err := errors.Join(c.n.Check(capacity)...)
		if (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.n, err, c.want)
		}
	}
}

// TestNeighbourInTurns: a neighbour in turns holds its memory before they begin, uses CPU time in its own turns
// alone, and says in how many it worked.
func TestNeighbourInTurns(t *testing.T) {
	tree, capacity := newTestTree(t, "neighbour-in-turns")
	turns := &Turns{Cell: 0, Schedule: interleave.Schedule{
		Slices: interleave.Slices{Guard: 10 * time.Millisecond, LeadIn: 100 * time.Millisecond, Slice: 100 * time.Millisecond, Drain: 10 * time.Millisecond, Cycles: 4, Idle: true},
		Cells:  4, Seed: 1,
	}}
	r, err := Neighbour{CPU: 1000, Memory: 16 << 20}.Start(context.Background(), tree, capacity, []string{os.Args[0], "neighbour"}, t.TempDir(), turns)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Stop)
	before := values(t, tree.ReadBack("start"), "start")
	begun := time.Now()
	if err := r.BeginTurns(begun.Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	facts, err := r.EndTurns(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	seconds := time.Since(begun).Seconds()
	after := values(t, tree.ReadBack("end"), "end")
	used := seconds * (usedCores(t, tree, after, burnLevel, seconds) - usedCores(t, tree, before, burnLevel, seconds))
	// Four turns of 210 ms; a busy machine gives it less.
	if used > 1.0 || used < 0.02 {
		t.Errorf("it used %.2f s of CPU time in %.2f s, of which its turns are 0.84 s", used, seconds)
	}
	if facts[0].Value != "4" {
		t.Errorf("%+v", facts)
	}
}
