package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/record"
)

// TestEverySentenceIsFoundAgain: each sentence that tare records is found by its text, with its
// arguments, and no other sentence is taken for it.
func TestEverySentenceIsFoundAgain(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range record.Sentences() {
		if seen[s.Code] || seen[string(s.Sentence)] {
			t.Errorf("%s is there twice", s.Code)
		}
		seen[s.Code], seen[string(s.Sentence)] = true, true
		want := reason("ended-" + s.Code)
		var values []string
		for i, slot := range s.Slots() {
			value := "x" + strings.Repeat("y", i)
			if numeric := []string{"n", "status", "signal", "seconds", "time", "rate"}; slices.Contains(numeric, slot) {
				value = []string{"3", "1.5", "1m0s"}[i%3]
			}
			values, want = append(values, value), want.name(slot, value)
		}
		text := s.Say(values...)
		if got := Ended(text); got == nil || got.String() != want.String() {
			t.Errorf("%q is found as %v, want %v", text, got, want)
		}
	}
}

// TestEnded: sentences within sentences are found, and what is none of tare's is left alone.
func TestEnded(t *testing.T) {
	deep := strings.Repeat("start: ", 9) + "x"
	for text, want := range map[string]string{
		"start: server died before it was ready: mysqld has ended: exit status 1; its last lines:\nboom\nbang": "ended-start why=[ended-died why=[ended-exited-log how=exit status 1 log=boom\nbang]]",
		"load: verify the data: 3 rows differ": "ended-load why=[ended-verify why=3 rows differ]",
		"line 7: damaged: cut off":             "ended-stream-line n=7 why=[ended-line-cut]",
		"line 7: unexpected end of JSON input": "ended-stream-line n=7 why=unexpected end of JSON input",
		"mysqld has ended in its container: signal: killed; the kernel has killed 1 of its processes: the memory limit was reached":        "ended-killed-for-memory how=signal: killed n=1",
		"the schema s was lost: a, b, c and 2 more were dropped or created again during the load: not the server that the load began with": "ended-more-tables-lost n=2 schema=s tables=a, b, c",
		"the server did not answer within long": "",
		"no answer within 60s":                  "",
		"disk full":                             "",
		"":                                      "",
		deep:                                    strings.Repeat("ended-start why=[", 7) + "ended-start why=start: x" + strings.Repeat("]", 7),
		"start: " + strings.Repeat("x", longestReason): "",
	} {
		got := ""
		if r := Ended(text); r != nil {
			got = r.String()
		}
		if got != want {
			t.Errorf("%.200q is %q, want %q", text, got, want)
		}
	}
}
