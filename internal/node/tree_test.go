package node

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
)

// newTestTree makes a real tree that the test's end removes.
func newTestTree(t *testing.T, name string) (*Tree, Resources) {
	t.Helper()
	capacity, err := Capacity()
	if err != nil {
		t.Fatal(err)
	}
	return newTestTreeOf(t, name, capacity, Resources{}), capacity
}

// newTestTreeOf is one of a node of this capacity.
func newTestTreeOf(t *testing.T, name string, capacity, reserved Resources) *Tree {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("cgroups can be made by root only")
	}
	tree, err := NewTree(fmt.Sprintf("test-%s-%d", name, os.Getpid()), capacity, reserved)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tree.Remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := tree.Create(); err != nil {
		t.Fatal(err)
	}
	return tree
}

// values are the facts of a phase by key; the test fails for a fact with
// neither a value nor a reason.
func values(t *testing.T, facts []record.Fact, phase string) map[string]string {
	t.Helper()
	m := map[string]string{}
	for _, f := range facts {
		if f.Phase != phase || f.Source == "" || (f.Value == "" && f.Unknown == "") {
			t.Errorf("fact without phase, source or value: %+v", f)
		}
		if f.Unknown == "" {
			m[f.Key] = f.Value
		}
	}
	return m
}

// A pod without CPUs of its own has those of the shared pool once there is one.
func TestShare(t *testing.T) {
	tree, _ := newTestTree(t, "share")
	for _, c := range []struct {
		name string
		own  CPUSet
		want string
	}{{"before", nil, ""}, {"server", CPUSet{0}, "0"}, {"client", nil, "1-2"}, {"other", CPUSet{2}, "2"}} {
		pod, err := tree.AddPod(c.name, c.name+".", Requirements{}, Enforced{CPUs: c.own})
		if err != nil {
			t.Fatal(err)
		}
		if got := pod.Resources().CPU.Cpus; got != c.want {
			t.Errorf("pod %s may run on CPUs %q, want %q", c.name, got, c.want)
		}
		if len(c.own) > 0 {
			tree.Share(CPUSet{1, 2})
		}
	}
}

