package container_test

// Each layer is shown to act: what the kernel counts changes, not only what it
// was told.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/container"
	"github.com/tarebench/tare/internal/target/targettest"
)

// only1 skips on a machine whose cgroups are version 2, where the files have
// other names.
func only1(t *testing.T, facts map[string]string) {
	t.Helper()
	if facts["cgroup.pod.cpu.weight"] != "" {
		t.Skip("this machine has cgroup v2: its values are those of package node's golden file")
	}
}

// inside runs a shell's script beside the server and returns what it prints.
func inside(t *testing.T, s target.Server, script string) string {
	t.Helper()
	var out strings.Builder
	c := target.Command{Path: "/bin/sh", Args: []string{"-c", script}, Stdout: &out, Stderr: &out}
	if err := s.Exec(context.Background(), target.ServerSide, c); err != nil {
		t.Errorf("%s: %v: %s", script, err, out.String())
	}
	return out.String()
}

// count is a number the kernel keeps now.
func count(t *testing.T, s target.Server, key string) int64 {
	t.Helper()
	text := known(s.Facts(context.Background(), "end"))[key]
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Errorf("%s: %v", key, err)
	}
	return n
}

// spin burns CPU on two threads for two seconds.
const spin = "for i in 1 2; do timeout 2 sh -c 'while :; do :; done' & done; wait; true"

// TestQuotaActs: a quota of half a CPU alone throttles two busy threads and lets
// them have no more, with the weight of any other cgroup; without it they have
// all there is.
func TestQuotaActs(t *testing.T) {
	needRoot(t)
	t.Parallel()
	request := targettest.Requests(t, mysqldtest.Distributions(t)[0])
	for _, c := range []struct {
		name  string
		quota container.Override[node.CPU]
	}{
		{"half a CPU", container.Override[node.CPU]{On: true, Amount: 500}},
		{"none", container.Override[node.CPU]{Off: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			off := false
			r := request()
			s := started(t, container.Settings{QoS: node.Guaranteed, Weight: &off, Quota: c.quota}, r)
			facts := known(s.Facts(context.Background(), "start"))
			only1(t, facts)
			quota := map[bool]string{true: "50000", false: "-1"}[c.quota.On]
			for key, want := range map[string]string{
				"cgroup.pod.cpu.cfs_quota_us": quota, "cgroup.container.cpu.cfs_quota_us": quota,
				"cgroup.pod.cpu.shares": "1024", "cgroup.container.cpu.shares": "1024", "cgroup.kubepods.cpu.shares": "1024",
				"pod.qos": "Guaranteed",
			} {
				if facts[key] != want {
					t.Errorf("%s: the kernel says %q, want %q", key, facts[key], want)
				}
			}
			// With a share of a busy machine it might never come to its quota.
			if err := os.WriteFile("/sys/fs/cgroup/cpu/tare-"+r.Name+"/cpu.shares", []byte("262144"), 0); err != nil {
				t.Fatal(err)
			}
			since := time.Now() // before the counters, so that a pause between the two makes the time too long and the use no larger
			before, usage := count(t, s, "cgroup.container.cpu.stat.nr_throttled"), count(t, s, "cgroup.container.cpuacct.usage")
			throttled := int64(0)
			// A busy machine may not let it come to its quota at once.
			for tries := 0; tries < 20 && throttled == 0; tries++ {
				inside(t, s, spin)
				if throttled = count(t, s, "cgroup.container.cpu.stat.nr_throttled") - before; !c.quota.On {
					break
				}
			}
			used, passed := count(t, s, "cgroup.container.cpuacct.usage")-usage, time.Since(since)
			if c.quota.On != (throttled > 0) {
				t.Errorf("throttled in %d periods", throttled)
			}
			// A period's quota may be used at either end of the time that was looked at.
			if most := passed/2 + node.DefaultPeriod; c.quota.On && used > int64(most) {
				t.Errorf("used %v in %v, more than half a CPU", time.Duration(used), passed)
			}
		})
	}
}

