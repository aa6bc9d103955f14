package capture

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNews: a statement is read once; what may be missing before a statement is said; and one that the
// server wrote behind the place that was read is found by the next reading.
func TestNews(t *testing.T) {
	seen := noStatements()
	for _, c := range []struct {
		ring []int64
		want string // * stands before a statement that follows a gap
	}{
		{[]int64{3, 4, 5}, "*3 4 5"},
		{[]int64{4, 5, 6}, "6"},
		{[]int64{6, 5, 4}, ""},
		{[]int64{5, 6, 9}, "9"},          // 7 and 8 were written behind the reader
		{[]int64{7, 8, 9, 10}, "7 8 10"}, // and are there now
		{[]int64{12, 13}, "*12 13"},      // 10 has left the ring
	} {
		var ring []event
		for _, id := range c.ring {
			ring = append(ring, event{thread: 1, id: id})
		}
		got := ""
		for _, e := range seen.news(ring) {
			got += map[bool]string{true: " *", false: " "}[e.gap] + fmt.Sprint(e.id)
		}
		if d := cmp.Diff(c.want, strings.TrimPrefix(got, " ")); d != "" {
			t.Errorf("%v: %s", c.ring, d)
		}
	}
	if got := seen.news([]event{{thread: 2, id: 1}}); !slices.Equal(got, []event{{thread: 2, id: 1, gap: true}}) {
		t.Errorf("another thread: %+v", got)
	}
}

// TestMarkMissing: a jump in the numbers of a thread's events means missing statements, unless jumps
// are usual on the server.
func TestMarkMissing(t *testing.T) {
	for _, c := range []struct{ name, events, want string }{
		{"all there", "1-2 3-3 4-6 7-7 8-8", "1 3 4 7 8"},
		{"in a stored program", "1-9 3-3 5-8 10-10 11-11", "1 3 5 10 11"},
		{"two missing", "1-1 2-2 3-3 4-4 5-5 6-6 9-9 10-10 11-11 12-12 13-13 14-14", "1 2 3 4 5 6 *9 10 11 12 13 14"},
		{"after a known gap", "1-1 2-2 *9-9 10-10", "1 2 *9 10"},
		{"waits are recorded", "1-1 3-3 5-5 7-7 8-8", "1 3 5 7 8"},
	} {
		var all []event
		for _, f := range strings.Fields(c.events) {
			e := event{thread: 1}
			f, e.gap = strings.CutPrefix(f, "*")
			if _, err := fmt.Sscanf(f, "%d-%d", &e.id, &e.last); err != nil {
				t.Fatal(err)
			}
			all = append(all, e)
		}
		all = append(all, event{thread: 2, id: 40, last: 40}) // another thread begins anywhere
		markMissing(all)
		var got []string
		for _, e := range all {
			got = append(got, map[bool]string{true: "*"}[e.gap]+fmt.Sprint(e.id))
		}
		if d := cmp.Diff(c.want+" 40", strings.Join(got, " ")); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
