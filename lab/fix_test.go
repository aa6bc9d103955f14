//go:build lab

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestLintFix: what `tare lint --fix` has written by a real node's figures is taken
// by a real API server, every field of it known, and no other byte has changed.
func TestLintFix(t *testing.T) {
	dir := t.TempDir()
	file, node := filepath.Join(dir, "fix.yaml"), filepath.Join(dir, "node.yaml")
	before, err := os.ReadFile("testdata/fix.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{file: before, node: kubectl(t, "get", "node", "n1", "-o", "yaml")} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var exit *exec.ExitError
	if out, err := exec.Command(filepath.Join(programs(), "tare"), "lint", "--fix", "--node", node, file).CombinedOutput(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("tare lint: %v, want what is not certain found still, and 1\n%s", err, out)
	}
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// How many CPUs fit is the machine's to say.
	fits := regexp.MustCompile(`cpu: "(\d+)"`).FindSubmatch(after)
	if fits == nil || string(fits[1]) == "56" {
		t.Fatalf("the CPUs are not fixed:\n%s", after)
	}
	want := bytes.ReplaceAll(before, []byte("56"), fits[1])
	want = bytes.ReplaceAll(want, []byte("optional: true"), []byte("optional: false"))
	if !bytes.Equal(after, want) {
		t.Errorf("fixed:\n%s\nwant:\n%s", after, want)
	}
	kubectl(t, "apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", file)
}
