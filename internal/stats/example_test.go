package stats_test

import (
	"fmt"
	"math"

	"github.com/tarebench/tare/internal/stats"
)

// Eight rounds, each with a trial of the baseline and one of a pod.
func ExamplePairedT() {
	baseline := []float64{1012, 995, 1004, 1020, 988, 1001, 1015, 997}
	pod := []float64{905, 902, 904, 904, 904, 905, 903, 907}
	d := make([]float64, len(pod))
	for i := range d {
		d[i] = math.Log(pod[i] / baseline[i])
	}
	p := stats.PairedT(d)
	fmt.Printf("costs %.1f %% [%.1f, %.1f], sign-flip p %.4f\n",
		-stats.Percent(p.Mean), -stats.Percent(p.Hi95), -stats.Percent(p.Lo95), p.SignFlipP)
	fmt.Printf("±0.5 %% needs %d rounds\n", stats.RoundsFor(p.SD, 0.005, p.N))
	// Output:
	// costs 9.9 % [9.1, 10.8], sign-flip p 0.0078
	// ±0.5 % needs 28 rounds
}

// A pod that gets idle CPU of its neighbours for a while; the intervals in which
// that began and ended belong to neither level.
func ExampleTwoStates() {
	tps := []float64{10562, 10552, 10566, 10581, 12874, 20197, 18033, 11444, 10598, 10566, 10640, 10579}
	for _, s := range stats.TwoStates(tps, 1).States {
		fmt.Printf("%.0f tps for %.0f %% of the time\n", s.Level, 100*s.Share)
	}
	// Output:
	// 10572 tps for 83 % of the time
	// 20197 tps for 17 % of the time
}

// One loss of 9.8 %, divided among three layers that cost more together.
func ExampleFactorial_Shapley() {
	f, err := stats.NewFactorial(2, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	// Log throughput with no layer, the first, the second, both.
	phi := f.Shapley([]float64{0, -0.06, -0.02, -0.10})
	fmt.Printf("%.3f %.3f\n", phi[0], phi[1])
	// Output: -0.070 -0.030
}
