package stats

// The estimators of this file, of dip, heterogeneity, mannkendall and mser are not part
// of the program: the tests compare what it uses with them, and show where they fail.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// FalseAlarmLimit is how many of n real A/A campaigns may exclude 0 at 5 % before
// the instrument counts as out of order: more happen less than once in a hundred
// sound instruments. 4 of 20, 6 of 40, 7 of 60, 11 of 100.
func FalseAlarmLimit(n int) int {
	k := 0
	for AtLeast(k+1, n, 0.05) > 0.01 {
		k++
	}
	return k
}

// Slope is the least-squares slope through the origin of y on x, per unit of x.
// For a positive control, x are the log-ratios that known delays must cause and y
// the ones measured in one round; the interval of several rounds' slopes
// ([TInterval]) must include 1. NaN for unequal lengths.
func Slope(x, y []float64) float64 {
	if len(x) != len(y) {
		return math.NaN()
	}
	return dot(x, y) / dot(x, x)
}

// SelfNormalisedScan is the largest [SelfNormalised] statistic of the beginnings
// and ends of x that hold 6 to 10 tenths of it, and the index of that change in
// x. A beginning that stops before the second of two changes sees a single clean
// one (the idea of Zhang & Lavitas, JASA 113, 2018, on a coarser grid): a level
// that falls by 2 SD for a third of the series and comes back is found in 98 %,
// by the plain statistic in none. The price is a little power for single changes
// (85 instead of 89 % for one SD at rho .6) and a little more correlation of
// seconds taken for change: at the 5 % value and rho .6 it errs 7 % of the time on
// 300 seconds, 12 % on 120. Another level that is visited again and again is a
// matter for [DipTest] and [TwoStates].
func SelfNormalisedScan(x []float64) (stat float64, at int) {
	n := len(x)
	stat, at = SelfNormalised(x)
	for tenths := 6; tenths < 10; tenths++ {
		size := n * tenths / 10
		if s, k := SelfNormalised(x[:size]); s > stat {
			stat, at = s, k
		}
		if s, k := SelfNormalised(x[n-size:]); s > stat {
			stat, at = s, n-size+k
		}
	}
	return stat, at
}

// Regimes cuts x wherever [SelfNormalisedScan] goes beyond critical, again
// inside each part until none does (binary segmentation), and returns the indices
// at which a new level begins, rising; none for a series with one level. Parts
// shorter than shortest are not cut further.
//
// Each part is one more test at the same level: it answers "is this series one
// regime, and where does it break", not "exactly how many".
func Regimes(x []float64, critical float64, shortest int) []int {
	if len(x) < shortest {
		return nil
	}
	stat, at := SelfNormalisedScan(x)
	if !(stat > critical) {
		return nil
	}
	cuts := append(Regimes(x[:at], critical, shortest), at)
	for _, c := range Regimes(x[at:], critical, shortest) {
		cuts = append(cuts, at+c)
	}
	return cuts
}

// TOST is the p-value for "the mean of logRatios lies within ±margin": two
// one-sided t tests (Schuirmann, Journal of Pharmacokinetics and
// Biopharmaceutics 15, 1987), the larger p of the two. p <= .05 is the same
// statement as a 90 % interval inside the margin. margin is on the log scale and
// positive; NaN below two values.
func TOST(logRatios []float64, margin float64) float64 {
	n := float64(len(logRatios))
	if len(logRatios) < 2 || !(margin > 0) {
		return math.NaN()
	}
	m, se := Mean(logRatios), SD(logRatios)/math.Sqrt(n)
	// With no spread at all this is ±Inf, or 0/0 exactly at the margin.
	return tAbove((margin-math.Abs(m))/se, n-1)
}

// tAbove is P(T >= t) for Student's t with df degrees of freedom.
func tAbove(t, df float64) float64 {
	half := tTwoSided(t, df) / 2
	if t < 0 {
		return 1 - half
	}
	return half
}

