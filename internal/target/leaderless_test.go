package target

// A process whose first thread has ended before the others: to proc(5) it looks like one that
// has ended, for as long as a large server takes to end after SIGKILL.

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// leaderlessVariable makes this test program such a process.
const leaderlessVariable = "TARE_TEST_LEADERLESS"

func TestMain(m *testing.M) {
	if os.Getenv(leaderlessVariable) != "" {
		endFirstThread()
	}
	os.Exit(m.Run())
}

// endFirstThread ends the first thread, whose number is that of the process, and does not return.
func endFirstThread() {
	for {
		go func() {
			runtime.LockOSThread() // so that each is on a thread of its own, and one of them on the first
			if unix.Gettid() == os.Getpid() {
				_, _, _ = unix.Syscall(unix.SYS_EXIT, 0, 0, 0) // of this thread alone: exit(2), notes
			}
			select {}
		}()
		time.Sleep(10 * time.Millisecond)
	}
}

// TestProcessWithoutFirstThread is found, as long as a thread runs, and gone when a sweep returns.
func TestProcessWithoutFirstThread(t *testing.T) {
	name, dir, runDir := testInstance(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), InstanceVariable+"="+name, leaderlessVariable+"=yes")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }() // it was killed
	defer func() { _ = cmd.Process.Kill() }()
	status := func() procfs.ProcStat {
		t.Helper()
		p, err := procfs.NewProc(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		stat, err := p.Stat()
		if err != nil {
			t.Fatal(err)
		}
		return stat
	}
	for status().State != zombie {
		time.Sleep(time.Millisecond)
	}
	found, err := Scan(name, dir, runDir)
	if err != nil || len(found.Processes) != 1 || found.Processes[0].PID != cmd.Process.Pid {
		t.Errorf("found %v, %v; want process %d", found, err, cmd.Process.Pid)
	}
	var log bytes.Buffer
	if err := Sweep(context.Background(), name, dir, runDir, &log); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "kill process") {
		t.Errorf("the sweep says %q", log.String())
	}
	if stat := status(); !hasEnded(stat) {
		t.Errorf("after the sweep it has %d threads", stat.NumThreads)
	}
}
