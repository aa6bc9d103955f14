package report

import (
	"strings"
	"testing"
)

// TestLimitsOfRunningServers: rounds on servers that ran before begin with no start of theirs.
func TestLimitsOfRunningServers(t *testing.T) {
	one := &Document{Arms: []Arm{{Name: "a", Target: "external"}}, Limits: &Limits{Rounds: 10, CorrelationNoticed: .3}}
	if got := one.limitsSentence(); !strings.Contains(got, "The server ran before: another start of it") {
		t.Errorf("one server: %q", got)
	}
	for target, says := range map[string]string{"process": "1 of 10 starts of a server", "external": "The servers ran before"} {
		doc := &Document{Arms: []Arm{{Name: "a", Target: target}, {Name: "b", Target: target}}, Limits: &Limits{Rounds: 10, RareAbsent: .35, CorrelationNoticed: .3}}
		if got := doc.limitsSentence(); !strings.Contains(got, says) || !strings.Contains(got, "noticed in 30 %") {
			t.Errorf("%s: %q", target, got)
		}
	}
}
