package podprogram

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSourceBringsNone: nothing that an earlier build left can be in a program that is built without the overlay.
func TestSourceBringsNone(t *testing.T) {
	if got := Architectures(); len(got) > 0 {
		t.Errorf("it brings programs for %q", got)
	}
	if text, ok := Packed("amd64"); ok {
		t.Errorf("it brings %d bytes for amd64", len(text))
	}
}

// TestOverlay: with an overlay as of scripts/podprograms.sh, the files are there.
func TestOverlay(t *testing.T) {
	if os.Getenv("TARE_TEST_OVERLAY") != "" { // in the program that is built below
		text, ok := Packed("arm64")
		if got := Architectures(); strings.Join(got, " ") != "amd64 arm64" || !ok || string(text) != "packed" {
			t.Errorf("architectures %q, arm64: %q, %t", got, text, ok)
		}
		return
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	program, overlay := filepath.Join(t.TempDir(), "program"), filepath.Join(t.TempDir(), "overlay.json")
	in := filepath.Join(here, "programs", "tare-pod-")
	replace := `{"Replace": {"` + in + `amd64.gz": "` + program + `", "` + in + `arm64.gz": "` + program + `"}}`
	if err := os.WriteFile(program, []byte("packed"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, []byte(replace), 0o644); err != nil {
		t.Fatal(err)
	}
	again := exec.Command("go", "test", "-vet=off", "-count=1", "-run", "^TestOverlay$", "-overlay", overlay, ".")
	again.Env = append(os.Environ(), "TARE_TEST_OVERLAY=1")
	if out, err := again.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
