package runner

import (
	"errors"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/record"
)

// TestUncleaned: what a failed trial leaves behind is said, after why it failed.
func TestUncleaned(t *testing.T) {
	for _, before := range []string{"", "start: no memory"} {
		outcome, reason := uncleaned(before, errors.New("cgroup x is busy"))
		if outcome != record.Failed || !strings.HasPrefix(reason, before) || !strings.Contains(reason, "could not be cleaned up: cgroup x is busy") {
			t.Errorf("after %q: %v, %q", before, outcome, reason)
		}
	}
}