// TestExclusiveActs: the server and what runs in its container have a CPU of their own,
// the pods beside it have the others, and no pod can request that of the system.
func TestExclusiveActs(t *testing.T) {
	needRoot(t)
	t.Parallel()
	capacity, err := node.Capacity()
	if err != nil {
		t.Fatal(err)
	}
	if capacity.CPU < 2000 {
		t.Skip("a machine of one CPU has none to give away")
	}
	others := node.CPUSet{0}
	for cpu := 2; node.CPU(cpu)*1000 < capacity.CPU; cpu++ {
		others = append(others, cpu)
	}
	s := started(t, container.Settings{
		QoS: node.Guaranteed, CPU: 1000, Memory: 1 << 30, Exclusive: container.Override[node.CPU]{On: true},
		Neighbour: &node.Neighbour{CPU: 100}, ClientCPU: 300,
	}, targettest.Requests(t, mysqldtest.Distributions(t)[0])())
	if err := s.Capabilities().Generate(context.Background(), []byte("job\n"), func(int, []byte) error { return nil }); err != nil {
		t.Fatal(err)
	}
	facts := known(s.Facts(context.Background(), "start"))
	only1(t, facts)
	for key, want := range map[string]string{
		"cgroup.container.cpuset.effective_cpus":           "1",
		"neighbour.cgroup.container.cpuset.effective_cpus": others.String(),
		"client.cgroup.container.cpuset.effective_cpus":    others.String(),
		"cgroup.kubepods.cpu.shares":                       fmt.Sprint(node.Shares(capacity.CPU - 1000)),
		"server.cpus_allowed":                              "1",
		"cgroup.container.cpu.cfs_quota_us":                "-1", // a kubelet of today
		"cgroup.container.cpu.shares":                      "1024",
		"pod.enforced.cpus":                                "1",
	} {
		if facts[key] != want {
			t.Errorf("%s: the kernel says %q, want %q", key, facts[key], want)
		}
	}
	if got := inside(t, s, "nproc"); got != "1\n" {
		t.Errorf("in the container there are %s CPUs", got)
	}
}

// TestMemoryLimitActs: the limit counts the page cache, and nothing else of the
// pod changes.
func TestMemoryLimitActs(t *testing.T) {
	needRoot(t)
	t.Parallel()
	const limit = 512 << 20
	s := started(t, container.Settings{MemoryLimit: container.Override[node.Bytes]{On: true, Amount: limit}},
		targettest.Requests(t, mysqldtest.Distributions(t)[0])())
	facts := known(s.Facts(context.Background(), "start"))
	only1(t, facts)
	for key, want := range map[string]string{
		"pod.qos": "BestEffort", "cgroup.container.cpu.shares": "2", "server.oom_score_adj": "1000",
		"cgroup.pod.memory.limit_in_bytes": fmt.Sprint(limit), "cgroup.container.memory.limit_in_bytes": fmt.Sprint(limit),
	} {
		if facts[key] != want {
			t.Errorf("%s: the kernel says %q, want %q", key, facts[key], want)
		}
	}
	// A file of holes is read from no disk, and takes as many pages as any other.
	inside(t, s, "truncate -s 640M /mnt/tare/tmp/cache && cat /mnt/tare/tmp/cache >/dev/null")
	if got := count(t, s, "cgroup.container.memory.max_usage_in_bytes"); got < limit*9/10 || got > limit {
		t.Errorf("640 MiB of page cache came to %d bytes in the cgroup of %d", got, limit)
	}
	if kills := count(t, s, "cgroup.container.memory.oom_control.oom_kill"); kills != 0 {
		t.Errorf("page cache alone led to %d kills", kills)
	}
}

