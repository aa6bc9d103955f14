package main

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

// TestClusterSpec: the experiment is valid for whatever was found, fits on the node, and has no arm
// that the namespace refuses.
func TestClusterSpec(t *testing.T) {
	for _, c := range []struct {
		name string
		o    clusterFirst
		s    kubernetes.Survey
		arms string
		has  []string
	}{
		{"no image of tare", clusterFirst{}, kubernetes.Survey{Node: "n1", Free: node.Resources{CPU: 1900, Memory: 8 << 30}},
			"besteffort burstable guaranteed service besteffort-busy burstable-busy guaranteed-busy", []string{"volume: emptyDir", "node: n1", "cpu: 200m is the share of one pod: the pods of all arms are there at once, and 1900m CPU are free", "cpu: 200m, memory: 1152Mi", "innodb_buffer_pool_size: 64M", "clients: 1", "clientCPURequest: 90m"}},
		{"with an image of tare", clusterFirst{clientImage: "tare:1"}, kubernetes.Survey{Node: "n1", Free: node.Resources{CPU: 16000, Memory: 64 << 30}},
			"besteffort burstable guaranteed service besteffort-busy burstable-busy guaranteed-busy",
			[]string{"volume: emptyDir", "clients: 1", "clientNode: n1", "cpu: 2000m", "neighbour: {cpu: 8, request: 500m}"}},
		{"a quota", clusterFirst{clientImage: "tare:1"}, kubernetes.Survey{Free: node.Resources{CPU: 1000, Memory: 3 << 30}, NoBestEffort: "a quota.", NoNeighbour: "a quota.", NoLoadPods: "a quota."},
			"burstable guaranteed service", []string{"# The arms of class BestEffort are left out: a quota.", "memory: 1Gi", "qos: Burstable, cpuRequest: 200m", "address: service"}},
		{"a quota and a range", clusterFirst{}, kubernetes.Survey{
			Free: node.Resources{CPU: 3000, Memory: 8 << 30}, Given: node.Resources{CPU: 50, Memory: 128 << 20},
			Least: node.Resources{CPU: 200}, Most: node.Resources{CPU: 300, Memory: 900 << 20}, NoBestEffort: "a range.",
		}, "burstable guaranteed service burstable-busy guaranteed-busy", []string{"cpuRequest: 250m, memoryRequest: 900Mi", "clientCPURequest: 200m", "request: 200m}"}},
		{"a quota of limits, and no range", clusterFirst{}, kubernetes.Survey{Free: node.Resources{CPU: 2000, Memory: 4 << 30}, Limits: node.Resources{CPU: 1000, Memory: 3 << 30},
			NoBestEffort: "a quota.", NoBurstable: "a quota.", NoNeighbour: "a quota.", NoLoadPods: "a quota."},
			"guaranteed service", []string{"# The arms of class Burstable are left out: a quota.", "service: {qos: Guaranteed, cpu: 500m, memory: 1280Mi, address: service}"}},
		{"a quota of limits that a range fills", clusterFirst{}, kubernetes.Survey{Free: node.Resources{CPU: 4000, Memory: 16 << 30}, Limits: node.Resources{CPU: 5000, Memory: 16 << 30},
			Default: node.Resources{CPU: 500, Memory: 1 << 30}, Most: node.Resources{CPU: 500, Memory: 1 << 30}, NoBestEffort: "a range."},
			"burstable guaranteed service", []string{"# The arms beside a busy neighbour are left out: a ResourceQuota leaves limits of 5000m CPU, and 5700m are needed: 11 pods get 500m from a LimitRange, and 2 Guaranteed servers need 100m each."}},
		{"a quota of pods", clusterFirst{}, kubernetes.Survey{Free: node.Resources{CPU: 4000, Memory: 16 << 30}, Pods: kubernetes.Count{Left: 10, Limited: true}},
			"besteffort burstable guaranteed service", []string{"# The arms beside a busy neighbour are left out: a ResourceQuota leaves 10 pods, and 18 are needed at once."}},
		{"nodes may not be listed, and a pod finds one", clusterFirst{places: true}, kubernetes.Survey{Free: node.Resources{CPU: 1500, Memory: 4 << 30}, MayPlace: true, NodeUnknown: "The scheduler chooses the node of each arm."},
			"besteffort burstable guaranteed service besteffort-busy burstable-busy guaranteed-busy", []string{"# One node for all arms: the scheduler chooses it for a pod with 1370m of CPU and 3Gi of memory"}},
		{"nodes may not be listed, and a file is written", clusterFirst{}, kubernetes.Survey{Free: node.Resources{CPU: 1500, Memory: 4 << 30}, MayPlace: true, NodeUnknown: "The scheduler chooses the node of each arm."},
			"besteffort burstable guaranteed service besteffort-busy burstable-busy guaranteed-busy", []string{"# The scheduler chooses the node of each arm."}},
		{"the node of a pod, and another one finds a node", clusterFirst{places: true}, kubernetes.Survey{Node: "n1", NodeAssumed: "why.", Free: node.Resources{CPU: 1500, Memory: 4 << 30}, MayPlace: true},
			"besteffort burstable guaranteed service besteffort-busy burstable-busy guaranteed-busy", []string{"# One node for all arms: the scheduler chooses it", "no: n1"}},
		{"the node of a pod, and one that is named", clusterFirst{places: true, node: "n99"}, kubernetes.Survey{Node: "n1", NodeAssumed: "why.", Free: node.Resources{CPU: 1500, Memory: 4 << 30}, MayPlace: true},
			"besteffort burstable guaranteed service besteffort-busy burstable-busy guaranteed-busy", []string{"# Node n99 is taken for all arms, as --node-name says: why.", "no: n1"}},
		{"the node of a pod", clusterFirst{}, kubernetes.Survey{Node: "n1", NodeAssumed: "why.", Free: node.Resources{CPU: 1500, Memory: 4 << 30}, MayPlace: true},
			"besteffort burstable guaranteed service besteffort-busy burstable-busy guaranteed-busy", []string{"# Node n1 runs a pod of this namespace and is taken for all arms: why."}},
		{"no Jobs", clusterFirst{clientImage: "tare:1"}, kubernetes.Survey{Free: node.Resources{CPU: 4000, Memory: 8 << 30}, NoLoadPods: "no rule."},
			"besteffort burstable guaranteed service besteffort-busy burstable-busy guaranteed-busy", []string{"# The load comes from this machine, which needs a route to the pods: no rule.", `clientImage: "tare:1"`}},
	} {
		c.o.name, c.s.Namespace = "demo", "bench"
		text, f, err := clusterSpec(c.o, c.s)
		if err != nil {
			t.Fatal(err)
		}
		e, err := experiment.Parse("demo.yaml", text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, text)
		}
		if got := strings.Join(e.Arms.Names(), " "); got != c.arms {
			t.Errorf("%s: arms %s, want %s", c.name, got, c.arms)
		}
		for _, want := range c.has {
			if not, is := strings.CutPrefix(want, "no: "); is && strings.Contains(string(text), not) {
				t.Errorf("%s has %q:\n%s", c.name, not, text)
			} else if !is && !strings.Contains(string(text), want) {
				t.Errorf("%s has no %q:\n%s", c.name, want, text)
			}
		}
		asks := node.Resources{}
		for _, a := range f.Arms {
			asks.CPU += f.load // its load pod
			if !strings.Contains(a.Settings, "BestEffort") {
				asks.CPU, asks.Memory = asks.CPU+f.cpu, asks.Memory+f.memory
			}
			if strings.Contains(a.Settings, "neighbour") {
				asks.CPU += f.load
			}
		}
		if asks.CPU > c.s.Free.CPU || asks.Memory > c.s.Free.Memory {
			t.Errorf("%s: %+v do not fit into %+v", c.name, asks, c.s.Free)
		}
		if _, err := renderArms(e, ""); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if strings.Contains(c.arms, "busy") != slices.ContainsFunc(f.Arms, func(a clusterArm) bool { return strings.Contains(a.Settings, "neighbour") }) {
			t.Errorf("%s: %+v", c.name, f.Arms)
		}
	}
}

