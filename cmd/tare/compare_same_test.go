package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// TestSameRun: a run that is compared with itself is said to be that, by whatever paths it is named.
func TestSameRun(t *testing.T) {
	dir := "testdata/records/stream-5-plan-3"
	again, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	for other, want := range map[string]bool{again: true, "testdata/records/stream-4-plan-2": false} {
		var out, errs bytes.Buffer
		run([]string{"compare", dir, other}, &terminal{out: &out, err: &errs}) // these runs are too short for a verdict
		if got := strings.Contains(errs.String(), "are the same run"); got != want {
			t.Errorf("%s: %s", other, errs.String())
		}
	}
}
