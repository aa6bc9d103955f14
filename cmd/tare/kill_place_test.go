package main

// The part of the machine in which a test kills tare: a network namespace of its own, so
// that whatever is left in it is seen while other tests run beside it. A mount namespace of
// its own would hold the mounts of other tests.

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
)

// place is held by a process that waits for the end of its input, so that it ends with the
// test, however that ends.
type place struct {
	holder *exec.Cmd
	dir    string // all files of the test
	links  *netlink.Handle
	before []string
}

// newPlace makes the namespace. Everything that tare makes for a run whose state is in dir
// is in it, or carries the directory or the instance's name.
func newPlace(t *testing.T, dir string) *place {
	t.Helper()
	p := &place{holder: exec.Command("cat"), dir: dir}
	p.holder.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNET}
	input, err := p.holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.holder.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		_ = p.holder.Wait()
	})
	namespace, err := netns.GetFromPid(p.holder.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer namespace.Close()
	if p.links, err = netlink.NewHandleAt(namespace); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.links.Close)
	loopback, err := p.links.LinkByName("lo")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.links.LinkSetUp(loopback); err != nil {
		t.Fatal(err)
	}
	p.before = p.snapshot(t, nil)
	return p
}

// command is a program in the namespace.
func (p *place) command(program string, args ...string) *exec.Cmd {
	return exec.Command("nsenter", append([]string{"--net=" + p.proc(p.holder.Process.Pid, "ns/net"), "--", program}, args...)...)
}

// snapshot is what there is: interfaces and packet filters of the namespace, and processes,
// mounts, loop devices, cgroups and network namespaces of the test or of the instances.
func (p *place) snapshot(t *testing.T, instances []string) []string {
	t.Helper()
	var all []string
	for what, found := range map[string]func(*testing.T, []string) []string{
		"interface": p.interfaces, "packet filter": p.filters, "process": p.processes, "mount": p.mounts, "loop device": p.loops,
		"cgroup": cgroupsNamed, "network namespace": namespacesNamed,
	} {
		for _, name := range found(t, instances) {
			all = append(all, what+" "+name)
		}
	}
	slices.Sort(all)
	return all
}

func (p *place) proc(pid int, file string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), file)
}

func (p *place) mounts(t *testing.T, instances []string) (found []string) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if strings.Contains(line, p.dir) || named(line, instances) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

func (p *place) interfaces(t *testing.T, _ []string) (found []string) {
	t.Helper()
	links, err := p.links.LinkList()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		found = append(found, l.Attrs().Name)
	}
	return found
}

// filters are the rules of nft and iptables.
func (p *place) filters(t *testing.T, _ []string) (found []string) {
	t.Helper()
	for _, command := range [][]string{{"nft", "list", "ruleset"}, {"iptables-save"}} {
		if _, err := exec.LookPath(command[0]); err != nil {
			continue
		}
		out, err := p.command(command[0], command[1:]...).Output()
		if err != nil {
			t.Fatalf("%v: %v", command, err)
		}
		for line := range strings.Lines(string(out)) {
			if !strings.HasPrefix(line, "#") { // the time of the listing
				found = append(found, strings.TrimSpace(line))
			}
		}
	}
	return found
}

// processes are those in the network namespace, frozen ones too, and those whose environment
// or command names the test's directory.
func (p *place) processes(t *testing.T, _ []string) (found []string) {
	t.Helper()
	own, err := os.Readlink(p.proc(p.holder.Process.Pid, "ns/net"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == p.holder.Process.Pid || pid == os.Getpid() {
			continue
		}
		namespace, err := os.Readlink(p.proc(pid, "ns/net"))
		if err != nil {
			continue // it has ended
		}
		environ, _ := os.ReadFile(p.proc(pid, "environ")) // of one that has ended: nothing
		command, _ := os.ReadFile(p.proc(pid, "cmdline"))
		if namespace == own || bytes.Contains(environ, []byte(p.dir)) || bytes.Contains(command, []byte(p.dir)) {
			found = append(found, fmt.Sprintf("%d %s", pid, bytes.ReplaceAll(command, []byte{0}, []byte{' '})))
		}
	}
	return found
}

// loops are the loop devices before files of the test.
func (p *place) loops(t *testing.T, _ []string) (found []string) {
	t.Helper()
	files, err := filepath.Glob("/sys/block/loop*/loop/backing_file")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(b), p.dir) {
			found = append(found, fmt.Sprintf("%s %s", file, b))
		}
	}
	return found
}

func cgroupsNamed(t *testing.T, instances []string) (found []string) {
	t.Helper()
	if len(instances) == 0 {
		return nil
	}
	err := filepath.WalkDir("/sys/fs/cgroup", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && named(e.Name(), instances) {
			found = append(found, path)
		}
		if errors.Is(err, fs.ErrNotExist) { // another test's, removed meanwhile
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func namespacesNamed(t *testing.T, instances []string) (found []string) {
	t.Helper()
	entries, err := os.ReadDir("/run/netns")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if named(e.Name(), instances) {
			found = append(found, e.Name())
		}
	}
	return found
}

// named tells whether a name has that of an instance in it.
func named(name string, instances []string) bool {
	return slices.ContainsFunc(instances, func(i string) bool { return strings.Contains(name, i) })
}

// asBefore compares the machine with what it was before the first run.
func (k *killable) asBefore(t *testing.T) {
	t.Helper()
	var instances []string
	for _, l := range k.seen {
		instances = append(instances, l.Name)
	}
	if diff := cmp.Diff(k.place.before, k.place.snapshot(t, instances)); diff != "" {
		k.tally.left++
		t.Errorf("the machine is not as it was (-before +now):\n%s", diff)
	}
}
