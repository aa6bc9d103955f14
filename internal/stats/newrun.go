package stats

import (
	"math"
	"math/rand/v2"
)

// NewRun predicts what another run of a comparison will show, from the rounds of this one. The mean and
// the standard deviation of this run are estimates, and the prediction has both of their errors: it is
// simulated from their posterior distribution (flat for the mean and for the logarithm of the
// variance). An answer that takes them for the truth is wrong in half of the cases.
type NewRun struct {
	k          int
	conclusive func(in95, in90 [2]float64) bool
	futures    []future
}

// future is one possible truth with the random part of the next run: z of its mean, and of its variance.
type future struct{ mean, sd, zMean, zVariance float64 }

// NewRunOf takes the mean and standard deviation of n log-ratios, of one of k comparisons that are read
// together. conclusive is the rule of the verdict from the intervals of log-ratios. With n below 2, or
// a standard deviation that is not positive, [NewRun.Probability] is NaN.
func NewRunOf(mean, sd float64, n, k int, seed uint64, conclusive func(in95, in90 [2]float64) bool) NewRun {
	r := NewRun{k: max(k, 1), conclusive: conclusive}
	if n < 2 || !(sd > 0) || notFinite(mean) || notFinite(sd) {
		return r
	}
	const draws = 4000
	rng := rand.New(rand.NewPCG(seed, 0x6e65_7772))
	r.futures = make([]future, draws)
	for i := range r.futures {
		f := &r.futures[i]
		f.sd = sd / math.Sqrt(chiSquaredOver(float64(n-1), n-1, rng))
		f.mean = mean + f.sd/math.Sqrt(float64(n))*rng.NormFloat64()
		f.zMean, f.zVariance = rng.NormFloat64(), rng.NormFloat64()
	}
	return r
}

// chiSquaredOver is a chi-squared value over its degrees of freedom.
func chiSquaredOver(df float64, n int, rng *rand.Rand) float64 {
	if n > 100 {
		return wilsonHilferty(df, rng.NormFloat64())
	}
	var sum float64
	for range n {
		z := rng.NormFloat64()
		sum += z * z
	}
	return sum / df
}

// wilsonHilferty is the value of a chi-squared variable over its degrees of freedom that lies where z does
// in the normal distribution (PNAS 17, 1931); within 1 % from 3 degrees on.
func wilsonHilferty(df, z float64) float64 {
	v := 2 / (9 * df)
	return math.Pow(math.Max(0, 1-v+z*math.Sqrt(v)), 3)
}

// Probability that a run of so many rounds ends with a verdict, by intervals of Student's t with
// Bonferroni's adjustment; NaN below two rounds.
func (r NewRun) Probability(rounds int) float64 {
	if rounds < 2 || len(r.futures) == 0 {
		return math.NaN()
	}
	n, df, k := float64(rounds), float64(rounds-1), float64(r.k)
	t95, t90 := tQuantile(1-0.025/k, df), tQuantile(1-0.05/k, df)
	hits := 0
	for _, f := range r.futures {
		mean := f.mean + f.sd/math.Sqrt(n)*f.zMean
		se := f.sd * math.Sqrt(wilsonHilferty(df, f.zVariance)/n)
		if r.conclusive([2]float64{mean - t95*se, mean + t95*se}, [2]float64{mean - t90*se, mean + t90*se}) {
			hits++
		}
	}
	return float64(hits) / float64(len(r.futures))
}

// Rounds is the least number from least to most that ends with a verdict with the probability; 0 where
// none does.
func (r NewRun) Rounds(probability float64, least, most int) int {
	if len(r.futures) == 0 || !(r.Probability(most) >= probability) {
		return 0
	}
	lo, hi := least, most
	for lo < hi {
		if mid := (lo + hi) / 2; r.Probability(mid) >= probability {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
