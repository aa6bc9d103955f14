package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/containerd/cgroups/v3"
	"github.com/containerd/cgroups/v3/cgroup1"
	"github.com/containerd/cgroups/v3/cgroup2"
	specs "github.com/opencontainers/runtime-spec/specs-go"

	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// bound puts a process into a cgroup of half a CPU and a memory limit. The returned function
// changes the quota, in microseconds of each period of 100 ms.
func bound(t *testing.T, pid int, memory int64) (change func(quota int64)) {
	t.Helper()
	period := uint64(100_000)
	path := fmt.Sprintf("/tare-lint-live-%d", pid)
	limits := func(quota int64) *specs.LinuxResources {
		return &specs.LinuxResources{CPU: &specs.LinuxCPU{Quota: &quota, Period: &period}, Memory: &specs.LinuxMemory{Limit: &memory}}
	}
	resources := limits(50_000)
	var enter func(uint64) error
	var remove func() error
	var update func(*specs.LinuxResources) error
	if cgroups.Mode() == cgroups.Unified {
		m, err := cgroup2.NewManager("/sys/fs/cgroup", path, cgroup2.ToResources(resources))
		if err != nil {
			t.Fatal(err)
		}
		enter, remove = m.AddProc, m.Delete
		update = func(r *specs.LinuxResources) error { return m.Update(cgroup2.ToResources(r)) }
	} else {
		c, err := cgroup1.New(cgroup1.StaticPath(path), resources)
		if err != nil {
			t.Fatal(err)
		}
		enter, remove = func(pid uint64) error { return c.AddProc(pid) }, c.Delete
		update = c.Update
	}
	t.Cleanup(func() {
		if err := remove(); err != nil {
			t.Error(err)
		}
	})
	if err := enter(uint64(pid)); err != nil {
		t.Fatal(err)
	}
	return func(quota int64) {
		t.Helper()
		if err := update(limits(quota)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLintLive asks a real server in a real cgroup. What it says follows from the
// container's limits: by the machine's memory the pool would be small as well, but
// the size to write is the container's.
func TestLintLive(t *testing.T) {
	t.Parallel()
	d := mysqldtest.Flavour(t, "mysql")
	server := mysqldtest.Start(t, d, map[string]string{"innodb_buffer_pool_size": "128M", "general_log": "ON"})
	quota := bound(t, server.PID, 2<<30)
	t.Cleanup(func() { server.Stop(t) }) // before its cgroup goes

	var out, conversation bytes.Buffer
	term := &terminal{in: os.Stdin, out: &out, err: &conversation}
	args := []string{"lint", "--live", server.Address.Socket, "--user", server.Address.User}
	if code := run(args, term); code != exitGate {
		t.Fatalf("exit code %d\n%s%s", code, out.String(), conversation.String())
	}
	for _, want := range []string{
		`MySQL \d+\.\d+; CPU limit 500m, memory limit 2Gi \(the machine has \d+[MG]i\); buffer pool 128Mi`,
		`@@innodb_buffer_pool_size: error: buffer pool 128Mi \(set in the running server\) with a memory limit of 2Gi \[M-BP-01\]`,
		`Fix: innodb_buffer_pool_size=1G in \[mysqld\]`,
		`@@general_log: error: general_log is on`,
		`cgroups of process \d+: warning: a CPU limit of 500m: one busy thread .* \[K-CFS-02\]`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("nothing of %s in\n%s", want, out.String())
		}
	}

	// Whether the server would fit in a smaller container is asked with its limit.
	out.Reset()
	if code := run(append(args, "--memory", "256Mi"), term); code != exitGate || !regexp.MustCompile(`memory limit 256Mi .*(?s:.*)\[M-BP-02\]`).MatchString(out.String()) {
		t.Errorf("exit code %d\n%s", code, out.String())
	}
	out.Reset()
	if code := run(append(args, "--format", "json"), term); code != exitGate || !bytes.Contains(out.Bytes(), []byte(`"file": "@@general_log"`)) {
		t.Errorf("exit code %d\n%s", code, out.String())
	}
	for _, wrong := range [][]string{append(args, "--fix"), append(args, "x.yaml"), append(args, "--format", "sarif"), append(args, "--server-version", "8.0"), {"lint", "--live", "host:port"}} {
		if code := run(wrong, term); code != exitInvalid {
			t.Errorf("%q: exit code %d", wrong, code)
		}
	}
	explainsLive(t, server)
	capturesLive(t, server)
	namesCauses(t, server, quota)
	nobody := filepath.Join(t.TempDir(), "none.sock")
	if code := run([]string{"lint", "--live", nobody}, term); code != exitFailed {
		t.Errorf("no server: exit code %d", code)
	}
}
