package compare

import (
	"fmt"
	"strings"
	"testing"
)

// TestLimitIsAWarning: a load with a limit is one that an arm may have been able to exceed.
func TestLimitIsAWarning(t *testing.T) {
	for limit, want := range map[string]bool{"": false, "limit: 200/s, ": true} {
		text := strings.Replace(spec(8, "2%", "bare: {target: process}", "pod: {target: container}"), "load: {", "load: {"+limit, 1)
		r := fill(planned(t, text), func(string, int) float64 { return 200 })
		if got := strings.Contains(fmt.Sprint(Run(r).Warnings), "limited rate=200"); got != want {
			t.Errorf("%q: a warning: %v", limit, got)
		}
	}
}
