package summary

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/record"
)

// slowestText is what a report prints of the slowest transactions.
func slowestText(s *record.Slowest) string {
	var out strings.Builder
	(&Summary{Slowest: s}).slowest(&out)
	return out.String()
}

// TestSlowestText: the share that was told apart is printed with its numbers, then the
// longest part of a slow transaction first; what is below 1 % is left out.
func TestSlowestText(t *testing.T) {
	got := slowestText(&record.Slowest{All: 20834, Slow: 273, Parts: []record.SlowestPart{
		{Name: record.SpentClient, AllNS: 20834 * 1000, SlowNS: 273 * 2000}, {Name: "point_selects", AllNS: 20834 * 6_400_000, SlowNS: 273 * 9_000_000},
		{Name: "commit", AllNS: 20834 * 1_599_000, SlowNS: 273 * 50_998_000},
	}})
	want := `
The slowest: 273 of 20834 transactions (1.31 %) took as long as the 99th percentile of those before them, or longer.
Mean of a transaction (ms):                  of all     share  of the slowest  share
    a transaction                             8.000  100.00 %         60.000  100.00 %
    commit                                    1.599   19.99 %         50.998   85.00 %
    point_selects                             6.400   80.00 %          9.000   15.00 %
`
	if got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
}

// TestNothingIsSaidOfFew: not of fewer than a hundred, and not where none were told
// apart.
func TestNothingIsSaidOfFew(t *testing.T) {
	parts := []record.SlowestPart{{Name: "commit", AllNS: 1000, SlowNS: 900}}
	for _, s := range []*record.Slowest{nil, {}, {All: 10000, Slow: record.EnoughSlow - 1, Parts: parts}} {
		if got := slowestText(s); got != "" {
			t.Errorf("%+v: %s", s, got)
		}
	}
	if got := slowestText(&record.Slowest{All: 10000, Slow: record.EnoughSlow, Parts: parts}); !strings.Contains(got, "1.00 %") {
		t.Errorf("of a hundred %q", got)
	}
}
