package compare

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
)

// machine is the throughput of a closed loop of n threads: one queue with a service time of 1, and a delay without a
// queue (mean value analysis; Reiser & Lavenberg, JACM 27, 1980). Its knee is at 1 + delay threads.
func machine(n int, delay float64) float64 {
	queue, x := 0.0, 0.0
	for k := 1; k <= n; k++ {
		response := 1 + queue
		x = float64(k) / (response + delay)
		queue = x * response
	}
	return x
}

// curve are the throughputs of rounds at levels: rounds differ, and so do the levels of a round.
func curve(rng *rand.Rand, rounds int, levels []int, noise float64, of func(n int) float64) (all [][]float64) {
	for range rounds {
		round := math.Exp(0.05 * rng.NormFloat64())
		var row []float64
		for _, n := range levels {
			row = append(row, round*of(n)*math.Exp(noise*rng.NormFloat64()))
		}
		all = append(all, row)
	}
	return all
}

// TestC30Knee: saturation curves with a known knee, 8 rounds: its interval misses it about as often as it says. A curve
// that ends before its knee has none, and what is between is not determined. The broken control is the level with
// the highest mean, which is beyond the knee.
func TestC30Knee(t *testing.T) {
	runs, most := 300, 29 // 99.9 % of binomials of 5 %
	if os.Getenv("TARE_CALIBRATE") != "" {
		runs, most = 4000, 246
	}
	rng := rand.New(rand.NewPCG(29, 8))
	rule := stopping{rule: experiment.Fixed, levels: map[float64]float64{}}
	for _, c := range []struct {
		name   string
		levels []int
		noise  float64
		of     func(n int) float64
		knee   float64 // 0: not reached
	}{
		{"one queue", []int{1, 2, 4, 8, 16, 32, 64}, 0.03, func(n int) float64 { return machine(n, 7) }, 8},
		{"one queue, in another order", []int{64, 1, 16, 4, 32}, 0.03, func(n int) float64 { return machine(n, 3) }, 4},
		{"a cap", []int{2, 4, 8, 16, 32}, 0.02, func(n int) float64 { return math.Min(float64(n), 6) }, 6},
		{"steadier", []int{1, 4, 16, 64}, 0.005, func(n int) float64 { return machine(n, 5) }, 6},
		{"falls again", []int{1, 4, 16, 64}, 0.02, func(n int) float64 { return machine(min(n, 16), 3) * math.Pow(math.Max(1, float64(n)/16), -0.2) }, 4},
		{"ends before the knee", []int{1, 2, 4, 8}, 0.03, func(n int) float64 { return machine(n, 31) }, 0},
	} {
		missed, found, undecided, farthest := 0, 0, 0, 0
		for range runs {
			rounds := curve(rng, 8, c.levels, c.noise, c.of)
			k := kneeOf(c.levels, rounds, rule)
			switch {
			case k.State == KneeNotDetermined:
				undecided++
			case k.State == KneeNotReached && c.knee > 0, k.State == KneeFound && c.knee == 0:
				missed++
			case k.State == KneeFound:
				found++
				if c.knee < k.Interval.Lo || c.knee > k.Interval.Hi {
					missed++
				}
				best := 0
				for i := range c.levels {
					if rounds[0][i] > rounds[0][best] {
						best = i
					}
				}
				if math.Abs(math.Log(float64(c.levels[best])/c.knee)) > 0.2 {
					farthest++
				}
			}
		}
		t.Logf("%s: found in %d of %d runs, not determined in %d; wrong in %.1f %%; the level with the highest throughput is off by more than 20 %% in %d",
			c.name, found, runs, undecided, 100*float64(missed)/float64(runs), farthest)
		if missed > most {
			t.Errorf("%s: %d of %d are wrong", c.name, missed, runs)
		}
		if undecided > runs/10 {
			t.Errorf("%s: not determined in %d of %d", c.name, undecided, runs)
		}
		if c.knee > 0 && farthest < found/2 {
			t.Errorf("%s: the broken control is right in %d of %d", c.name, found-farthest, found)
		}
	}
}

// TestKneeIsNotDetermined: where the run does not show it, there is none, with the reason.
func TestKneeIsNotDetermined(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 9))
	rule := stopping{rule: experiment.Fixed, levels: map[float64]float64{}}
	for _, c := range []struct {
		rounds int
		levels []int
		noise  float64
		of     func(n int) float64
		want   KneeObstacle
	}{
		{1, []int{1, 2, 4, 8}, 0.01, func(n int) float64 { return machine(n, 3) }, KneeFewRounds},
		{4, []int{1, 2, 4, 8}, 0.3, func(n int) float64 { return machine(n, 3) }, KneePlateau},
		{8, []int{8, 16, 32, 64}, 0.01, func(n int) float64 { return machine(n, 3) }, KneeQueued},
	} {
		if k := kneeOf(c.levels, curve(rng, c.rounds, c.levels, c.noise, c.of), rule); k.State != KneeNotDetermined || k.Why != c.want || !math.IsNaN(k.Threads) || k.Interval != nil {
			t.Errorf("want %s: %+v", c.want, k)
		}
	}
}