// TestClusterInside: the experiment of the demo's pod names neither a kubeconfig nor a context, which the pod does not have,
// and fits into the namespace of the run.
func TestClusterInside(t *testing.T) {
	s := kubernetes.Survey{Namespace: "bench", Node: "n1", Free: node.Resources{CPU: 4000, Memory: 8 << 30}}
	o := clusterFirst{name: "demo", at: kubernetes.Where{Kubeconfig: "/home/me/config", Context: "dev"}}
	from, _, err := o.experiment(s)
	if err != nil || !bytes.Contains(from.Source, []byte("kubeconfig: \"/home/me/config\"")) {
		t.Fatalf("from this machine: %v\n%s", err, from.Source)
	}
	own, _, err := o.inPod().experiment(s)
	if err != nil || bytes.Contains(own.Source, []byte("kubeconfig:")) || bytes.Contains(own.Source, []byte("context:")) {
		t.Fatalf("in a pod: %v\n%s", err, own.Source)
	}
	if err := fitsInside(own, "bench"); err != nil {
		t.Error(err)
	}
	if err := fitsInside(from, "bench"); err == nil {
		t.Error("the experiment of this machine fits a pod")
	}
}

// TestClusterTooSmall: where the servers of no selection of arms fit at once, that is said with the sizes.
func TestClusterTooSmall(t *testing.T) {
	for _, free := range []node.Resources{{CPU: 400, Memory: 8 << 30}, {CPU: 8000, Memory: 1 << 30}} {
		_, _, err := clusterSpec(clusterFirst{name: "demo"}, kubernetes.Survey{Namespace: "bench", Free: free})
		if !errors.As(err, &target.Unavailable{}) || !strings.Contains(err.Error(), "4 servers at once are too much for that: one needs 100m and 768Mi") {
			t.Errorf("%+v: %v", free, err)
		}
	}
}

