package stats

import "math"

// HalfDrift is ln(mean of the second half) - ln(mean of the first half) of a
// positive series; the middle value of an odd number belongs to the second half.
func HalfDrift(x []float64) float64 {
	h := len(x) / 2
	return math.Log(Mean(x[h:])) - math.Log(Mean(x[:h]))
}

// Drift says whether the trials of an arm still change while being measured.
type Drift struct {
	N          int
	Mean       float64 // of the trials' [HalfDrift], log scale
	Lo99, Hi99 float64
	Flagged    bool    // the 99 % interval excludes 0
	Bound      float64 // |Mean| + 90 % half-width: the drift that the data can rule out
}

// DriftOf judges the half drifts of one arm, one per trial. A single trial is
// too noisy to show a slow drift; ten together show what is left of a warm-up of
// 60 s in 96 % of campaigns and accuse 1 % of the steady ones
// (TestC07SteadyState). A drift common to all arms cancels in their ratio, so
// what biases a comparison is DriftOf the per-round differences of two arms.
// Fewer than two trials flag nothing and bound nothing (NaN).
func DriftOf(halfDrifts []float64) Drift {
	d := Drift{N: len(halfDrifts), Mean: Mean(halfDrifts)}
	d.Lo99, d.Hi99 = TInterval(halfDrifts, 0.01)
	d.Flagged = d.Lo99 > 0 || d.Hi99 < 0
	lo90, hi90 := TInterval(halfDrifts, 0.10)
	d.Bound = math.Abs(d.Mean) + (hi90-lo90)/2
	return d
}
