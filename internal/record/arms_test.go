package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestArms: names stay from process to process, each once, and what is not a name is refused.
func TestArms(t *testing.T) {
	dir := t.TempDir()
	if names, err := Arms(dir); names != nil || err != nil {
		t.Errorf("a run without any: %v, %v", names, err)
	}
	for _, name := range []string{"tare-00000001", "tare-00000002", "tare-00000001"} {
		if err := AddArm(dir, name); err != nil {
			t.Fatal(err)
		}
	}
	names, err := Arms(dir)
	if diff := cmp.Diff([]string{"tare-00000001", "tare-00000002"}, names); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if err := os.WriteFile(filepath.Join(dir, ArmsFile), []byte("tare-00000001\nx,app=shop\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if names, err := Arms(dir); err == nil || !strings.Contains(err.Error(), `"x,app=shop" is not the name of an arm`) {
		t.Errorf("another text: %v, %v", names, err)
	}
	if err := AddArm(dir, "tare-00000003"); err == nil {
		t.Error("a file with another text was replaced")
	}
}
