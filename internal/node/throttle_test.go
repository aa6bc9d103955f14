package node

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"
)

// TestUnthrottle: a killed process waits for the write that it has submitted, which at one
// operation per second takes many minutes, and ends once the limit is lifted.
func TestUnthrottle(t *testing.T) {
	major, minor, err := DiskOf(t.TempDir())
	if err == nil {
		err = CheckThrottle()
	}
	if err != nil {
		t.Skip(err)
	}
	tree, _ := newTestTree(t, "unthrottle")
	pod, err := tree.AddPod("p", "", Requirements{}, Enforced{})
	if err == nil {
		err = pod.makeContainer()
	}
	if err == nil {
		err = pod.Rethrottle(major, minor, 0, 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	writer := startWriter(t, pod)
	waitForWrite(t, writer.Process.Pid)
	ended := make(chan error, 1)
	go func() { ended <- writer.Wait() }()
	if err := writer.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	waitForWrite(t, writer.Process.Pid) // the signal does not end it
	if err := tree.Unthrottle(); err != nil {
		t.Error(err)
	}
	select {
	case <-ended:
	case <-time.After(5 * time.Minute):
		t.Error("the process has not ended 5 minutes after its limit was lifted")
	}
	if left := limitsOf(t, pod); left != "" {
		t.Errorf("limits that are left: %s", left)
	}
	if err := Unthrottle("/sys/fs/cgroup/no-such-cgroup"); err != nil {
		t.Error(err)
	}
}

// startWriter starts one direct write of 64 MiB in the container's cgroup.
func startWriter(t *testing.T, pod *Pod) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sh", "-c", `read -r go; exec dd if=/dev/zero of="$0" bs=64M count=1 oflag=direct`, filepath.Join(t.TempDir(), "written"))
	begin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := pod.enter(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(begin, "go\n"); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// waitForWrite waits until dd waits for its direct write: until then a signal ends it at
// once (proc_pid_wchan(5); __iomap_dio_rw in fs/iomap/direct-io.c).
func waitForWrite(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		process, err := procfs.NewProc(pid)
		if err != nil {
			t.Fatal(err)
		}
		where, err := process.Wchan()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(where, "dio") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d waits in %q; want a direct write", pid, where)
		}
	}
}

// limitsOf is what the files of the container's limits of operations say.
func limitsOf(t *testing.T, pod *Pod) string {
	t.Helper()
	h, files := pod.tree.hierarchy, []string{"blkio.throttle.read_iops_device", "blkio.throttle.write_iops_device"}
	if h.unified {
		files = []string{"io.max"}
	}
	var all strings.Builder
	for _, name := range files {
		b, err := os.ReadFile(h.file("blkio", pod.container.path, name))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return strings.TrimSpace(all.String())
}
