package external

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCleanWhateverTheStateIsCalled: brackets in its path are no pattern, and a note that
// cannot be read is named.
func TestCleanWhateverTheStateIsCalled(t *testing.T) {
	ledger := filepath.Join(t.TempDir(), "state[8.4]", "external")
	if _, err := Clean(t.Context(), ledger, false, t.Output()); err != nil {
		t.Errorf("without a ledger: %v", err)
	}
	if err := os.MkdirAll(ledger, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"note.json", ".new-note.json", "README"} {
		if err := os.WriteFile(filepath.Join(ledger, name), []byte("{"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Clean(t.Context(), ledger, false, t.Output())
	if err == nil || strings.Count(err.Error(), "when the schema is gone") != 1 || !strings.Contains(err.Error(), filepath.Join(ledger, "note.json")) {
		t.Errorf("a note that cannot be read: %v", err)
	}
}
