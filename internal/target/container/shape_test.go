package container

import (
	"errors"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/node"
)

// Shapes fit the machine and stay in proportion; where they are not themselves,
// that is said.
func TestShapes(t *testing.T) {
	const gi = 1 << 30
	for _, c := range []struct {
		has    node.Resources
		shape  string
		cpu    node.CPU
		memory node.Bytes
		note   string
	}{
		{node.Resources{CPU: 56000, Memory: 256 * gi}, "16x64", 16000, 64 * gi, ""},
		{node.Resources{CPU: 56000, Memory: 256 * gi}, "4x16", 4000, 16 * gi, ""},
		{node.Resources{CPU: 8000, Memory: 32 * gi}, "16x64", 4000, 16 * gi, "every shape is 1/4"}, // eviction keeps some of 32Gi
		{node.Resources{CPU: 2000, Memory: 24 * gi}, "4x16", 500, 2 * gi, "shape 4x16 is 500m CPU and 2Gi here: this machine has 2 CPU and 24Gi, so every shape is 1/8 of itself"},
		{node.Resources{CPU: 2000, Memory: 24 * gi}, "16x64", 2000, 8 * gi, "1/8"},
	} {
		made, err := New(func(into any) error { into.(*Settings).Shape = c.shape; return nil }, Env{Capacity: c.has, Topology: cpus(int(c.has.CPU / 1000))})
		if err != nil {
			t.Fatal(err)
		}
		got := made.(*Container)
		if got.CPULimit() != c.cpu || got.MemoryLimit() != int64(c.memory) {
			t.Errorf("%s on %+v: %v and %v", c.shape, c.has, got.CPULimit(), node.Bytes(got.MemoryLimit()))
		}
		if note := strings.Join(got.Notes(), "\n"); !strings.Contains(note, c.note) || (note == "") != (c.note == "") {
			t.Errorf("%s on %+v: %q", c.shape, c.has, note)
		}
		if errs := got.settings.check(got.machine); len(errs) > 0 {
			t.Errorf("%s on %+v: %v", c.shape, c.has, errs)
		}
		if class := node.Class(got.settings.requirements(got.machine)); class != node.Guaranteed {
			t.Errorf("%s is %s", c.shape, class)
		}
	}
	for _, c := range []struct {
		s    Settings
		want string
	}{
		{Settings{Shape: "2x8"}, `shape: "2x8" is not a shape; write 4x16, 8x32 or 16x64`},
		{Settings{Shape: "4x16", CPU: 1000}, "shape: a shape is a Guaranteed pod with its own cpu and memory"},
		{Settings{Shape: "4x16", QoS: node.Burstable}, "leave qos, cpu, memory"},
	} {
		if err := errors.Join(c.s.contradictions()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v\nwant %s", c.s, err, c.want)
		}
	}
}