// Every class lands where a kubelet puts it, with the values a kubelet writes,
// as the kernel says.
func TestTreeReadBack(t *testing.T) {
	tree, capacity := newTestTree(t, "classes")
	if tree.hierarchy.unified {
		t.Skip("this machine has cgroup v2: its values are those of the golden file")
	}
	both := Resources{CPU: 1500, Memory: 1 << 30}
	for _, p := range []struct {
		name string
		r    Requirements
	}{
		{"be", Requirements{}},
		{"bu1", Requirements{Request: Resources{CPU: 500, Memory: 1 << 28}}},
		{"bu2", Requirements{Request: Resources{CPU: 100}, Limit: Resources{CPU: 200, Memory: 1 << 29}}},
		{"gu", Requirements{Limit: both}},
	} {
		pod, err := tree.AddPod(p.name, p.name+".", p.r, Enforced{})
		if err == nil {
			err = pod.makeContainer()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	got := values(t, tree.ReadBack("start"), "start")
	node := strconv.FormatUint(Shares(capacity.CPU), 10)
	for key, want := range map[string]string{
		"cgroup.kubepods.cpu.shares":       node,
		"cgroup.besteffort.cpu.shares":     "2",
		"cgroup.burstable.cpu.shares":      "614",
		"be.cgroup.pod.cpu.shares":         "2",
		"be.cgroup.container.cpu.shares":   "2",
		"be.cgroup.pod.cpu.cfs_quota_us":   "-1",
		"bu1.cgroup.pod.cpu.shares":        "512",
		"bu1.cgroup.pod.cpu.cfs_quota_us":  "-1",
		"bu2.cgroup.pod.cpu.shares":        "102",
		"bu2.cgroup.pod.cpu.cfs_quota_us":  "20000",
		"bu2.cgroup.pod.cpu.cfs_period_us": "100000",
		"gu.cgroup.pod.cpu.shares":         "1536",
		"gu.cgroup.pod.cpu.cfs_quota_us":   "150000",
		"gu.cgroup.container.cpu.shares":   "1536",

		"bu2.cgroup.pod.memory.limit_in_bytes":            "536870912",
		"gu.cgroup.pod.memory.limit_in_bytes":             "1073741824",
		"gu.cgroup.container.memory.limit_in_bytes":       "1073741824",
		"gu.cgroup.container.cpu.stat.nr_throttled":       "0",
		"gu.cgroup.container.memory.failcnt":              "0",
		"gu.cgroup.container.cpuacct.usage":               "0",
		"gu.cgroup.container.memory.oom_control.oom_kill": "0",
	} {
		if got[key] != want {
			t.Errorf("%s: the kernel says %q, want %q", key, got[key], want)
		}
	}
	end := values(t, tree.ReadBack("end"), "end")
	if _, ok := end["gu.cgroup.pod.cpu.shares"]; ok || end["gu.cgroup.pod.cpu.stat.nr_periods"] == "" {
		t.Error("at the end, counters are read and settings are not")
	}
	wantPath := filepath.Join(tree.hierarchy.root, "cpu", "tare-"+tree.name, "burstable", "podbu1", "bu1")
	if _, err := os.Stat(wantPath); err != nil {
		t.Error(err)
	}
}

// A quota of 0.2 CPU must act: a process that would use a whole CPU gets about
// a fifth of one, and the kernel counts the throttling.
func TestQuotaThrottles(t *testing.T) {
	tree, _ := newTestTree(t, "quota")
	pod, err := tree.AddPod("spin", "", Requirements{Limit: Resources{CPU: 200, Memory: 1 << 28}}, Enforced{})
	if err == nil {
		err = pod.makeContainer()
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "read go; while :; do :; done")
	in, _ := cmd.StdinPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if err := pod.enter(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	in.Write([]byte("\n"))
	facts := map[string]string{}
	for throttled := 0.0; throttled < 10; throttled = count(t, facts, "cgroup.container.cpu.stat.nr_throttled") {
		if time.Since(begun) > 5*time.Minute { // a busy machine may give it less than its limit
			t.Fatalf("throttled %.0f times in %s periods", throttled, facts["cgroup.container.cpu.stat.nr_periods"])
		}
		time.Sleep(100 * time.Millisecond)
		facts = values(t, tree.ReadBack("end"), "end")
	}
	if cores := usedCores(t, tree, facts, "cgroup.container.", time.Since(begun).Seconds()); cores > 0.3 {
		t.Errorf("a limit of 0.2 CPU let %.2f through", cores)
	}
}

// usedCores is the CPU time a level has used per second.
func usedCores(t *testing.T, tree *Tree, facts map[string]string, level string, seconds float64) float64 {
	if tree.hierarchy.unified {
		return count(t, facts, level+"cpu.stat.usage_usec") / 1e6 / seconds
	}
	return count(t, facts, level+"cpuacct.usage") / 1e9 / seconds
}

func count(t *testing.T, facts map[string]string, key string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(facts[key], 64)
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	return n
}

// Remove waits for a cgroup that is busy, ends nothing in it, and may be called
// again.
func TestTreeRemove(t *testing.T) {
	tree, _ := newTestTree(t, "remove")
	pod, err := tree.AddPod("p", "", Requirements{}, Enforced{})
	if err == nil {
		err = pod.makeContainer()
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() { cmd.Wait(); close(gone) }()
	defer func() { cmd.Process.Kill(); <-gone }()
	if err := pod.enter(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	if pids, err := tree.Processes(); err != nil || !cmp.Equal(pids, []int{cmd.Process.Pid}) {
		t.Errorf("processes %v, %v; want %d", pids, err, cmd.Process.Pid)
	}
	short, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if err := tree.Remove(short); err == nil || !strings.Contains(err.Error(), tree.name) {
		t.Errorf("a busy tree was removed, or the error does not name it: %v", err)
	}
	if !listed(t, tree.name) {
		t.Error("the tree is not in the list of trees")
	}
	time.AfterFunc(200*time.Millisecond, func() { cmd.Process.Kill() })
	for range 2 {
		if err := tree.Remove(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if listed(t, tree.name) {
		t.Error("the tree is still there")
	}
}

func listed(t *testing.T, name string) bool {
	t.Helper()
	names, err := trees()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// The name of an instance becomes part of a path that is removed.
func TestTreeName(t *testing.T) {
	for _, name := range []string{"", "..", "a/b", "../kubepods", "a b", strings.Repeat("a", 200)} {
		if _, err := NewTree(name, Resources{}, Resources{}); err == nil {
			t.Errorf("%q was taken as a name", name)
		}
	}
}

// trees are the names of the instances that have a tree on this machine: what a
// tare that was killed has left behind.
func trees() ([]string, error) {
	h, err := findHierarchy()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, mount := range h.mounts {
		found, err := filepath.Glob(filepath.Join(mount, treePrefix+"*"))
		if err != nil {
			return nil, fmt.Errorf("list cgroup trees: %w", err)
		}
		for _, f := range found {
			names = append(names, strings.TrimPrefix(filepath.Base(f), treePrefix))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
