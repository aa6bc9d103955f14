package main

import (
	"crypto/sha256"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestBuildIsReproducible: the sources in another directory, without its Git data, give
// the same bytes. scripts/reproducible.sh does it from nothing, for every architecture.
func TestBuildIsReproducible(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"cmd", "internal", "examples"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join("../..", name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		copyFile(t, filepath.Join("../..", name), filepath.Join(dir, name))
	}
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", "tare", "./cmd/tare")
	build.Dir = dir
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if here, there := fileSum(t, builtTare(t)), fileSum(t, filepath.Join(dir, "tare")); here != there {
		t.Errorf("two builds of the same sources differ: %x and %x", here, there)
	}
}

func fileSum(t *testing.T, path string) (sum [sha256.Size]byte) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		t.Fatal(err)
	}
	copy(sum[:], h.Sum(nil))
	return sum
}