// TestStorageActs: the server's data directory is what the arm says, in its own
// mount namespace, and holds the data; nothing of it is left.
func TestStorageActs(t *testing.T) {
	needRoot(t)
	t.Parallel()
	request := targettest.Requests(t, mysqldtest.Distributions(t)[0])
	for _, c := range []struct {
		name     string
		settings container.Settings
		want     map[string]string
	}{
		{"hostPath", container.Settings{Volume: "hostPath"}, map[string]string{"container.volume": "hostPath"}},
		{"overlay", container.Settings{FileSystem: "overlay"}, map[string]string{"container.data.filesystem": "overlay"}},
		{"block", container.Settings{Volume: "block", VolumeSize: 512 << 20}, map[string]string{
			"container.data.filesystem": "ext4", "container.volume": "block", "container.block.direct_io": "1",
		}},
		{"tmpfs", container.Settings{Volume: "tmpfs"}, map[string]string{"container.data.filesystem": "tmpfs", "container.volume": "tmpfs"}},
		{"overlay on block", container.Settings{Volume: "block", FileSystem: "overlay", VolumeSize: 512 << 20}, map[string]string{
			"container.data.filesystem": "overlay", "container.volume": "block",
		}},
		{"overlay on tmpfs", container.Settings{Volume: "tmpfs", FileSystem: "overlay", VolumeSize: 1 << 30}, map[string]string{
			"container.data.filesystem": "overlay", "container.volume": "tmpfs",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := request()
			s := started(t, c.settings, r)
			facts := known(s.Facts(context.Background(), "start"))
			for key, want := range c.want {
				if facts[key] != want {
					t.Errorf("%s: the kernel says %q, want %q", key, facts[key], want)
				}
			}
			if got := inside(t, s, "stat -f -c %T /mnt/tare/data; ls /mnt/tare/data | grep -c '^mysql$'; stat -c %U /mnt/tare/data/ibdata1"); !strings.Contains(got, "\n1\n") || strings.Contains(got, "root") {
				t.Errorf("in the container:\n%s", got)
			}
			// With a volume, the data are there only once.
			onVolume := c.settings.Volume == "block" || c.settings.Volume == "tmpfs"
			if files, err := os.ReadDir(r.DataDir); err != nil || (len(files) == 0) != onVolume {
				t.Errorf("the data directory has %d files, error %v", len(files), err)
			}
			found, err := target.Scan(r.Name, r.Dir, r.RunDir)
			if err != nil || (len(found.Loops) == 1) != (c.settings.Volume == "block") {
				t.Errorf("loop devices %v, error %v", found.Loops, err)
			}
			if c.settings.Volume == "tmpfs" && facts["cgroup.pod.cpu.weight"] == "" {
				// The files are memory of the pod's, as an init container's would be.
				pod, own := count(t, s, "cgroup.pod.memory.usage_in_bytes"), count(t, s, "cgroup.container.memory.usage_in_bytes")
				if pod < own+10<<20 {
					t.Errorf("the pod has %d bytes, its container %d: the data does not count", pod, own)
				}
			}
		})
	}
}

// TestContainerStorage runs the suite with a block device and the container's file
// system on it: stop, cancel and a killed tare leave neither.
func TestContainerStorage(t *testing.T) {
	needRoot(t)
	t.Parallel()
	targettest.Run(t, func(t *testing.T) (target.Target, func() target.Request) {
		return newTarget(t, container.Settings{
			Volume: "block", FileSystem: "overlay", VolumeSize: 512 << 20,
		}), targettest.Requests(t, mysqldtest.Distributions(t)[0])
	})
}

// TestIOActs: bounds hold within a tenth for what reads and writes past the page
// cache, and the operations the kernel counts are what is compared.
func TestIOActs(t *testing.T) {
	needRoot(t)
	t.Parallel()
	request := targettest.Requests(t, mysqldtest.Distributions(t)[0])
	for _, c := range []struct {
		name, script, key string
		io                container.IO
		want              float64 // a second
	}{
		{"500 IOPS", "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do (while :; do dd if=/mnt/tare/data/file of=/dev/null bs=4k iflag=direct 2>/dev/null; done) & done; wait", // one alone has as many as the latency allows
			"io_serviced.%s.Read", container.IO{ReadIOPS: 500}, 500},
		{"8 MiB/s", "while :; do dd if=/dev/zero of=/mnt/tare/data/file bs=256k count=64 oflag=direct conv=notrunc 2>/dev/null; done",
			"io_service_bytes.%s.Write", container.IO{WriteBandwidth: 8 << 20}, 8 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := started(t, container.Settings{Volume: "block", VolumeSize: 512 << 20, IO: c.io}, inMemory(t, request()))
			facts := known(s.Facts(context.Background(), "start"))
			only1(t, facts)
			inside(t, s, "head -c 16M /dev/zero >/mnt/tare/data/file; sync /mnt/tare/data/file")
			key := "cgroup.container.blkio.throttle." + fmt.Sprintf(c.key, facts["container.block.device.name"])
			holds(t, s, key, c.script, c.want)
		})
	}
}

// holds fails the test unless what the kernel counts in a second, while a script
// runs that does not end by itself, comes to within a tenth of the bound, and
// never above that. A busy machine lets the script have less, so it is looked at
// again until it has enough.
func holds(t *testing.T, s target.Server, key, script string, want float64) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- s.Exec(ctx, target.ServerSide, target.Command{Path: "/bin/sh", Args: []string{"-c", script}})
	}()
	time.Sleep(time.Second) // it starts, and the first bound second passes
	best := 0.0
	for tries := 0; tries < 20 && best < 0.9*want; tries++ {
		since := time.Now()
		before := count(t, s, key)
		time.Sleep(2 * time.Second)
		counted, passed := count(t, s, key)-before, time.Since(since)
		got := float64(counted) / passed.Seconds()
		t.Logf("%.0f a second", got)
		best = max(best, got)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the script: %v", err)
	}
	if best < 0.9*want || best > 1.1*want {
		t.Errorf("%s: %.0f a second at best, want %.0f within a tenth", key, best, want)
	}
}