// TestClusterQuotas: what no selection of arms fits into is said with the amounts.
func TestClusterQuotas(t *testing.T) {
	usual := kubernetes.Survey{Namespace: "bench", Free: node.Resources{CPU: 4000, Memory: 16 << 30}, Default: node.Resources{CPU: 500, Memory: 1 << 30}, NoBestEffort: "a range."}
	for says, change := range map[string]func(*kubernetes.Survey){
		"namespace bench: ResourceQuota small leaves 5 pods, and 7 are needed at once.":                                                                                       func(s *kubernetes.Survey) { s.Pods = kubernetes.Count{Left: 5, Limited: true, Quota: "small"} },
		"namespace bench: a ResourceQuota leaves limits of 2000m CPU, and 3100m are needed: 6 pods get 500m from a LimitRange, and 1 Guaranteed servers need 100m each.":      func(s *kubernetes.Survey) { s.Limits.CPU = 2000 },
		"namespace bench: a ResourceQuota leaves limits of 5632Mi memory, and 6912Mi are needed: 6 pods get 1Gi from a LimitRange, and 1 Guaranteed servers need 768Mi each.": func(s *kubernetes.Survey) { s.Limits.Memory = 5632 << 20 },
	} {
		s := usual
		change(&s)
		_, _, err := clusterSpec(clusterFirst{name: "demo"}, s)
		if !errors.As(err, &target.Unavailable{}) || err.Error() != says {
			t.Errorf("%v; want %q", err, says)
		}
		if h := (hinted{}); !errors.As(err, &h) || !strings.Contains(h.hint, "kubectl describe resourcequota -n bench") {
			t.Errorf("%v: no next step", err)
		}
	}
}

// TestAgreed: the demo runs after a yes only.
func TestAgreed(t *testing.T) {
	for said, want := range map[string]bool{"y\n": true, "yes\n": true, "Y\n": true, "n\n": false, "\n": false, "": false, "yellow\n": false, "y": true} {
		if err := agreed(&terminal{in: strings.NewReader(said), err: &bytes.Buffer{}}); (err == nil) != want {
			t.Errorf("%q: %v", said, err)
		}
	}
}

// TestDemoEnds: a demo in a pod that a signal ends says that everything was removed, unless something is left.
func TestDemoEnds(t *testing.T) {
	ends := interrupted{os.Interrupt}
	if got := asEnded(ends, endedAndRemoved(ends, nil)).Error(); !strings.HasSuffix(got, "; everything that it started was removed") {
		t.Error(got)
	}
	if got := asEnded(ends, endedAndRemoved(ends, errors.New("a volume is left"))).Error(); !strings.HasSuffix(got, ": a volume is left") {
		t.Error(got)
	}
}
