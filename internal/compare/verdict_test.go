package compare

import (
	"math/rand/v2"
	"testing"
)

// The four conditions cover every pair of nested intervals exactly once.
func TestVerdictPartition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[Verdict]int{}
	check := func(mid, half95, share, margin float64) {
		in95 := Interval{mid - half95, mid + half95}
		in90 := Interval{mid - half95*share, mid + half95*share}
		got := VerdictOf(in95, in90, margin)
		seen[got]++
		below, above := in95.Hi < 0, in95.Lo > 0
		inside := in90.Lo >= -margin && in90.Hi <= margin
		holds := map[Verdict]bool{
			Costs: below && !inside, Gains: above && !inside, WithinMargin: (below || above) && inside,
			Equivalent: !below && !above && inside, Inconclusive: !below && !above && !inside,
		}
		n := 0
		for _, ok := range holds {
			if ok {
				n++
			}
		}
		if n != 1 || !holds[got] {
			t.Fatalf("%v %v margin %v: %s, of %d that hold", in95, in90, margin, got, n)
		}
	}
	for mid := -4.0; mid <= 4; mid += 0.125 { // exact binary steps hit every edge
		for half := 0.0; half <= 4; half += 0.125 {
			for _, margin := range []float64{0, 0.5, 1, 2} {
				check(mid, half, 0.75, margin)
			}
		}
	}
	for range 20000 {
		check(8*rng.Float64()-4, 4*rng.Float64(), rng.Float64(), 2*rng.Float64())
	}
	for _, v := range []Verdict{Costs, Gains, WithinMargin, Equivalent, Inconclusive} {
		if seen[v] == 0 {
			t.Errorf("the walk never met %s", v)
		}
	}
}

// Slower and faster are treated alike.
func TestVerdictMirror(t *testing.T) {
	mirror := map[Verdict]Verdict{Costs: Gains, Gains: Costs, WithinMargin: WithinMargin, Equivalent: Equivalent, Inconclusive: Inconclusive}
	for mid := -3.0; mid <= 3; mid += 0.25 {
		for half := 0.0; half <= 3; half += 0.25 {
			in95, in90 := Interval{mid - half, mid + half}, Interval{mid - half/2, mid + half/2}
			flip := func(i Interval) Interval { return Interval{-i.Hi, -i.Lo} }
			v, w := VerdictOf(in95, in90, 1), VerdictOf(flip(in95), flip(in90), 1)
			if mirror[v] != w {
				t.Errorf("%v is %s, its mirror %s", in95, v, w)
			}
			if pastMargin(v, in95, 1) != pastMargin(w, flip(in95), 1) {
				t.Errorf("%v: past the margin differs from its mirror", in95)
			}
		}
	}
}
