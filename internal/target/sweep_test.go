package target

import (
	"bytes"
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

	"golang.org/x/sys/unix"
)

func testInstance(t *testing.T) (name, dir, runDir string) {
	t.Helper()
	name = fmt.Sprintf("sweep-%d-%d", os.Getpid(), time.Now().UnixNano()%1e9)
	dir = filepath.Join(t.TempDir(), "instances", name)
	runDir = filepath.Join(t.TempDir(), "tare-run")
	for _, d := range []string{dir, runDir} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return name, dir, runDir
}

// startOrphan starts a process that has already lost its parent, as those of a
// killed tare have, and returns its number.
func startOrphan(t *testing.T, env ...string) int {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "setsid sleep 600 >/dev/null 2>&1 & echo $!")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(out), &pid); err != nil {
		t.Fatalf("pid in %q: %v", out, err)
	}
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	return pid
}

func ended(pid int) bool {
	_, err := startTicks(pid)
	return err != nil
}

func TestSweepProcesses(t *testing.T) {
	name, dir, runDir := testInstance(t)
	mine := startOrphan(t, InstanceVariable+"="+name)
	other := startOrphan(t, InstanceVariable+"="+name+"0") // a longer name is another instance
	var log bytes.Buffer
	if err := Sweep(context.Background(), name, dir, runDir, &log); err != nil {
		t.Fatal(err)
	}
	if !ended(mine) {
		t.Errorf("process %d of the instance still runs", mine)
	}
	if ended(other) {
		t.Errorf("process %d of another instance was killed", other)
	}
	for _, d := range []string{dir, runDir} {
		if _, err := os.Stat(d); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", d, err)
		}
	}
	if want := fmt.Sprintf("kill process %d (", mine); strings.Count(log.String(), want) != 1 {
		t.Errorf("log does not say %q once:\n%s", want, log.String())
	}
	if err := Sweep(context.Background(), name, dir, runDir, &log); err != nil {
		t.Errorf("second sweep: %v", err)
	}
}

func TestSweepCgroups(t *testing.T) {
	needRoot(t)
	name, dir, runDir := testInstance(t)
	// Two hierarchies where the machine has them; the process carries no mark in
	// its environment and is held by the freezer where there is a version 1 one.
	var made []string
	for _, h := range []string{"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/freezer", "/sys/fs/cgroup/unified", "/sys/fs/cgroup"} {
		group := filepath.Join(h, "tare-test-parent", "tare-"+name, "pod", "server")
		if _, err := os.Stat(filepath.Join(h, "cgroup.procs")); err != nil {
			continue
		}
		if err := os.MkdirAll(group, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Rmdir(filepath.Join(h, "tare-test-parent")) })
		made = append(made, group)
	}
	if len(made) == 0 {
		t.Skip("no cgroup hierarchy below /sys/fs/cgroup")
	}
	pid := startOrphan(t)
	for _, group := range made {
		write(t, filepath.Join(group, "cgroup.procs"), fmt.Sprint(pid))
		if frozen := filepath.Join(group, "freezer.state"); exists(frozen) {
			write(t, frozen, "FROZEN")
		}
	}
	sibling := filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(made[0]))), "tare-"+name+"-2")
	if err := os.Mkdir(sibling, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Rmdir(sibling) })

	var log bytes.Buffer
	if err := Sweep(context.Background(), name, dir, runDir, &log); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	if said := log.String(); strings.Count(said, "cgroup") != 1 || !strings.Contains(said, "remove the cgroups of "+name+"\n") {
		t.Errorf("the cgroups are not one line:\n%s", said)
	}
	if !ended(pid) {
		t.Errorf("process %d, found by its cgroup only, still runs", pid)
	}
	for _, group := range made {
		if top := filepath.Dir(filepath.Dir(group)); exists(top) {
			t.Errorf("cgroup %s is still there", top)
		}
	}
	if !exists(sibling) {
		t.Errorf("cgroup %s of another instance was removed", sibling)
	}
}

