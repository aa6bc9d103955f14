package main

import (
	"errors"
	"strings"
	"testing"
)

// TestRunFailIf: besteffort of this run is 43 to 48 % slower than bare, and guaranteed 7 %.
func TestRunFailIf(t *testing.T) {
	const dir = "../../internal/report/testdata/runs/demo"
	var told strings.Builder
	to := &terminal{out: &told, err: &told}
	for condition, want := range map[string]string{
		"throughput<-3%": "besteffort", "throughput<-45%": "", "throughput<-60%": "", "throughput>+1%": "",
	} {
		err := runOptions{failIf: []string{condition}}.judge(to, dir)
		var failed gate
		if errors.As(err, &failed) != (want != "") || want != "" && !strings.Contains(err.Error(), condition+" failed in "+want) {
			t.Errorf("%s: %v, want %q", condition, err, want)
		}
	}
	if err := (runOptions{failIf: []string{"throughput<-45%"}, strict: true}).judge(to, dir); !errors.As(err, new(gate)) {
		t.Errorf("strict: %v", err)
	}
	if !strings.Contains(told.String(), "throughput<-45% is open in besteffort (exit code 0 if no other condition fails; --strict makes it 1): ") {
		t.Errorf("a condition that is neither met nor excluded is not told: %s", told.String())
	}
	// Of "busy" the report has no verdict, so that no condition on it fails, whichever it is.
	told.Reset()
	open := runOptions{failIf: []string{"throughput<-0.1%", "throughput>+0.1%", "p99>1%"}}
	if err := open.judge(to, "../../internal/report/testdata/runs/busy"); err != nil {
		t.Errorf("a run without a verdict: %v", err)
	}
	if !strings.Contains(told.String(), "there is no verdict: other processes") {
		t.Errorf("why a condition is open is not told: %s", told.String())
	}
	open.strict = true
	if err := open.judge(to, "../../internal/report/testdata/runs/busy"); !errors.As(err, new(gate)) {
		t.Errorf("strict, without a verdict: %v", err)
	}
	for _, line := range []string{"run none --fail-if nonsense", "versus 127.0.0.1:1 --fail-if nonsense", "run --resume none --rounds 3"} {
		var told strings.Builder
		if code := run(strings.Fields(line), &terminal{out: &told, err: &told}); code != exitInvalid {
			t.Errorf("tare %s: exit code %d, %s", line, code, told.String())
		}
	}
}
