package container_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/container"
	"github.com/tarebench/tare/internal/target/targettest"
)

// TestMain lets the test binary be a neighbour's process.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "neighbour" {
		if err := node.RunNeighbour(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(targettest.Main(m))
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
}

func newTarget(t *testing.T, s container.Settings) target.Target {
	t.Helper()
	env := container.Env{Neighbour: []string{os.Args[0], "neighbour"}, Generator: []string{"/bin/sh", "-c", `cat "$0"; cat /proc/self/cgroup; cat /proc/self/net/dev`}}
	c, err := container.New(func(into any) error { *into.(*container.Settings) = s; return nil }, env)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestContainer runs the suite that every target passes.
func TestContainer(t *testing.T) {
	needRoot(t)
	t.Parallel()
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			targettest.Run(t, func(t *testing.T) (target.Target, func() target.Request) {
				return newTarget(t, container.Settings{
					QoS: node.Burstable, CPURequest: 100, Neighbour: &node.Neighbour{CPU: 100, Memory: 1 << 20},
				}), targettest.Requests(t, d)
			})
		})
	}
}

// started starts a server, waits until it answers, and stops it at the end.
func started(t *testing.T, s container.Settings, r target.Request) target.Server {
	t.Helper()
	server, err := newTarget(t, s).Start(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Errorf("Stop: %v", err)
		}
		if found, err := target.Scan(r.Name, r.Dir, r.RunDir); err != nil || found.Running() {
			t.Errorf("left behind (error %v):\n%s", err, found)
		}
	})
	if err := mysqld.Ready(context.Background(), server.Address(), r.ReadyWithin, server.Alive); err != nil {
		t.Fatal(err)
	}
	return server
}

// inMemory has the instance's own block device be a file in memory, where there is space for it:
// what others do on the machine's disk does not slow it down.
func inMemory(t *testing.T, r target.Request) target.Request {
	t.Helper()
	dir, err := os.MkdirTemp(mysqldtest.TempDir(), "tare-")
	if err != nil {
		t.Fatal(err)
	}
	r.Dir = dir
	t.Cleanup(func() {
		_ = target.Sweep(context.Background(), r.Name, r.Dir, r.RunDir, io.Discard) // of a test that has failed
		os.RemoveAll(dir)
	})
	return r
}

func known(facts []record.Fact) map[string]string {
	m := map[string]string{}
	for _, f := range facts {
		m[f.Key] = f.Value
	}
	return m
}

// TestClasses: the server of every class is where a kubelet puts it, and the
// kernel holds what a kubelet writes.
func TestClasses(t *testing.T) {
	needRoot(t)
	t.Parallel()
	d := mysqldtest.Distributions(t)[0]
	request := targettest.Requests(t, d)
	capacity, err := node.Capacity()
	if err != nil {
		t.Fatal(err)
	}
	cpus := int64(capacity.CPU) / 1000
	for _, c := range []struct {
		name     string
		settings container.Settings
		cgroup   string
		want     map[string]string
	}{
		{"BestEffort", container.Settings{QoS: node.BestEffort}, "/besteffort/podserver/server", map[string]string{
			"cgroup.container.cpu.shares": "2", "cgroup.pod.cpu.shares": "2", "cgroup.besteffort.cpu.shares": "2",
			"cgroup.container.cpu.cfs_quota_us": "-1", "server.oom_score_adj": "1000",
			"pod.qos": "BestEffort", "pod.memory.limit": "none",
		}},
		{"Burstable", container.Settings{CPURequest: 500, Memory: 2 << 30, MemoryRequest: 1 << 30}, "/burstable/podserver/server", map[string]string{
			"cgroup.container.cpu.shares": "512", "cgroup.pod.cpu.shares": "512", "cgroup.burstable.cpu.shares": "512",
			"cgroup.container.cpu.cfs_quota_us": "-1", "cgroup.container.memory.limit_in_bytes": "2147483648", "pod.qos": "Burstable",
		}},
		{"Guaranteed", container.Settings{QoS: node.Guaranteed, Memory: 2 << 30}, "/podserver/server", map[string]string{
			"cgroup.container.cpu.shares": fmt.Sprint(cpus * 1024), "cgroup.kubepods.cpu.shares": fmt.Sprint(cpus * 1024),
			"cgroup.container.cpu.cfs_quota_us": fmt.Sprint(cpus * 100000), "cgroup.pod.cpu.cfs_quota_us": fmt.Sprint(cpus * 100000),
			"cgroup.container.cpu.cfs_period_us":           "100000",
			"cgroup.container.memory.limit_in_bytes":       "2147483648",
			"cgroup.pod.memory.limit_in_bytes":             "2147483648",
			"cgroup.container.memory.memsw.limit_in_bytes": "2147483648",
			"server.oom_score_adj.wanted":                  "-997", "pod.qos": "Guaranteed",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := request()
			facts := known(started(t, c.settings, r).Facts(context.Background(), "start"))
			if facts["cgroup.pod.cpu.weight"] != "" {
				t.Skip("this machine has cgroup v2: its values are those of package node's golden file")
			}
			for key, want := range c.want {
				if facts[key] != want {
					t.Errorf("%s: the kernel says %q, want %q", key, facts[key], want)
				}
			}
			if want := ":/tare-" + r.Name + c.cgroup + "\n"; strings.Count(facts["server.cgroup"]+"\n", want) < 8 {
				t.Errorf("the server is in these cgroups, want %s:\n%s", want, facts["server.cgroup"])
			}
		})
	}
}

