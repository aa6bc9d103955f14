package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNobodyReads: a verb whose output nobody reads to its end says nothing of that, as where SIGPIPE ends it; what went wrong besides
// is said.
func TestNobodyReads(t *testing.T) {
	runs, err := filepath.Glob("testdata/records/*/experiment.yaml")
	if err != nil || len(runs) == 0 {
		t.Fatalf("no runs: %v", err)
	}
	dir := filepath.Dir(runs[len(runs)-1])
	for _, args := range [][]string{
		{"report", dir}, {"explain", "K-QOS-01"}, {"list", "rules"}, {"completion", "bash"}, {"help"},
	} {
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		in.Close()
		var errs bytes.Buffer
		code := run(append(args, "--state", t.TempDir()), &terminal{out: out, err: &errs})
		out.Close()
		if strings.Contains(errs.String(), "pipe") || code != exitPipe && args[0] != "help" { // whose text cobra prints without looking
			t.Errorf("tare %s: exit %d: %s", strings.Join(args, " "), code, errs.String())
		}
	}
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	defer out.Close()
	_, gone := fmt.Fprintln(out, "x")
	tty := &terminal{out: out}
	if rest := besides(tty.readerGone, errors.Join(fmt.Errorf("write report: %w", gone), errors.New("a pod is left"))); rest == nil || rest.Error() != "a pod is left" {
		t.Errorf("besides: %v", rest)
	}
}
