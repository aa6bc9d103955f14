package node

import (
	"maps"
	"testing"
	"time"
)

// What is enforced replaces one value and leaves the others as a kubelet has
// them, at the pod and at its container.
func TestEnforcedLimits(t *testing.T) {
	r := Requirements{Limit: Resources{CPU: 1500, Memory: 1 << 30}}
	none, half, memory, all := CPU(0), CPU(500), Bytes(0), Bytes(1<<29)
	for _, c := range []struct {
		name string
		e    Enforced
		want limits
	}{
		{"a kubelet's", Enforced{}, limits{shares: 1536, quota: 150000, period: 100000, memory: 1 << 30}},
		{"no weight", Enforced{Unweighted: true}, limits{shares: 1536, unweighted: true, quota: 150000, period: 100000, memory: 1 << 30}},
		{"no quota", Enforced{Quota: &none}, limits{shares: 1536, memory: 1 << 30}},
		{"its own quota", Enforced{Quota: &half, Period: 10 * time.Millisecond}, limits{shares: 1536, quota: 5000, period: 10000, memory: 1 << 30}},
		{"no memory limit", Enforced{Memory: &memory}, limits{shares: 1536, quota: 150000, period: 100000}},
		{"its own memory limit", Enforced{Memory: &all}, limits{shares: 1536, quota: 150000, period: 100000, memory: 1 << 29}},
		{"CPUs of its own", Enforced{CPUs: CPUSet{1}}, limits{shares: 1536, quota: 150000, period: 100000, memory: 1 << 30}},
	} {
		if got := podLimits(r, c.e); got != c.want {
			t.Errorf("%s: pod %+v, want %+v", c.name, got, c.want)
		}
		c.want.container, c.want.cpus = true, c.e.CPUs.String()
		if got := containerLimits(r, c.e); got != c.want {
			t.Errorf("%s: container %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestPeriod(t *testing.T) {
	for text, want := range map[string]Period{"100ms": Period(100 * time.Millisecond), "1s": Period(time.Second), "1ms": Period(time.Millisecond)} {
		var p Period
		if err := p.UnmarshalText([]byte(text)); err != nil || p != want {
			t.Errorf("%s: %v (%v)", text, p, err)
		}
	}
	for _, text := range []string{"", "100", "2s", "500us", "-1ms", "x"} {
		if err := new(Period).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read as a period", text)
		}
	}
}

// A pod without a weight takes it from every level above it, and not from the
// pods beside it; the kernel says so.
func TestUnweighted(t *testing.T) {
	tree, _ := newTestTree(t, "unweighted")
	if tree.hierarchy.unified {
		t.Skip("this machine has cgroup v2: its values are those of TestUnweightedUnified")
	}
	checkUnweighted(t, tree, map[string]string{
		"cgroup.kubepods.cpu.shares": "1024", "cgroup.burstable.cpu.shares": "1024", "cgroup.besteffort.cpu.shares": "2",
		"free.cgroup.pod.cpu.shares": "1024", "free.cgroup.container.cpu.shares": "1024",
		"beside.cgroup.pod.cpu.shares": "102", "beside.cgroup.container.cpu.shares": "102",
	})
}

// checkUnweighted adds a pod without a weight and one with, and reads back.
func checkUnweighted(t *testing.T, tree *Tree, want map[string]string) {
	t.Helper()
	request := Requirements{Request: Resources{CPU: 100}}
	for prefix, e := range map[string]Enforced{"free.": {Unweighted: true}, "beside.": {}} {
		pod, err := tree.AddPod(prefix[:len(prefix)-1], prefix, request, e)
		if err == nil {
			err = pod.makeContainer()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	got := values(t, tree.ReadBack("start"), "start")
	maps.DeleteFunc(want, func(key, value string) bool { return got[key] == value })
	for key, value := range want {
		t.Errorf("%s: the kernel says %q, want %q", key, got[key], value)
	}
}

// On cgroup v2 the default is another number, which a runtime would not make of
// the shares.
func TestUnweightedUnified(t *testing.T) {
	l := podLimits(Requirements{}, Enforced{Unweighted: true})
	if w := *l.unified(false, LinearWeight).CPU.Weight; w != 100 {
		t.Errorf("weight %d, want 100", w)
	}
	p := &Pod{tree: &Tree{hierarchy: hierarchy{unified: true, root: t.TempDir()}}, container: level{limits: l}}
	if r := p.Resources(); r.CPU.Shares != nil || r.Unified["cpu.weight"] != "100" {
		t.Errorf("the runtime would get %+v %v", r.CPU, r.Unified)
	}
	checkUnweighted(t, newUnifiedTree(t, "burstable/podfree", "burstable/podbeside"), map[string]string{
		"cgroup.kubepods.cpu.weight": "100", "cgroup.burstable.cpu.weight": "100", "cgroup.besteffort.cpu.weight": "1",
		"free.cgroup.pod.cpu.weight": "100", "free.cgroup.container.cpu.weight": "100",
		"beside.cgroup.pod.cpu.weight": "4", "beside.cgroup.container.cpu.weight": "17",
	})
}
