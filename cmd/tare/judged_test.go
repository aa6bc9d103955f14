package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestJudgedWithoutReader: a run that is complete is judged also where nobody reads its report to the end, and that
// judgement is the exit code.
func TestJudgedWithoutReader(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	if err := os.CopyFS(dir, os.DirFS("../../internal/report/testdata/runs/demo")); err != nil {
		t.Fatal(err)
	}
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	defer out.Close()
	var errs bytes.Buffer
	to := &terminal{out: out, err: &errs}
	if err := conclude(to, dir, "text"); err != nil {
		t.Errorf("%v", err)
	}
	if !strings.Contains(errs.String(), "report: "+filepath.Join(dir, "report.html")) {
		t.Errorf("where the report is is not said: %s", errs.String())
	}
	if err := (runOptions{failIf: []string{"throughput<-3%"}}).judge(to, dir); !errors.As(err, new(gate)) || exitCode(err) != exitGate {
		t.Errorf("%v", err)
	}
}

// TestOpenConditionsQuietly: --quiet leaves the conditions that are open, as those that are not met.
func TestOpenConditionsQuietly(t *testing.T) {
	var out, errs bytes.Buffer
	to := &terminal{out: &out, err: &errs}
	root := rootCommand(to)
	root.SetArgs([]string{"version", "--quiet"})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	if err := (runOptions{failIf: []string{"throughput<-45%"}}).judge(to, "../../internal/report/testdata/runs/demo"); err != nil {
		t.Errorf("%v", err)
	}
	if !strings.Contains(errs.String(), "throughput<-45% is open in besteffort") {
		t.Errorf("nothing of the open condition: %q", errs.String())
	}
}
