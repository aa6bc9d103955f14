package serve

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestContrastsOfAList: all contrasts say with what they compare, and what; the trend joins by it.
func TestContrastsOfAList(t *testing.T) {
	const text = `[{"arm": "a", "baseline": "bare", "metric": "throughput", "effect_percent": 1},
		{"arm": "b", "baseline": "container", "metric": "capacity", "effect_percent": 2}]`
	all, err := decodeContrasts(json.NewDecoder(strings.NewReader(text)))
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	for i, want := range [][3]string{{"a", "bare", "throughput"}, {"b", "container", "capacity"}} {
		if c := all[i]; c.Arm != want[0] || c.Baseline != want[1] || c.Metric != want[2] {
			t.Errorf("contrast %d: %+v", i, c)
		}
	}
}
