package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Transactions per second of a pod that leaves the guaranteed quota now and
// then: two long levels, and three intervals in which the level was changing.
func switching() []float64 {
	return []float64{10561.88, 10552.00, 10566.00, 10581.08, 12873.80, 20196.89,
		18033.21, 11444.08, 10597.96, 10566.00, 10640.07, 10579.04}
}

func TestTwoStatesFindsThePassage(t *testing.T) {
	s := TwoStates(switching(), 1)
	if !s.Found || len(s.States) != 2 {
		t.Fatalf("TwoStates = %+v, want two states", s)
	}
	low, high := s.States[0], s.States[1]
	near(t, "low level", low.Level, 10572.52, 1e-9) // median without 12873.80 and 11444.08
	near(t, "high level", high.Level, 20196.89, 1e-9)
	near(t, "low share", low.Share, 10.0/12, 1e-15)
	near(t, "high share", high.Share, 2.0/12, 1e-15)
}

// A test that is used again answers as a fresh one does, whatever it saw before,
// and its null is its seed's.
func TestTwoStatesTestRemembersOnlyTheNull(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, seed := range []uint64{1, 7} {
		test := NewTwoStatesTest(seed)
		for _, n := range []int{12, 5, 120, 12, 350, 120, 400} {
			x := normals(rng, n, 100, 1)
			got, want := test.Of(x), TwoStates(x, seed)
			near(t, "R2", got.R2, want.R2, 0)
			near(t, "critical R2", got.Critical, want.Critical, 0)
			if n >= TwoStatesMin {
				near(t, "critical R2 of the null itself", got.Critical, splitCritical(n, seed), 0)
			}
		}
		got, want := test.Of(switching()), TwoStates(switching(), seed)
		if !got.Found || !slices.Equal(got.States, want.States) {
			t.Errorf("seed %d: %+v after other series, %+v at first", seed, got, want)
		}
	}
	if NewTwoStatesTest(1).criticalOf(12) == NewTwoStatesTest(7).criticalOf(12) {
		t.Error("the seed does not reach the null")
	}
}

// Sixty trials of one length cost one null, not sixty.
func TestTwoStatesTestSimulatesOncePerLength(t *testing.T) {
	test := NewTwoStatesTest(1)
	for n := range 60 {
		test.Of(normals(rand.New(rand.NewPCG(9, uint64(n))), 300+n%2, 100, 1))
	}
	if len(test.critical) != 1 {
		t.Errorf("%d nulls were simulated, want 1: beyond %d values they are the same", len(test.critical), splitLongest)
	}
}

func TestTwoStatesLeavesANoisySeriesWhole(t *testing.T) {
	s := TwoStates([]float64{20320.06, 20908.89, 20529.03, 17567.75, 18036.82,
		18398.23, 18402.90, 19428.12, 19848.69, 20457.28}, 1)
	if s.Found || s.States != nil {
		t.Errorf("TwoStates = %+v, want none", s)
	}
}

// Critical R^2 at alpha .01 from an independent simulation.
func TestTwoStatesCritical(t *testing.T) {
	for n, want := range map[int]float64{8: 0.937, 10: 0.908, 12: 0.886, 16: 0.855, 20: 0.832} {
		near(t, "critical R2", splitCritical(n, 7), want, 0.006)
	}
}

// In the limit the uniform's R^2 is 3/4; a long series must not be held to the
// standard of a short one.
func TestTwoStatesCriticalOfALongSeries(t *testing.T) {
	if c := splitCritical(3000, 7); c < 0.75 || c > 0.79 {
		t.Errorf("critical R2 of 3000 values is %v, want just above .75", c)
	}
}

func TestTwoStatesOfADriftAreNone(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x := make([]float64, 180)
	for i := range x {
		x[i] = 100 + float64(i)/3 + rng.NormFloat64()
	}
	if s := TwoStates(x, 1); s.Found {
		t.Errorf("a straight drift gives %+v, want none", s)
	}
	if c := splitQuantile(180, 999, rng.NormFloat64); !(TwoStates(x, 1).R2 > c) {
		t.Error("the normal null alone no longer mistakes a drift for two states: this test has lost its point")
	}
}

func TestTwoStatesOfALongSeries(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	x := make([]float64, 180)
	for i := range x {
		x[i] = 100 + rng.NormFloat64()
		if i/30%2 == 1 {
			x[i] += 6
		}
	}
	s := TwoStates(x, 1)
	if !s.Found {
		t.Fatalf("TwoStates = %+v, want two states", s)
	}
	near(t, "low", s.States[0].Level, 100, 0.01)
	near(t, "high", s.States[1].Level, 106, 0.01)
	near(t, "share", s.States[1].Share, 0.5, 0.02)
}

func TestTwoStatesEdges(t *testing.T) {
	for name, x := range map[string][]float64{
		"too short": {1, 1, 1, 9, 9},
		"constant":  {5, 5, 5, 5, 5, 5, 5},
		"one high":  {5, 5, 5, 5, 5, 5, 9}, // one outlier is not a state
		"one low":   {5, 5, 5, 5, 5, 5, 1},
		"NaN":       {1, 1, 1, 9, 9, 9, math.NaN()},
		"infinity":  {1, 1, 1, 9, 9, 9, math.Inf(1)},
	} {
		if s := TwoStates(x, 1); s.Found {
			t.Errorf("%s: TwoStates = %+v, want none", name, s)
		}
	}
	// A state whose only members are passages keeps them as its level.
	x := []float64{0, 0.1, 50, 100, 100.1, 100, 50.1, 0, 0.1, 0}
	if r := splitStates(x, 40)[1].Level; r < 99 {
		t.Errorf("upper level %v, want the settled 100", r)
	}
	if r := splitStates([]float64{0, 50, 49, 0, 0.1, 0}, 40)[1].Level; r < 49 || r > 50 {
		t.Errorf("upper level %v, want the median of its members", r)
	}
}
