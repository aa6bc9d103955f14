package diagnose

import "testing"

// TestRisks: each is a rule, and one of files: what the counters of a run or of a running server show is why it is slow.
func TestRisks(t *testing.T) {
	for _, id := range risks() {
		if r, ok := Find(id); !ok || r.Check == nil {
			t.Errorf("%s is not a rule that reads files", id)
		}
	}
	if IsRisk("K-CFS-02") || !IsRisk("K-OPS-04") {
		t.Error("a quota makes a server slow, and a probe that kills it does not")
	}
}
