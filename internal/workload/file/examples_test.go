package file

import (
	"os"
	"path/filepath"
	"testing"
)

// TestExamples: the examples parse, and what Marshal makes of them says the same.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../../examples/workloads/*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		w, err := Parse(filepath.Base(name), text)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(filepath.Base(name), w.Marshal())
		if err != nil {
			t.Fatal(err)
		}
		if diff := same(w, again); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
