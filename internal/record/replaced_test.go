package record

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
)

// TestReplace: what was measured by a protocol that did not hold is moved away whole, once, and
// what is measured afterwards stays, also where a crash came after the plan was saved.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	write("trials/001-a/stream.jsonl")
	write("voids/001-round-1/void.json")
	plan := experiment.Plan{}
	if err := FinishReplace(dir, plan); err != nil || !there("trials/001-a/stream.jsonl") {
		t.Fatalf("a plan without changes: %v", err)
	}
	plan.Changes = []experiment.Change{{To: 1}}
	if err := Replace(dir, plan); err != nil {
		t.Fatal(err)
	}
	write("trials/001-b/stream.jsonl")
	if err := FinishReplace(dir, plan); err != nil { // when the run continues
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"replaced/1/trials/001-a/stream.jsonl": true, "replaced/1/voids/001-round-1/void.json": true,
		"trials/001-b/stream.jsonl": true, "trials/001-a": false, "voids": false, "plan.json": true,
	} {
		if there(name) != want {
			t.Errorf("%s: there %v, want %v", name, !want, want)
		}
	}
}
