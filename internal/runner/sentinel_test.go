package runner

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestSentinel: three times above zero, and nothing left behind; a place that
// cannot be written is unknown, with the reason.
func TestSentinel(t *testing.T) {
	dir := t.TempDir()
	facts := sentinel(dir)
	if len(facts) != 3 {
		t.Fatalf("%d facts", len(facts))
	}
	for _, f := range facts {
		if ns, err := strconv.ParseInt(f.Value, 10, 64); err != nil || ns <= 0 || f.Unknown != "" {
			t.Errorf("%+v: %v", f, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if f := sentinel(filepath.Join(dir, "nowhere"))[1]; f.Unknown == "" || f.Value != "" {
		t.Errorf("%+v", f)
	}
}