func TestSweepMounts(t *testing.T) {
	needRoot(t)
	name, dir, runDir := testInstance(t)
	outside := t.TempDir()
	write(t, filepath.Join(outside, "precious"), "x")
	inner := filepath.Join(dir, "root", "data")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	mount(t, "tmpfs", filepath.Join(dir, "root"), "tmpfs", 0)
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	mount(t, outside, inner, "", unix.MS_BIND)
	mount(t, outside, runDir, "", unix.MS_BIND)
	mount(t, "tmpfs", runDir, "tmpfs", 0) // one over the other
	busy, err := os.Open(runDir)
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()

	found, err := Scan(name, dir, runDir)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Mounts) != 4 || found.Mounts[0] != inner {
		t.Errorf("mounts found: %q, want four, %s first", found.Mounts, inner)
	}
	var log bytes.Buffer
	if err := Sweep(context.Background(), name, dir, runDir, &log); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	if found, err := Scan(name, dir, runDir); err != nil || found.Running() || len(found.Paths) > 0 {
		t.Errorf("left behind (error %v):\n%s", err, found)
	}
	if !exists(filepath.Join(outside, "precious")) {
		t.Error("the sweep removed a file through a bind mount")
	}
}

func TestSweepNetworkNamespace(t *testing.T) {
	needRoot(t)
	name, dir, runDir := testInstance(t)
	path := "/run/netns/tare-" + name
	if err := os.Mkdir("/run/netns", 0o755); err == nil {
		t.Cleanup(func() { _ = os.Remove("/run/netns") })
	}
	write(t, path, "")
	t.Cleanup(func() { _ = os.Remove(path) })
	mount(t, "/proc/self/ns/net", path, "", unix.MS_BIND) // as ip-netns(8) keeps one
	if err := Sweep(context.Background(), name, dir, runDir, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	if exists(path) {
		t.Errorf("%s is still there", path)
	}
}

func TestSweepRefuses(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct{ name, dir, runDir string }{
		{"", home, home},
		{"UPPER", home, home},
		{"a/b", home, home},
		{"..", home, home},
		{"-a", home, home},
		{strings.Repeat("a", 64), home, home},
		{"a", "", home},
		{"a", home, ""},
		{"a", "/", home},
		{"a", home, "/tmp"},
		{"a", home, "relative/dir"},
		{"a", home + "/x/..", home},
	} {
		if err := Sweep(context.Background(), c.name, c.dir, c.runDir, &bytes.Buffer{}); err == nil {
			t.Errorf("Sweep(%q, %q, %q) was not refused", c.name, c.dir, c.runDir)
		}
	}
	if !exists(home) {
		t.Error("a refused sweep removed something")
	}
	user := filepath.Join(home, "user")
	write(t, filepath.Join(mkdir(t, user), "precious"), "x")
	linked := filepath.Join(home, "instances", "a")
	mkdir(t, filepath.Dir(linked))
	if err := os.Symlink(user, linked); err != nil {
		t.Fatal(err)
	}
	if err := Sweep(context.Background(), "a", linked, linked, &bytes.Buffer{}); err == nil || !exists(filepath.Join(user, "precious")) {
		t.Errorf("a sweep through a link: %v", err)
	}
	if os.Geteuid() != 0 {
		return
	}
	// Anybody can make directories in /tmp: one of another user's is not tare's.
	shared := mkdir(t, filepath.Join(home, "shared"))
	theirs := mkdir(t, filepath.Join(shared, "a"))
	if err := errors.Join(os.Chmod(shared, 0o777), os.Chown(theirs, 65534, -1)); err != nil {
		t.Fatal(err)
	}
	if err := Sweep(context.Background(), "a", mkdir(t, filepath.Join(home, "own", "a")), theirs, &bytes.Buffer{}); err == nil || !exists(theirs) {
		t.Errorf("a sweep of another user's directory: %v", err)
	}
}

func TestSweepStopsWithContext(t *testing.T) {
	name, dir, runDir := testInstance(t)
	startOrphan(t, InstanceVariable+"="+name)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Sweep(ctx, name, dir, runDir, &bytes.Buffer{}); err == nil {
		t.Error("a sweep whose context is done said that all is swept")
	}
	if !exists(dir) {
		t.Error("the directory was removed before its processes were seen to be gone")
	}
}

// home stands for a directory of the user's that no sweep may touch.
func home(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(filepath.Dir(t.TempDir()), "home", "user")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
}

func mkdir(t *testing.T, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func mount(t *testing.T, source, dir, kind string, flags uintptr) {
	t.Helper()
	if err := unix.Mount(source, dir, kind, flags, ""); err != nil {
		t.Fatalf("mount %s on %s: %v", source, dir, err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
}

// TestSweepLoops: a loop device before a file of the instance's is found and
// detached, one before another's is not.
func TestSweepLoops(t *testing.T) {
	needRoot(t)
	name, dir, runDir := testInstance(t)
	// Another process may have got the device since: the file tells.
	attached := func(device, file string) bool {
		b, _ := os.ReadFile("/sys/block/" + filepath.Base(device) + "/loop/backing_file")
		return strings.HasPrefix(string(b), file) // " (deleted)" follows the name of one that is gone
	}
	attach := func(file string) string {
		t.Helper()
		write(t, file, strings.Repeat("\x00", 1<<20))
		out, err := exec.Command("losetup", "--find", "--show", file).CombinedOutput()
		if err != nil {
			t.Fatalf("losetup: %v: %s", err, out)
		}
		device := strings.TrimSpace(string(out))
		t.Cleanup(func() {
			if attached(device, file) {
				_ = exec.Command("losetup", "-d", device).Run()
			}
		})
		return device
	}
	image, otherImage := filepath.Join(dir, "volume.img"), filepath.Join(t.TempDir(), "volume.img")
	mine, other := attach(image), attach(otherImage)
	if !attached(mine, image) {
		t.Errorf("%s is not attached to %s", mine, image)
	}
	found, err := Scan(name, dir, runDir)
	if err != nil || len(found.Loops) != 1 || found.Loops[0] != mine || !found.Running() {
		t.Errorf("found %v (error %v), want %s", found.Loops, err, mine)
	}
	var log bytes.Buffer
	if err := Sweep(context.Background(), name, dir, runDir, &log); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	if left, kept := attached(mine, image), attached(other, otherImage); left || !kept {
		t.Errorf("%s is attached: %v, and %s: %v\n%s", mine, left, other, kept, log.String())
	}
}

// TestSweepLoopMountedElsewhere: a volume of which a process with a mount namespace of its own
// has a copy is unmounted there, too, and its device detached.
func TestSweepLoopMountedElsewhere(t *testing.T) {
	needRoot(t)
	name, dir, runDir := testInstance(t)
	image, volume := filepath.Join(dir, "volume.img"), filepath.Join(dir, "volume")
	for _, argv := range [][]string{
		{"mkdir", volume}, {"truncate", "-s", "8M", image}, {"mkfs.ext4", "-q", image}, {"mount", "-o", "loop", image, volume},
	} {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", argv, err, out)
		}
	}
	t.Cleanup(func() { _ = unix.Unmount(volume, unix.MNT_DETACH) }) // EINVAL: it is unmounted
	// Its first line says that it has its own namespace.
	other := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-c", "echo; exec sleep 600")
	ready, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() }) // killed
	if _, err := ready.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	copies := func() bool {
		t.Helper()
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/mounts", other.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(b), volume)
	}
	if !copies() {
		t.Fatal("the process has no copy of the mount: nothing is tested")
	}
	var log bytes.Buffer
	if err := Sweep(t.Context(), name, dir, runDir, &log); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	found, err := Scan(name, dir, runDir)
	if err != nil || found.String() != "" || copies() {
		t.Errorf("left: %s, error %v, in the other namespace: %v", found, err, copies())
	}
}
