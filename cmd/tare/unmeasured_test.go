package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestUnmeasured: a finished run without a figure of an arm is an error, one sentence, wherever it is judged but in the pod
// that carried it out; a condition that fails as well decides the exit code.
func TestUnmeasured(t *testing.T) {
	const runs = "../../internal/report/testdata/runs/"
	var told bytes.Buffer
	to := &terminal{out: &told, err: &told}
	err := runOptions{}.judge(to, runs+"starved")
	if err == nil || exitCode(err) != exitFailed || strings.Contains(err.Error(), "\n") ||
		!strings.HasPrefix(err.Error(), "an arm was not measured in any trial: besteffort (6 trials; the first: not-ready: the server did not answer within 1m0s") {
		t.Errorf("starved: %v", err)
	}
	if err := (runOptions{failIf: []string{"throughput<-1%"}}).judge(to, runs+"starved"); err == nil || exitCode(err) != exitGate || !strings.Contains(err.Error(), "an arm was not measured in any trial") {
		t.Errorf("starved, with a condition: %v", err)
	}
	if err := (runOptions{unjudged: true}).judge(to, runs+"starved"); err != nil {
		t.Errorf("in a pod: %v", err)
	}
	for _, dir := range []string{"demo", "busy", "voids", "levels", "saturation", "rate"} {
		if err := (runOptions{}).judge(to, runs+dir); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
