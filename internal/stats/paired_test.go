package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Eight per-round log-ratios of an arm that costs about 10 %.
func eightRounds() []float64 {
	return []float64{-0.112, -0.098, -0.105, -0.121, -0.089, -0.101, -0.117, -0.095}
}

func TestPairedT(t *testing.T) {
	p := PairedT(eightRounds())
	if p.N != 8 {
		t.Errorf("N = %d, want 8", p.N)
	}
	// mean and SD by hand; t(.975,7)=2.364624251592785, t(.95,7)=1.894578605061305 (R qt).
	mean, sd := -0.10475, math.Sqrt(869.5e-6/7)
	near(t, "mean", p.Mean, mean, 1e-12)
	near(t, "SD", p.SD, sd, 1e-12)
	near(t, "Lo95", p.Lo95, mean-2.364624251592785*sd/math.Sqrt(8), 1e-12)
	near(t, "Hi95", p.Hi95, mean+2.364624251592785*sd/math.Sqrt(8), 1e-12)
	near(t, "Lo90", p.Lo90, mean-1.894578605061305*sd/math.Sqrt(8), 1e-12)
	near(t, "Hi90", p.Hi90, mean+1.894578605061305*sd/math.Sqrt(8), 1e-12)
	near(t, "sign-flip p", p.SignFlipP, 2.0/256, 1e-15) // all of one sign: the least possible
}

func TestPairedTWithTooFewRounds(t *testing.T) {
	one := PairedT([]float64{-0.1})
	near(t, "mean", one.Mean, -0.1, 0)
	for what, v := range map[string]float64{"SD": one.SD, "Lo95": one.Lo95, "Hi95": one.Hi95, "Lo90": one.Lo90, "Hi90": one.Hi90} {
		near(t, what, v, math.NaN(), 0)
	}
	near(t, "sign-flip p of one round", one.SignFlipP, 1, 0)
	none := PairedT(nil)
	near(t, "mean of none", none.Mean, math.NaN(), 0)
	near(t, "p of none", none.SignFlipP, math.NaN(), 0)
}

func TestPairedTFamily(t *testing.T) {
	x := eightRounds()
	p := PairedTFamily(x, 4)
	lo, hi := TInterval(x, 0.05/4)
	near(t, "Lo95", p.Lo95, lo, 0)
	near(t, "Hi95", p.Hi95, hi, 0)
	lo, hi = TInterval(x, 0.10/4)
	near(t, "Lo90", p.Lo90, lo, 0)
	near(t, "Hi90", p.Hi90, hi, 0)
	near(t, "p", p.SignFlipP, 4*2.0/256, 1e-15)
	if single := PairedT(x); !(p.Lo95 < single.Lo95 && p.Hi95 > single.Hi95) {
		t.Errorf("family interval [%v,%v] does not contain the single one [%v,%v]", p.Lo95, p.Hi95, single.Lo95, single.Hi95)
	}
}

// bruteFlipP counts every pattern again, without Gray code or symmetry.
func bruteFlipP(x []float64) float64 {
	n := len(x)
	sum := func(mask int) (s float64) {
		for i, v := range x {
			if mask>>i&1 == 1 {
				v = -v
			}
			s += v
		}
		return math.Abs(s)
	}
	hits := 0
	for mask := range 1 << n {
		if sum(mask) >= sum(0)-1e-9 {
			hits++
		}
	}
	return float64(hits) / float64(int(1)<<n)
}

func TestSignFlipPAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 12; n++ {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Round(10*rng.NormFloat64()+4) / 10 // rounded, so that ties happen
		}
		near(t, "exact p", SignFlipP(x), bruteFlipP(x), 1e-15)
	}
}

func TestSignFlipPSampled(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := make([]float64, 40)
	for i := range x {
		x[i] = 0.3 + rng.NormFloat64()
	}
	p := SignFlipP(x)
	// For 40 normal values the randomisation and t distributions agree closely.
	near(t, "sampled p", p, tTwoSided(Mean(x)/SD(x)*math.Sqrt(40), 39), 0.015)
	if again := SignFlipP(x); again != p {
		t.Errorf("second call gave %v after %v", again, p)
	}
	near(t, "p of NaN", SignFlipP([]float64{1, math.NaN()}), math.NaN(), 0)
}

func TestRoundsFor(t *testing.T) {
	// Planning tables for a half-width of 0.6 % often assume the
	// final t quantile; Stein's uses the pilot's, t(.975,7)=2.3646.
	for _, c := range []struct {
		sd, w float64
		pilot int
		want  int
	}{
		{0.01, 0.006, 8, 16},  // (2.3646/0.6)^2 = 15.53
		{0.005, 0.006, 8, 8},  // 3.9, but the pilot is already there
		{0.02, 0.006, 8, 63},  // 62.1
		{0, 0.006, 8, 8},      // nothing varies
		{0.01, 0, 8, 0},       // asked for the impossible
		{0.01, 0.006, 1, 0},   // no SD from one round
		{math.NaN(), 1, 8, 0}, // no SD at all
	} {
		if got := RoundsFor(c.sd, c.w, c.pilot); got != c.want {
			t.Errorf("RoundsFor(%v, %v, %d) = %d, want %d", c.sd, c.w, c.pilot, got, c.want)
		}
	}
	if one, five := RoundsFor(0.01, 0.006, 8), RoundsForFamily(0.01, 0.006, 8, 5); five <= one {
		t.Errorf("five comparisons need %d rounds, one %d: want more", five, one)
	}
}

func TestSteinInterval(t *testing.T) {
	x := append(eightRounds(), -0.2, -0.01)
	lo, hi := SteinInterval(x, 8, 0.05)
	h := 2.364624251592785 * SD(x[:8]) / math.Sqrt(10)
	near(t, "lo", lo, Mean(x)-h, 1e-12)
	near(t, "hi", hi, Mean(x)+h, 1e-12)
	lo, _ = SteinInterval(x[:5], 8, 0.05)
	near(t, "shorter than its pilot", lo, math.NaN(), 0)
}
