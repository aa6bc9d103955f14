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
