package replication

import "testing"

// TestElected: a member alone with its old view elects nobody, and a group that has become small
// elects by its own size.
func TestElected(t *testing.T) {
	old := Standing{Member: true, Primary: 1, View: 3}
	two := Standing{Member: true, Primary: 2, View: 2}
	out := Standing{Primary: 1, View: 3}
	for _, c := range []struct {
		all  []Standing
		want int
	}{
		{nil, 0},
		{[]Standing{old}, 0},
		{[]Standing{old, two, two}, 2},
		{[]Standing{two, two, old}, 2},
		{[]Standing{old, old, old}, 1},
		{[]Standing{old, two}, 0},
		{[]Standing{out, out, out}, 0},
		{[]Standing{{Member: true, Primary: 1}, {Member: true, Primary: 2}}, 0}, // no group with one primary
	} {
		if got := Elected(c.all); got != c.want {
			t.Errorf("%+v: %d, want %d", c.all, got, c.want)
		}
	}
}
