package stats

import (
	"fmt"
	"math"
	"testing"
)

// spread has mean 0 and SD 1.
func spread(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i) - float64(n-1)/2
	}
	sd := SD(x)
	for i := range x {
		x[i] /= sd
	}
	return x
}

// Half-widths per SD that an independent program found for the same formula.
func TestConfidenceSequence(t *testing.T) {
	for _, c := range []struct {
		n       int
		g, want float64
	}{{4, 3, 4.025}, {8, 3, 1.472}, {10, 3, 1.240}, {10, 1.38, 1.218}, {20, 3, 0.801}, {40, 3, 0.552}} {
		lo, hi := ConfidenceSequence(spread(c.n), 0.05, c.g)
		near(t, fmt.Sprintf("half-width n=%d g=%v", c.n, c.g), (hi-lo)/2, c.want, 0.001)
		near(t, "centre", (hi+lo)/2, 0, 1e-12)
	}
	lo, hi := ConfidenceSequence(spread(2), 0.05, 1)
	if !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		t.Errorf("two values give [%v,%v], want the whole line", lo, hi)
	}
	lo, _ = ConfidenceSequence(nil, 0.05, 1)
	near(t, "of nothing", lo, math.NaN(), 0)
	lo, _ = ConfidenceSequence(spread(9), 0.05, 0)
	near(t, "without a mixture", lo, math.NaN(), 0)
}

func TestLookLevels(t *testing.T) {
	got, err := LookLevels([]float64{1}, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "one look", got[0], 0.05, 1e-7)
	got, err = LookLevels([]float64{0.4, 0.7, 1}, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{0.0019, 0.0184, 0.0428} {
		near(t, fmt.Sprintf("look %d", k), got[k], want, 1e-4)
	}
	for _, bad := range [][]float64{nil, {0.5}, {0.5, 0.5, 1}, {0, 1}, {0.7, 0.4, 1}, {math.NaN(), 1}} {
		if _, err := LookLevels(bad, 0.05); err == nil {
			t.Errorf("looks at %v give no error", bad)
		}
	}
	if _, err := LookLevels([]float64{1}, 0); err == nil {
		t.Error("alpha 0 gives no error")
	}
}

// The planning table: half-width and detectable effect per SD.
func TestPlanningTable(t *testing.T) {
	for _, c := range []struct {
		rounds      int
		half, least float64
	}{{5, 1.24, 1.69}, {6, 1.05, 1.44}, {8, 0.84, 1.16}, {10, 0.72, 1.00}, {16, 0.53, 0.75}, {40, 0.32, 0.45}} {
		near(t, fmt.Sprintf("half-width, %d rounds", c.rounds), HalfWidth(1, c.rounds), c.half, 0.006)
		near(t, fmt.Sprintf("detectable, %d rounds", c.rounds), DetectableEffect(1, c.rounds), c.least, 0.02)
	}
	for rounds := 2; rounds <= 8; rounds++ {
		smaller := 0.0
		for k := 1; k <= 20; k++ {
			effect := DetectableEffectFamily(1, rounds, k)
			if half := HalfWidthFamily(1, rounds, k); !(effect > half) || !(effect > smaller) {
				t.Errorf("%d rounds, %d comparisons: %v is detectable, half of the interval %v, one comparison less %v", rounds, k, effect, half, smaller)
			}
			if power := PowerFamily(2*effect, 1, rounds, k); !(power > 0.8 && power <= 1) {
				t.Errorf("%d rounds, %d comparisons: power %v", rounds, k, power)
			}
			smaller = effect
		}
	}
	near(t, "detectable of 10 comparisons, 2 rounds", DetectableEffectFamily(0.01, 2, 10), 1.154, 0.001)
	near(t, "scale", DetectableEffect(0.01, 10), DetectableEffect(1, 10)/100, 1e-9)
	near(t, "power without an effect", Power(0, 1, 8), 0.05, 1e-6)
	near(t, "power of one round", Power(1, 1, 1), math.NaN(), 0)
	near(t, "effect that one round detects", DetectableEffect(1, 1), math.NaN(), 0)
}
