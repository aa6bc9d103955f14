package stats

import "math"

// Components splits the variance of an arm's trial means into what happens
// inside a trial and what a restart adds. Units: that of the series, squared.
type Components struct {
	Trials  int
	OfMeans float64 // S2^2, variance of the trial means
	Within  float64 // mean of LRV/T: what OfMeans would be if restarts added nothing
	Between float64 // T2^2 = S2^2 - LRV/T, floored at 0
	LRV     float64 // mean long-run variance of a single interval
}

// VarianceComponents takes one [LongRun] per trial of the same arm, from series
// with intervals of equal length. It follows Kalibera & Jones (Rigorous
// benchmarking in reasonable time, ISMM 2013, in the corrected version), except
// that the variance inside a trial is the long-run one: they assume independent
// iterations, and seconds of a database are not. NaN below two trials.
//
// For a series s of throughput, pass s/mean(s): the components are then relative
// variances, those of the logarithm of a trial's throughput.
func VarianceComponents(trials []LongRun) Components {
	means := make([]float64, len(trials))
	within := make([]float64, len(trials))
	lrv := make([]float64, len(trials))
	for i, t := range trials {
		means[i], within[i], lrv[i] = t.Mean, t.LRV/float64(t.N), t.LRV
	}
	c := Components{Trials: len(trials), OfMeans: Variance(means), Within: Mean(within), LRV: Mean(lrv)}
	c.Between = math.Max(0, c.OfMeans-c.Within)
	return c
}

// OptimalLength is how many intervals a trial should measure so that a given
// amount of machine time yields the narrowest verdict, when overhead (restart,
// restore and warm-up) costs as much as overhead intervals:
//
//	sqrt(overhead * LRV / Between)
//
// (Kalibera & Jones; libkalibera, optimalreps). +Inf when restarts add nothing:
// then one long trial would be best, were there no other reasons for restarting.
func (c Components) OptimalLength(overhead float64) float64 {
	return math.Sqrt(overhead * c.LRV / c.Between)
}
