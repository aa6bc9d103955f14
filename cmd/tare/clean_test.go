package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRemovedLine: where there was nothing to remove, clean says so; where something could not be removed it does not.
func TestRemovedLine(t *testing.T) {
	for _, c := range []struct {
		n    int
		err  error
		want string
	}{
		{0, nil, "0 removed: killed runs have left nothing here"},
		{0, errors.New("busy"), "0 removed"},
		{2, nil, "2 removed"},
	} {
		if got := removedLine(c.n, c.err); got != c.want {
			t.Errorf("%d, %v: %q, want %q", c.n, c.err, got, c.want)
		}
	}
}

// TestCleanDataSays: prepared data that are removed are named with their size, and do not count as leftovers of runs.
func TestCleanDataSays(t *testing.T) {
	state := t.TempDir()
	data := filepath.Join(state, "data")
	if err := os.MkdirAll(filepath.Join(data, "seed"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "seed", "ibdata1"), make([]byte, 3<<19), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{data + " removed, 1.5 MiB\n", "no prepared data and no unpacked images are here\n"} {
		var out, errs bytes.Buffer
		if code := run([]string{"clean", "--data", "--state", state}, &terminal{out: &out, err: &errs}); code != 0 || !strings.HasSuffix(out.String(), want) {
			t.Errorf("exit %d: %s%s, want %q", code, out.String(), errs.String(), want)
		}
	}
}
