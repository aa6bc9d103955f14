package kubernetes

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/layer"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

// TestTurnsOfPods: a pod takes turns without being frozen, after a lead-in for the CPU quota that it has or may have,
// and a check keeps what its nodes can give.
func TestTurnsOfPods(t *testing.T) {
	there := guardedCluster(t, &guarded{})
	for name, c := range map[string]struct {
		settings Settings
		layer    string
		single   bool
		sole     string
	}{
		"a pod":              {Settings{Image: "m"}, "elsewhere", true, ""},
		"a limit":            {Settings{Image: "m", CPU: 500, Memory: 1 << 30}, "cpu-quota", true, ""},
		"all that is left":   {Settings{Image: "m", CPU: node.MaxCPU, Memory: 1 << 30}, "cpu-quota", true, soleCPU},
		"the node's network": {Settings{Image: "m", HostNetwork: true}, "elsewhere", true, soleHostNetwork},
		"a process":          {Settings{Image: "m", Bare: true, Node: "n1"}, "elsewhere", true, soleHostNetwork},
		"manifests":          {Settings{Manifests: []string{"x"}}, "elsewhere", true, soleManifests},
		"an operator":        {Settings{Operator: "innodbcluster"}, "elsewhere", false, ""},
	} {
		c.settings.Kubeconfig, c.settings.Namespace = there, "tare"
		made, err := New(func(into any) error { *into.(*Settings) = c.settings; return nil })
		if err != nil {
			t.Fatal(name, err)
		}
		has := made.Capabilities()
		longest, period := layer.Longest(has.Memories)
		if longest.Layer != c.layer || longest.For != 200*time.Millisecond || period != 100*time.Millisecond {
			t.Errorf("%s: %+v, periods of %v", name, longest, period)
		}
		if !has.NeverFrozen || has.Single != c.single || has.Sole != c.sole || has.Program == "" {
			t.Errorf("%s: %+v", name, has)
		}
	}
	made, err := New(func(into any) error {
		*into.(*Settings) = Settings{Image: "m", CPU: 500, Memory: 1 << 30, Kubeconfig: there, Namespace: "tare"}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if room := made.Capabilities().Room; room != nil {
		t.Errorf("before the check: %+v", room)
	}
	if errs := made.Check(t.Context()); errs != nil {
		t.Fatal(errs)
	}
	room := *made.Capabilities().Room
	room.Cluster = ""
	want := target.Room{CPU: 500, Memory: 1 << 30, Nodes: map[string]target.Free{"n1": {CPU: 4000, Memory: 8 << 30}}}
	if diff := cmp.Diff(want, room); diff != "" {
		t.Error(diff)
	}
}