// TestIOOfTheHostsDisk: a preset on a hostPath bounds the disk below it.
func TestIOOfTheHostsDisk(t *testing.T) {
	needRoot(t)
	t.Parallel()
	var gp3 container.IO
	if err := gp3.UnmarshalText([]byte("gp3")); err != nil {
		t.Fatal(err)
	}
	r := targettest.Requests(t, mysqldtest.Distributions(t)[0])()
	var st unix.Stat_t
	if err := unix.Stat(r.DataDir, &st); err != nil {
		t.Fatal(err)
	}
	major, minor, err := node.DiskOf(r.DataDir)
	if err != nil && unix.Major(st.Dev) == 0 { // devices.txt: such as have no device
		t.Skip(err) // which Check says
	}
	if err != nil {
		t.Fatal(err)
	}
	s := started(t, container.Settings{IO: gp3}, r)
	facts := known(s.Facts(context.Background(), "start"))
	only1(t, facts)
	for key, value := range map[string]int{
		"read_iops_device": 3000, "write_iops_device": 3000, "read_bps_device": 125 << 20, "write_bps_device": 125 << 20,
	} {
		if got, want := facts["cgroup.container.blkio.throttle."+key], fmt.Sprintf("%d:%d %d", major, minor, value); got != want {
			t.Errorf("%s: the kernel says %q, want %q", key, got, want)
		}
	}
	if facts["pod.io.preset"] != "gp3" {
		t.Errorf("preset %q", facts["pod.io.preset"])
	}
	// The limit of a server that runs changes (the fault slowDisk), and is the arm's again.
	const writes = "cgroup.container.blkio.throttle.write_iops_device"
	for _, c := range []struct {
		limit target.DiskLimit
		want  int
	}{{target.DiskLimit{ReadIOPS: 3000, WriteIOPS: 50}, 50}, {target.DiskLimit{}, 3000}} {
		if err := s.Capabilities().Throttle(c.limit); err != nil {
			t.Fatal(err)
		}
		if got, want := known(s.Facts(context.Background(), "start"))[writes], fmt.Sprintf("%d:%d %d", major, minor, c.want); got != want {
			t.Errorf("%+v: the kernel says %q, want %q", c.limit, got, want)
		}
	}
}

// TestSecurityActs: filter, privileges and capabilities are as the kernel has
// them, each without the others, for the server and for what runs beside it.
func TestSecurityActs(t *testing.T) {
	needRoot(t)
	t.Parallel()
	var none container.Capabilities
	if err := none.UnmarshalText([]byte("none")); err != nil {
		t.Fatal(err)
	}
	request := targettest.Requests(t, mysqldtest.Distributions(t)[0])
	const usual = "a80425fb" // the 14 of a container runtime
	for _, c := range []struct {
		name                             string
		settings                         container.Settings
		seccomp, privileges, capablities string
	}{
		{"nothing", container.Settings{}, "0", "0", usual},
		{"seccomp", container.Settings{Seccomp: "RuntimeDefault"}, "2", "0", usual},
		{"no new privileges", container.Settings{NoNewPrivileges: true}, "0", "1", usual},
		{"no capabilities", container.Settings{Capabilities: none}, "0", "0", "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := started(t, c.settings, request())
			facts := known(s.Facts(context.Background(), "start"))
			for key, want := range map[string]string{
				"server.seccomp": c.seccomp, "server.no_new_privs": c.privileges, "container.capabilities.bounding": c.capablities,
			} {
				if facts[key] != want {
					t.Errorf("%s: the kernel says %q, want %q", key, facts[key], want)
				}
			}
			beside := inside(t, s, "grep -E '^(Seccomp|NoNewPrivs|CapBnd):' /proc/self/status")
			for _, want := range []string{"Seccomp:\t" + c.seccomp, "NoNewPrivs:\t" + c.privileges, c.capablities + "\n"} {
				if !strings.Contains(beside, want) {
					t.Errorf("beside the server, want %q:\n%s", want, beside)
				}
			}
		})
	}
}
