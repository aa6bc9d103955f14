package runner

import (
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// onNode is a target of which only the node is asked for, and a server on it.
type onNode struct {
	target.Target
	node string
}

func (p onNode) Capabilities() target.Capabilities { return target.Capabilities{Node: p.node} }

type serverOn struct {
	target.Server
	node string
}

func (s serverOn) Capabilities() target.ServerCapabilities {
	return target.ServerCapabilities{Node: s.node}
}

// TestBeside: the servers of a run go to the node of those that it has measured, else to the one that an arm names,
// else to that of the first server that starts.
func TestBeside(t *testing.T) {
	e, err := experiment.Parse("x.yaml", []byte("apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: x}\nbaseline: a\narms: {a: {target: kubernetes}, b: {target: kubernetes}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	measured := &record.Run{Trials: []*record.Trial{{Facts: []record.Fact{{Key: keys.PodNode, Value: "n3", Phase: "start"}}}}}
	for _, c := range []struct {
		name        string
		run         *record.Run
		named       string
		want, after string
	}{
		{"resumed", measured, "n2", "n3", "n3"},
		{"an arm names one", &record.Run{}, "n2", "n2", "n2"},
		{"none is known", &record.Run{}, "", "", "n1"},
	} {
		b := nodeOf(Job{Experiment: e, Targets: map[string]target.Target{"a": onNode{}, "b": onNode{node: c.named}}}, c.run)
		if got := b.known(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		b.note(serverOn{node: "n1"})
		b.note(serverOn{node: "n9"})
		if got := b.known(); got != c.after {
			t.Errorf("%s: %q after a server has started, want %q", c.name, got, c.after)
		}
	}
}

// TestLoadBeside: the load pods of a run go to the node of the first of them, also in a run that is resumed.
func TestLoadBeside(t *testing.T) {
	on := func(node string) []record.Fact {
		return []record.Fact{{Key: keys.LoadPodPrefix + "0.node", Value: node, Phase: "end"}}
	}
	e := &experiment.Experiment{}
	b := nodeOf(Job{Experiment: e}, &record.Run{})
	if got := b.ofLoads(); got != "" {
		t.Errorf("none is known: %q", got)
	}
	b.noteLoad(on("n1"))
	b.noteLoad(on("n2"))
	if got := b.ofLoads(); got != "n1" {
		t.Errorf("after the loads: %q", got)
	}
	if got := nodeOf(Job{Experiment: e}, &record.Run{Trials: []*record.Trial{{Facts: on("n3")}}}).ofLoads(); got != "n3" {
		t.Errorf("resumed: %q", got)
	}
}