// TestIsolation: the server has what a pod's container has and no more, its
// files are an overlay of its own, and its lower layer is not written to.
func TestIsolation(t *testing.T) {
	needRoot(t)
	t.Parallel()
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			r := targettest.Requests(t, d)()
			s := started(t, container.Settings{}, r)
			facts := known(s.Facts(context.Background(), "start"))
			for kind, want := range map[string]string{"pid": "its own", "mnt": "its own", "uts": "its own", "ipc": "its own", "net": "the host's", "user": "the host's"} {
				if got := facts["container.namespace."+kind]; got != want {
					t.Errorf("namespace %s is %s, want %s", kind, got, want)
				}
			}
			if got, want := facts["server.uid"], fmt.Sprint(d.UID); strings.Fields(got)[0] != want {
				t.Errorf("the server runs as %s, want %s", got, want)
			}
			var out strings.Builder
			script := "grep ' / ' /proc/mounts; cat /proc/1/comm; cat /proc/sys/kernel/hostname; grep CapEff /proc/self/status; test -z \"$(ls /sys/firmware)\" && echo masked; touch /tmp/mark && echo marked; echo x > /proc/sys/vm/swappiness || echo kept"
			err := s.Exec(context.Background(), target.ServerSide, target.Command{Path: "/bin/sh", Args: []string{"-c", script}, Stdout: &out, Stderr: &out})
			for _, want := range []string{"overlay / overlay rw", "\n" + filepath.Base(d.Server) + "\n", "\n" + r.Name + "\n", "CapEff:\t0000000000000000", "masked", "marked", "kept"} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("inside (error %v), want %q:\n%s", err, want, out.String())
				}
			}
			if _, err := os.Stat(d.Root + "/tmp/mark"); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a file written in the container is in its lower layer: %v", err)
			}
		})
	}
}

// TestNeighbour: both pods are in one tree, and the neighbour's request lifts
// its tier.
func TestNeighbour(t *testing.T) {
	needRoot(t)
	t.Parallel()
	r := targettest.Requests(t, mysqldtest.Distributions(t)[0])()
	s := started(t, container.Settings{
		CPURequest: 500, Neighbour: &node.Neighbour{CPU: 1000, Request: 250},
	}, r)
	facts := known(s.Facts(context.Background(), "start"))
	for key, want := range map[string]string{
		"cgroup.burstable.cpu.shares": "768", "neighbour.cgroup.container.cpu.shares": "256", "neighbour.alive": "yes",
	} {
		if facts[key] != want && facts["cgroup.pod.cpu.weight"] == "" {
			t.Errorf("%s is %q, want %q", key, facts[key], want)
		}
	}
	if !strings.Contains(facts["neighbour.cgroup"], "/tare-"+r.Name+"/burstable/podneighbour/neighbour") {
		t.Errorf("the neighbour is in\n%s", facts["neighbour.cgroup"])
	}
}

// TestOutOfMemory: a server that needs more than its limit is killed by the
// kernel, and Alive says so.
func TestOutOfMemory(t *testing.T) {
	needRoot(t)
	t.Parallel()
	r := targettest.Requests(t, mysqldtest.Distributions(t)[0])()
	server, err := newTarget(t, container.Settings{CPURequest: 500, Memory: 32 << 20}).Start(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	err = mysqld.Ready(context.Background(), server.Address(), r.ReadyWithin, server.Alive)
	if !errors.Is(err, mysqld.ErrDied) || !strings.Contains(err.Error(), "reached its memory limit of 32 MiB") {
		t.Errorf("with 32 MiB the server: %v", err)
	}
	if err := server.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestEndsWithReason: a server that refuses to start says why.
func TestEndsWithReason(t *testing.T) {
	needRoot(t)
	t.Parallel()
	r := targettest.Requests(t, mysqldtest.Distributions(t)[0])()
	r.Config = map[string]string{"innodb_page_size": "3000"}
	server, err := newTarget(t, container.Settings{}).Start(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	err = mysqld.Ready(context.Background(), server.Address(), r.ReadyWithin, server.Alive)
	if err == nil || !strings.Contains(err.Error(), "exit status") || !strings.Contains(err.Error(), "page") {
		t.Errorf("%v; want its exit status and what it said about the page size", err)
	}
	if err := server.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestRuntimeKilled: the server outlives its runtime's process, and Stop takes it
// down all the same.
func TestRuntimeKilled(t *testing.T) {
	needRoot(t)
	r := targettest.Requests(t, mysqldtest.Distributions(t)[0])()
	server := started(t, container.Settings{}, r)
	found, err := target.Scan(r.Name, r.Dir, r.RunDir)
	if err != nil {
		t.Fatal(err)
	}
	killed := false
	for _, p := range found.Processes {
		if p.Command == "runc" || p.Command == "crun" {
			killed = syscall.Kill(p.PID, syscall.SIGKILL) == nil
		}
	}
	if !killed {
		t.Fatalf("no runtime among\n%s", found)
	}
	if err := server.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestOpenFiles: the server gets tare's own limit of open files, soft and hard,
// as in the process target; a runtime built with Go would raise the soft one. It
// runs beside no other test: the limit is this process's.
func TestOpenFiles(t *testing.T) {
	needRoot(t)
	var own syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &own); err != nil {
		t.Fatal(err)
	}
	lower := own
	lower.Cur = 1234
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &lower); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &own); err != nil {
			t.Error(err)
		}
	})
	r := targettest.Requests(t, mysqldtest.Distributions(t)[0])()
	// A server this small does not ask for more by itself.
	r.Config = map[string]string{"open_files_limit": "500", "max_connections": "10", "table_open_cache": "100"}
	server, err := newTarget(t, container.Settings{}).Start(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	got := known(server.Facts(context.Background(), "start"))["server.limits.open_files"]
	if err := server.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	if want := fmt.Sprintf("1234 %d", own.Max); got != want {
		t.Errorf("the server may open %s files, want %s", got, want)
	}
}
