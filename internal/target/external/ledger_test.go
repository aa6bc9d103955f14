package external

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/target"
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

// TestLeftBy: the schemas that a process has noted are named with their server; those of others are not.
func TestLeftBy(t *testing.T) {
	ledger := filepath.Join(t.TempDir(), "external")
	if all, err := LeftBy(ledger, os.Getpid()); err != nil || len(all) > 0 {
		t.Errorf("without a ledger: %v, %v", all, err)
	}
	for port, self := range map[int]func() (target.Note, error){3412: target.Self, 3413: elsewhere(1)} {
		e := &external{settings: Settings{Host: "127.0.0.1", Port: port, User: "x", Schema: "tare_bench"}, env: Env{Ledger: ledger, Self: self}}
		if _, err := e.note(mysqld.Holder{Run: "/runs/x"}, false); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := LeftBy(ledger, os.Getpid()); err != nil || !slices.Equal(all, []Left{{"tare_bench", "127.0.0.1:3412"}}) {
		t.Errorf("%v, %v", all, err)
	}
}
