package main

// The test of the tool: a package whose test checks one condition and not another.

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSurvivors: what a test notices is not printed; the boundary and the operand that it
// does not check are.
func TestSurvivors(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.24\n",
		"m.go":   "package m\n\nfunc Between(n, lo, hi int) bool { return n >= lo && n < hi }\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestBetween(t *testing.T) {\n" +
			"\tfor n, want := range map[int]bool{1: false, 2: true, 3: true} {\n" +
			"\t\tif Between(n, 2, 9) != want {\n\t\t\tt.Error(n)\n\t\t}\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	var out bytes.Buffer
	n, err := survivors(&out, t.TempDir(), ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "m.go:3:54: n < hi: left out\nm.go:3:54: n < hi: boundary\n.: 2 of 6 mutants survived\n"
	if got := out.String(); n != 2 || got != want {
		t.Errorf("%d survivors:\n%s\nwant:\n%s", n, got, want)
	}
}

// TestFailingTests: tests that fail by themselves say nothing about mutants.
func TestFailingTests(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module m\n\ngo 1.24\n",
		"m.go":      "package m\n\nfunc Zero(n int) bool { return n == 0 }\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestZero(t *testing.T) { t.Fatal(Zero(0)) }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	_, err := survivors(&bytes.Buffer{}, t.TempDir(), ".", nil)
	if err == nil || !strings.Contains(err.Error(), "fail without a mutant") {
		t.Errorf("error %v", err)
	}
}
