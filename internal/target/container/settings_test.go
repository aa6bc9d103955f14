package container

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/containerd/cgroups/v3"
	"github.com/google/go-cmp/cmp"
	"github.com/moby/sys/mountinfo"
	specs "github.com/opencontainers/runtime-spec/specs-go"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// study is the node of the first study: 56 CPUs, one system pod that requests
// 250m.
func study() machine {
	return machine{
		capacity: node.Resources{CPU: 56000, Memory: 256 << 30},
		reserved: node.Resources{Memory: node.EvictionThreshold},
		others:   node.Resources{CPU: 250},
		topology: cpus(56),
	}
}

// cpus is a machine of one socket with one thread a core.
func cpus(n int) node.Topology {
	var all node.Topology
	for id := range n {
		all = append(all, node.Processor{ID: id, Core: id})
	}
	return all
}

func TestRequirements(t *testing.T) {
	const gi = 1 << 30
	both := func(cpu node.CPU, memory node.Bytes) node.Requirements {
		r := node.Resources{CPU: cpu, Memory: memory}
		return node.Requirements{Request: r, Limit: r}
	}
	for _, c := range []struct {
		name  string
		s     Settings
		want  node.Requirements
		class node.QoS
	}{
		{"nothing said", Settings{}, node.Requirements{}, node.BestEffort},
		{"all that fits", Settings{QoS: node.Guaranteed}, both(55750, 256*gi-node.EvictionThreshold), node.Guaranteed},
		{"max", Settings{CPU: node.MaxCPU, Memory: 4 * gi}, both(55750, 4*gi), node.Guaranteed},
		{"the study's", Settings{QoS: node.Guaranteed, CPU: 55500, Memory: 4 * gi}, both(55500, 4*gi), node.Guaranteed},
		{"requests alone", Settings{CPURequest: 100, MemoryRequest: gi},
			node.Requirements{Request: node.Resources{CPU: 100, Memory: gi}}, node.Burstable},
		{"memory limit alone", Settings{Memory: gi},
			node.Requirements{Request: node.Resources{Memory: gi}, Limit: node.Resources{Memory: gi}}, node.Burstable},
		{"request max", Settings{CPURequest: node.MaxCPU}, node.Requirements{Request: node.Resources{CPU: 55750}}, node.Burstable},
	} {
		got := c.s.requirements(study())
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if class := node.Class(got); class != c.class {
			t.Errorf("%s: %s, want %s", c.name, class, c.class)
		}
		if errs := append(c.s.check(study()), c.s.contradictions()); errors.Join(errs...) != nil {
			t.Errorf("%s: %v", c.name, errs)
		}
	}
}

// Each mistake is answered with the fix.
func TestMistakes(t *testing.T) {
	const gi = 1 << 30
	for _, c := range []struct {
		s    Settings
		want string
	}{
		{Settings{QoS: node.Guaranteed, CPU: 56000},
			"cpu: 56 requested, 55750m can be allocated: 56000m minus 250m requested by other pods; write cpu: 55750m or cpu: max"},
		{Settings{CPURequest: 60000}, "cpu: 60 requested, 55750m can be allocated"},
		{Settings{CPU: 57000, CPURequest: 1000}, "cpu: a limit of 57 is above this machine's 56; write cpu: 56 or leave it out"},
		{Settings{QoS: node.Guaranteed, Memory: 256 * gi},
			"memory: 256Gi requested, 262044Mi can be allocated: 256Gi minus 100Mi reserved for the system; write memory: 262044Mi"},
		{Settings{Memory: 300 * gi, MemoryRequest: gi}, "memory: a limit of 300Gi is above this machine's 256Gi"},
		{Settings{QoS: node.BestEffort, Memory: gi}, "write qos: Burstable"},
		{Settings{QoS: node.BestEffort, CPU: node.MaxCPU}, "leave cpu, memory, cpuRequest and memoryRequest out"},
		{Settings{QoS: node.Burstable}, "write cpuRequest or memoryRequest"},
		{Settings{QoS: node.Burstable, CPU: 1000, Memory: gi}, "make the pod Guaranteed; write qos: Guaranteed"},
		{Settings{QoS: node.Guaranteed, CPU: 1000, CPURequest: 500}, "leave cpuRequest out or write cpu: 500m"},
		{Settings{QoS: node.Guaranteed, MemoryRequest: gi}, "leave memoryRequest out or write memory: 1Gi"},
		{Settings{CPU: 1000, CPURequest: 2000}, "cpuRequest: 2 is more than the limit cpu: 1"},
		{Settings{Memory: 1000, MemoryRequest: 2000}, "memoryRequest: 2k is more than the limit memory: 1k"},
		{Settings{Runtime: "docker"}, "write runc or crun"},
	} {
		err := errors.Join(append(c.s.check(study()), c.s.contradictions())...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v\nwant: %s", c.s, err, c.want)
		}
	}
}

