package kubernetes

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestManifestsWhateverTheFolderIsCalled: brackets in its path are no pattern.
func TestManifestsWhateverTheFolderIsCalled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mysql[8.4]")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b.yaml", "a.yml", "c.json", "a.yaml", "README.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := manifestsOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "a.yaml"), filepath.Join(dir, "b.yaml"), filepath.Join(dir, "a.yml"), filepath.Join(dir, "c.json")}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Error(diff)
	}
}
