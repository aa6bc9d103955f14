package diagnose

import "testing"

// TestRisks: a risk is a rule of files: what the counters of a run or of a running server show is why it is slow.
func TestRisks(t *testing.T) {
	risks := map[string]bool{}
	for _, r := range Rules() {
		if r.Risk && r.Check == nil {
			t.Errorf("%s does not read files", r.ID)
		}
		risks[r.ID] = r.Risk
	}
	if risks["K-CFS-02"] || !risks["K-OPS-04"] {
		t.Error("a quota makes a server slow, and a probe that kills it does not")
	}
}

// TestCountedBy: what stands for a rule of settings is a rule of counters.
func TestCountedBy(t *testing.T) {
	for _, r := range Rules() {
		if r.CountedBy == "" {
			continue
		}
		if by, ok := Find(r.CountedBy); !ok || by.Run == nil || r.Check == nil {
			t.Errorf("%s: %s does not read counters, or %[1]s no settings", r.ID, r.CountedBy)
		}
	}
}