// Cells is the number of feasible cells, each of which is an arm to measure.
func (f *Factorial) Cells() int {
	n := 0
	for _, ok := range f.feasible {
		if ok {
			n++
		}
	}
	return n
}

// BatchMeans estimates the long-run variance from the means of equally long
// batches, with batches-1 degrees of freedom; values that do not fill a batch are
// dropped at the start, where a transient would be. Ten batches do about as well
// as [EWC]; a series with a cycle wants batches of whole cycles. NaN when a batch
// would hold fewer than two values.
func BatchMeans(x []float64, batches int) LongRun {
	r := LongRun{N: len(x), Mean: math.NaN(), LRV: math.NaN(), DF: float64(batches - 1)}
	if batches >= 2 && len(x) >= 2*batches {
		size := len(x) / batches
		x = x[len(x)-size*batches:]
		z := batchMeans(x, size)
		r.N, r.Mean, r.LRV = len(x), Mean(z), float64(size)*Variance(z)
	}
	r.Var = Variance(x)
	return r.finish()
}

// batchMeans are the means of consecutive batches of size values; a remainder at
// the end is left out.
func batchMeans(x []float64, size int) []float64 {
	z := make([]float64, len(x)/size)
	for i := range z {
		z[i] = Mean(x[i*size : (i+1)*size])
	}
	return z
}

// HalfWidth is [HalfWidthFamily] of one comparison.
func HalfWidth(sd float64, rounds int) float64 { return HalfWidthFamily(sd, rounds, 1) }

// Power is [PowerFamily] of one comparison.
func Power(effect, sd float64, rounds int) float64 { return PowerFamily(effect, sd, rounds, 1) }

// DetectableEffect is [DetectableEffectFamily] of one comparison.
func DetectableEffect(sd float64, rounds int) float64 { return DetectableEffectFamily(sd, rounds, 1) }

// ScreenWithin is the stronger screen: metrics[m] and y hold a row per round and
// a column per arm, and what is correlated is left after round and arm means are
// taken out of both. It asks whether a trial that happened to have more of the
// metric was slower than its arm usually is, so it is not confounded by what an
// arm is, and has rounds*arms points instead of a handful. Reorderings stay
// within rounds.
func ScreenWithin(metrics [][][]float64, y [][]float64, draws int, seed uint64) ([]Screened, error) {
	if err := checkRounds(y, 3, 2); err != nil {
		return nil, fmt.Errorf("screen metrics: %w", err)
	}
	unit := make([][]float64, len(metrics))
	for m, x := range metrics {
		if err := checkRounds(x, len(y), len(y[0])); err != nil {
			return nil, fmt.Errorf("screen metrics: metric %d: %w", m, err)
		}
		if len(x) != len(y) || len(x[0]) != len(y[0]) {
			return nil, fmt.Errorf("screen metrics: metric %d is %dx%d, the outcome %dx%d", m, len(x), len(x[0]), len(y), len(y[0]))
		}
		unit[m] = unitLength(slices.Concat(withoutRoundMeans(withoutColumnMeans(x))...))
	}
	arms := len(y[0])
	outcome := unitLength(slices.Concat(withoutRoundMeans(withoutColumnMeans(y))...))
	rng := rand.New(rand.NewPCG(seed, 0x7769_7468))
	reorder := func() {
		for b := 0; b < len(outcome); b += arms {
			round := outcome[b : b+arms]
			rng.Shuffle(arms, func(i, j int) { round[i], round[j] = round[j], round[i] })
		}
	}
	return familyWise(unit, outcome, reorder, draws), nil
}

// RoundsFor is [RoundsForFamily] of one comparison.
func RoundsFor(sd, halfWidth float64, pilot int) int {
	return RoundsForFamily(sd, halfWidth, pilot, 1)
}

// TwoStates looks for two levels in one series; for several, a [TwoStatesTest]
// gives the same answers and simulates each null once.
func TwoStates(series []float64, seed uint64) States {
	return NewTwoStatesTest(seed).Of(series)
}
