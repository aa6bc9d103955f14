package main

import (
	"bytes"
	"errors"
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
			"besteffort burstable guaranteed service besteffort-busy burstable-busy guaranteed-busy", []string{"volume: emptyDir", "node: n1", "cpu: 200m, memory: 1152Mi", "innodb_buffer_pool_size: 64M", "clients: 1", "clientCPURequest: 90m"}},
		{"with an image of tare", clusterFirst{clientImage: "tare:1"}, kubernetes.Survey{Node: "n1", Free: node.Resources{CPU: 16000, Memory: 64 << 30}},
			"besteffort burstable guaranteed service besteffort-busy burstable-busy guaranteed-busy",
			[]string{"volume: emptyDir", "clients: 1", "clientNode: n1", "cpu: 2000m", "neighbour: {cpu: 8, request: 500m}"}},
		{"a quota", clusterFirst{clientImage: "tare:1"}, kubernetes.Survey{Free: node.Resources{CPU: 1000, Memory: 3 << 30}, NoBestEffort: "a quota.", NoNeighbour: "a quota.", NoLoadPods: "a quota."},
			"burstable guaranteed service", []string{"# The arms of class BestEffort are left out: a quota.", "memory: 1Gi", "qos: Burstable, cpuRequest: 250m", "address: service"}},
		{"a quota and a range", clusterFirst{}, kubernetes.Survey{
			Free: node.Resources{CPU: 3000, Memory: 8 << 30}, Given: node.Resources{CPU: 50, Memory: 128 << 20},
			Least: node.Resources{CPU: 200}, Most: node.Resources{CPU: 300, Memory: 900 << 20}, NoBestEffort: "a range.",
		}, "burstable guaranteed service burstable-busy guaranteed-busy", []string{"cpuRequest: 300m, memoryRequest: 900Mi", "clientCPURequest: 200m", "request: 200m}"}},
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
			if !strings.Contains(string(text), want) {
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

// TestClusterTooSmall: where the servers of no selection of arms fit at once, that is said with the sizes.
func TestClusterTooSmall(t *testing.T) {
	for _, free := range []node.Resources{{CPU: 400, Memory: 8 << 30}, {CPU: 8000, Memory: 1 << 30}} {
		_, _, err := clusterSpec(clusterFirst{name: "demo"}, kubernetes.Survey{Namespace: "bench", Free: free})
		if !errors.As(err, &target.Unavailable{}) || !strings.Contains(err.Error(), "4 servers at once are too much for that: one needs 100m and 768Mi") {
			t.Errorf("%+v: %v", free, err)
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
