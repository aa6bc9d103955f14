package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInitRefusesAServerThatCannotStart: nothing is written, and the user sees what the loader said.
func TestInitRefusesAServerThatCannotStart(t *testing.T) {
	if err := measuresHere(); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} { // the server runs as a user of its own
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	server, file := filepath.Join(dir, "mysqld"), filepath.Join(dir, "x.yaml")
	if err := os.WriteFile(server, []byte("#!/bin/sh\necho 'libicuuc.so.78: cannot open shared object file' >&2\nexit 127\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	code := run([]string{"init", "--database", server, file}, &terminal{out: &out, err: &errs})
	if code != exitInvalid || !strings.Contains(errs.String(), "libicuuc.so.78: cannot open shared object file") || !strings.Contains(errs.String(), "--database rootfs:DIR") {
		t.Errorf("exit code %d: %s%s", code, out.String(), errs.String())
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file was written: %v", err)
	}
}
