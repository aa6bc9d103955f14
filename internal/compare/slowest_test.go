package compare

import (
	"math"
	"testing"

	"github.com/tarebench/tare/internal/record"
)

// slow is a trial of which so many in a thousand transactions are slow, and whose
// transactions take 1 ms, the slow ones 2 ms, and this long to commit besides.
func slow(round int, of int64, commit, slowCommit float64) *record.Trial {
	const all = 10000
	ns := func(n int64, ms float64) int64 { return int64(float64(n) * ms * 1e6) }
	return &record.Trial{Header: record.Header{Round: round}, Window: &record.Window{Slowest: &record.Slowest{
		All: all, Slow: of * all / 1000, Parts: []record.SlowestPart{
			{Name: record.SpentClient}, {Name: "point_selects", AllNS: ns(all, 1), SlowNS: ns(of*all/1000, 2)},
			{Name: "commit", AllNS: ns(all, commit), SlowNS: ns(of*all/1000, slowCommit)},
		}}}}
}

// TestSlowest: of two arms the one whose slow transactions wait for commits says so,
// with the interval over the rounds and the change to the baseline.
func TestSlowest(t *testing.T) {
	base := slowest([]*record.Trial{slow(1, 10, 1, 2), slow(2, 11, 1, 2.2), slow(3, 10, 1, 2.1)}, stopping{})
	arm := slowest([]*record.Trial{slow(1, 13, 2, 18), slow(2, 13, 2, 18.2), slow(4, 13, 2, 18.4)}, stopping{})
	arm.against(base, stopping{})
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }
	if arm.All != 30000 || arm.Slow != 390 || len(arm.Parts) != 2 || arm.Parts[0].Slow.Name != "commit" || arm.Parts[1].Slow.Name != "point_selects" {
		t.Fatalf("%+v", arm)
	}
	commit := arm.Parts[0]
	if !near(arm.Whole.Average, 3) || !near(arm.Whole.Slow.Milliseconds, 20.2) || !near(commit.Average, 2) || !near(commit.Slow.Milliseconds, 18.2) {
		t.Errorf("%+v of %+v", commit, arm.Whole)
	}
	if commit.Rounds != 3 || commit.Interval == nil || !(commit.Interval.Lo < 18.2 && commit.Interval.Lo > 17 && commit.Interval.Hi > 18.2) {
		t.Errorf("%d rounds, %v", commit.Rounds, commit.Interval)
	}
	if c := commit.Slow; c.Rounds != 2 || !near(c.Change, 16) || c.Interval == nil || !near(c.Interval.Lo, 16) || !near(c.Interval.Hi, 16) {
		t.Errorf("against the baseline: %+v", c)
	}
	if !math.IsNaN(base.Whole.Slow.Change) || base.Whole.Interval == nil {
		t.Errorf("the baseline: %+v", base.Whole)
	}
	// What the baseline has not took it no time.
	base.Parts = base.Parts[1:]
	arm.against(base, stopping{})
	if c := arm.Parts[0].Slow; c.Rounds != 2 || !near(c.Change, 18.1) {
		t.Errorf("against a baseline without commits: %+v", c)
	}
	one := slowest([]*record.Trial{slow(1, 10, 1, 2)}, stopping{})
	if one == nil || one.Whole.Interval != nil || one.Whole.Rounds != 1 {
		t.Errorf("one round: %+v", one)
	}
}

// TestTooFewSlow: of fewer than a hundred nothing is said, nor of a record that has
// none; and an arm is not compared with what is not known.
func TestTooFewSlow(t *testing.T) {
	few := []*record.Trial{slow(1, 5, 1, 2), slow(2, 4, 1, 2), {Window: &record.Window{}}, slow(3, 0, 1, 2)}
	if s := slowest(few, stopping{}); s != nil {
		t.Errorf("90 are enough: %+v", s)
	}
	s := slowest(append(few, slow(4, 1, 1, 2)), stopping{})
	if s == nil || s.Slow != 100 || s.Whole.Rounds != 3 {
		t.Fatalf("100 are not enough: %+v", s)
	}
	s.against(nil, stopping{})
	(*Slowest)(nil).against(s, stopping{})
	if !math.IsNaN(s.Whole.Slow.Change) {
		t.Errorf("%+v", s.Whole)
	}
}
