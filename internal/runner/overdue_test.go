package runner

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// TestOverdue: a load that does not end is the arm's, but for one that nobody saw.
func TestOverdue(t *testing.T) {
	if outcome, reason, err := overdue(time.Minute, errors.New("deadline exceeded")); outcome != record.Starved || reason != "the load did not end within 1m0s" || err != nil {
		t.Errorf("%s, %q, %v", outcome, reason, err)
	}
	if outcome, _, err := overdue(time.Minute, fmt.Errorf("follow: %w", target.ErrUnseen)); outcome != "" || err == nil || !strings.Contains(err.Error(), "did not end within 1m0s") {
		t.Errorf("unseen: %q, %v", outcome, err)
	}
}