// Contradictions are told when the target is made, before there is a machine.
func TestNewRefuses(t *testing.T) {
	_, err := New(func(into any) error {
		into.(*Settings).QoS = node.BestEffort
		into.(*Settings).CPU = 1000
		return nil
	}, Env{})
	if err == nil || !strings.Contains(err.Error(), "BestEffort") {
		t.Errorf("BestEffort with a CPU limit: %v", err)
	}
	broken := errors.New("line 3: unknown field")
	if _, err := New(func(any) error { return broken }, Env{}); !errors.Is(err, broken) {
		t.Errorf("settings that cannot be decoded: %v", err)
	}
}

// What is checked against the buffer pool is what the cgroup will hold.
func TestLimits(t *testing.T) {
	made, err := New(func(into any) error {
		into.(*Settings).QoS = node.Guaranteed
		into.(*Settings).Neighbour = &node.Neighbour{CPU: 1000, Request: 500, MemoryRequest: 1 << 30}
		return nil
	}, Env{Capacity: node.Resources{CPU: 2000, Memory: 8 << 30}, Reserved: node.Resources{CPU: 100}})
	if err != nil {
		t.Fatal(err)
	}
	c := made.(*Container)
	if cpu, memory := c.CPULimit(), c.MemoryLimit(); cpu != 1400 || memory != 7<<30-100<<20 {
		t.Errorf("limits %v and %v, want 1400m and 7068Mi", cpu, node.Bytes(memory))
	}
	if errs := c.settings.check(c.machine); len(errs) > 0 {
		t.Error(errs)
	}
}

func TestCheckRoot(t *testing.T) {
	dir := t.TempDir()
	if errs := checkRoot(mysqld.Distribution{Root: dir, Server: "/usr/sbin/mysqld"}); len(errs) != 1 {
		t.Errorf("a root file system without a server: %v", errs)
	}
	t.Setenv("PATH", dir)
	if _, err := findRuntime(""); err == nil || !strings.Contains(err.Error(), "apt install runc") {
		t.Errorf("no runtime: %v", err)
	}
}

func TestRuntimeFits(t *testing.T) {
	for mode, crun := range map[cgroups.CGMode]bool{cgroups.Legacy: true, cgroups.Hybrid: false, cgroups.Unified: true} {
		if err := runtimeFits("/usr/bin/crun", mode); (err == nil) != crun {
			t.Errorf("crun in mode %v: %v", mode, err)
		}
		if err := runtimeFits("/usr/sbin/runc", mode); err != nil {
			t.Errorf("runc in mode %v: %v", mode, err)
		}
	}
}

func TestSubmounts(t *testing.T) {
	mounts := []*mountinfo.Info{
		{Mountpoint: "/"}, {Mountpoint: "/usr"}, {Mountpoint: "/usr/local"}, {Mountpoint: "/proc"}, {Mountpoint: "/etc/hosts"},
		{Mountpoint: "/srv/db"}, {Mountpoint: "/home"}, {Mountpoint: "/img"}, {Mountpoint: "/img/usr"}, {Mountpoint: "/usrx"},
	}
	if d := cmp.Diff([]string{"/usr", "/usr/local", "/etc/hosts", "/srv/db"}, submounts("/", "/srv/db/bin/mysqld", mounts)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"/usr"}, submounts("/img", "/usr/sbin/mysqld", mounts)); d != "" {
		t.Error(d)
	}
}

func TestOverlayOptions(t *testing.T) {
	got := newLayers(`/a:b,c\d`, "/dir").options()
	if want := `lowerdir=/a\:b\,c\\d,upperdir=/dir/upper,workdir=/dir/work`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The configuration as a whole, to be seen when it changes.
func TestSpec(t *testing.T) {
	shares, quota, period, limit := uint64(1536), int64(150000), uint64(100000), int64(1<<30)
	b := bundle{
		request: target.Request{
			Name: "t1", Dir: "/state/t1", RunDir: "/run/tare/t1", DataDir: "/state/t1/data", Log: io.Discard,
			Distribution: mysqld.Distribution{Root: "/img", UID: 999, GID: 998},
		},
		volume: volume{data: "/state/t1/data", tmp: "/state/t1/tmp"},
		rootfs: "/state/t1/container/rootfs", args: []string{"/usr/sbin/mysqld", "--defaults-file=/mnt/tare/run/my.cnf"},
		submounts: []string{"/usr"}, cgroup: "/tare-t1/podserver/server", oomAdj: -997, unified: true,
		openFiles: specs.POSIXRlimit{Type: "RLIMIT_NOFILE", Soft: 1024, Hard: 524288},
		resources: &specs.LinuxResources{
			CPU:    &specs.LinuxCPU{Shares: &shares, Quota: &quota, Period: &period},
			Memory: &specs.LinuxMemory{Limit: &limit}, Unified: map[string]string{"memory.oom.group": "1"},
		},
	}
	got, err := json.MarshalIndent(b.spec(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/config.golden.json"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)+"\n"); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}
