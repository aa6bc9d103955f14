package stats

import "math"

const mserKeep = 5 // batches the estimate of the remaining spread needs at least

// MSER is where the warm-up of x ends: the number of values to drop so that the
// marginal standard error of the rest is least (White, Simulation 69, 1997). x is
// taken in batches of batch values, 5 for seconds, or one cycle of a checkpoint
// or flush where there is one:
//
//	d* = argmin_d sum_{j>d} (z_j - mean)^2 / (k-d)^2
//
// settled is false when d* lies in the second half, that is, x never settled, or
// when fewer than 5 batches fit. A slow drift passes unseen (98 % of the time for
// -5 % over ten minutes): [Drift] is for that.
func MSER(x []float64, batch int) (cut int, settled bool) {
	if batch < 1 || len(x)/batch < mserKeep {
		return 0, false
	}
	z := withoutMean(batchMeans(x, batch)) // centred, so the sums below lose no digits
	k := len(z)
	// Once only equal values are left (a load at a fixed rate), every later cut
	// is as good; rounding must not choose among them.
	nothing := 1e-12 * dot(z, z) / float64(k*k)
	best := math.Inf(1)
	var sum, squares float64
	for d := k - 1; d >= 0; d-- {
		sum += z[d]
		squares += z[d] * z[d]
		n := float64(k - d)
		if k-d < mserKeep {
			continue
		}
		// <=: of two equal cuts, keep more data.
		if v := math.Max(nothing, (squares-sum*sum/n)/(n*n)); v <= best {
			best, cut = v, d
		}
	}
	return cut * batch, cut <= k/2
}
