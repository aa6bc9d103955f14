package layer

import (
	"context"
	"strings"
	"testing"
)

// TestAll: every row can be shown, no setting stands twice, and every layer of
// a pod is there.
func TestAll(t *testing.T) {
	seen, names := map[string]bool{}, map[string]bool{}
	for _, l := range All(nil) {
		names[l.Name] = true
		if l.Name == "" || l.Help == "" || !strings.Contains(l.Setting, ": ") {
			t.Errorf("%+v: name, setting or help is missing", l)
		}
		if strings.HasSuffix(l.Help, ".") {
			t.Errorf("%s: the help ends with a full stop", l.Setting)
		}
		if seen[l.Setting] {
			t.Errorf("%s stands twice", l.Setting)
		}
		seen[l.Setting] = true
	}
	for _, want := range []string{
		"CPU weight", "CPU quota", "exclusive CPUs", "memory limit", "container file system", "volume", "I/O limits",
		"pod network", "Service address", "between nodes", "link", "security", "neighbour", "client",
	} {
		if !names[want] {
			t.Errorf("no layer is called %q", want)
		}
	}
}

// TestProbesRepeat: a probe says the same when it is asked again, so it has left
// nothing in its own way.
func TestProbesRepeat(t *testing.T) {
	for _, l := range All(nil) {
		if l.Probe == nil {
			continue
		}
		first, second := l.Probe(context.Background()), l.Probe(context.Background())
		if (first == nil) != (second == nil) {
			t.Errorf("%s: %v, and the second time %v", l.Setting, first, second)
		}
	}
}
