package loadgen

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/workload"
)

// TestLedgerCompare: what was acknowledged has to be there once, what was not answered may
// be, and nothing else.
func TestLedgerCompare(t *testing.T) {
	g := &workload.Ledger{Prepared: 2, Accounts: []workload.Account{
		{Client: 1, Attempts: 3, Unanswered: []uint32{2}}, {Client: 2, Attempts: 2},
	}}
	whole := []entry{{0, 1}, {0, 2}, {1, 1}, {1, 3}, {2, 1}, {2, 2}}
	for _, c := range []struct {
		name string
		have []entry
		want Ledgered
	}{
		{"whole", whole, Ledgered{}},
		{"committed without an answer", append([]entry{{0, 1}, {0, 2}, {1, 1}, {1, 2}}, whole[3:]...), Ledgered{Unanswered: 1}},
		{"lost", whole[:5], Ledgered{Lost: 1, Examples: []string{"lost: 2#2"}}},
		{"all lost", nil, Ledgered{Lost: 6, Examples: []string{"lost: 0#1", "lost: 0#2", "lost: 1#1"}}},
		{"prepared entry lost", whole[1:], Ledgered{Lost: 1, Examples: []string{"lost: 0#1"}}},
		{"doubled", append([]entry{{0, 1}}, whole...), Ledgered{Doubled: 1, Examples: []string{"duplicated: 0#1"}}},
		{"doubled without an answer", append(append([]entry{}, whole[:3]...), append([]entry{{1, 2}, {1, 2}}, whole[3:]...)...), Ledgered{Doubled: 1, Examples: []string{"duplicated: 1#2"}}},
		{"number never sent", append(append([]entry{}, whole...), entry{2, 9}), Ledgered{Unknown: 1, Examples: []string{"never sent: 2#9"}}},
		{"client never there", append(append([]entry{}, whole...), entry{7, 1}), Ledgered{Unknown: 1, Examples: []string{"never sent: 7#1"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got Ledgered
			err := got.compare(g, func(yield func(entry, error) bool) {
				for _, e := range c.have {
					if !yield(e, nil) {
						return
					}
				}
			})
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("error %v; -want +got:\n%s", err, diff)
			}
			if whole := c.want.Lost+c.want.Doubled+c.want.Unknown == 0; got.Whole() != whole {
				t.Errorf("whole is %v", got.Whole())
			}
		})
	}
	if n := g.Acknowledged(); n != 4 {
		t.Errorf("%d entries were acknowledged, want 4", n)
	}
}
