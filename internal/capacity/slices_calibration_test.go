package capacity

// Calibration of searches that take their steps together, by slices, on the queues of calibration_test.go.

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// A turn of own time, its lead-in first: those of a protocol whose arms are plain processes.
const (
	turnLength = 0.220
	leadIn     = 0.020
	usualDrain = 0.030 // guard and drain of a turn of a closed loop
	stepDrift  = 0.05  // SD of the machine's speed from step to step, the same for all arms
)

// taken is a step by slices of an M/M/1 queue that begins empty: whether it keeps the limit. For free seconds after
// every turn the server works while its own time stands still.
func taken(rng *rand.Rand, mu, rate, free float64) bool {
	n, over, now, work := 0, 0, 0.0, 0.0
	boundary := turnLength
	for {
		next := now + rng.ExpFloat64()/rate
		for ; boundary <= next; boundary += turnLength {
			work = math.Max(0, work-(boundary-now)-free)
			now = boundary
		}
		work = math.Max(0, work-(next-now))
		if now = next; now > settle+stepLength {
			return float64(over) <= (1-percentile)*float64(n)
		}
		work += rng.ExpFloat64() / mu
		end := ended(now, work, boundary, free)
		if end > settle && math.Mod(end, turnLength) > leadIn {
			n++
			if end-now > limit {
				over++
			}
		}
	}
}

// ended is when work is done that begins at a time, in own time.
func ended(at, work, boundary, free float64) float64 {
	for at+work > boundary {
		if work -= boundary - at + free; work <= 0 {
			return boundary
		}
		at, boundary = boundary, boundary+turnLength
	}
	return at + work
}

// together are the capacities of queues that are searched side by side on a machine whose speed changes from step to
// step.
func together(rng *rand.Rand, free float64, mu ...float64) (found []float64) {
	var all Together
	for _, m := range mu {
		all = append(all, New(0.7*m*math.Pow(1+within, rng.Float64()), within))
	}
	for rates, more := all.Next(); more; rates, more = all.Next() {
		machine := math.Exp(stepDrift * rng.NormFloat64())
		for i, s := range all {
			if rates[i] > 0 {
				s.Answer(taken(rng, machine*mu[i], rates[i], free))
			}
		}
	}
	for _, s := range all {
		found = append(found, s.Result())
	}
	return found
}

// alone is the same of one queue after the other.
func alone(rng *rand.Rand, mu float64) float64 {
	s := New(0.7*mu*math.Pow(1+within, rng.Float64()), within)
	for rate, more := s.Next(); more; rate, more = s.Next() {
		s.Answer(step(rng, mu*math.Exp(stepDrift*rng.NormFloat64()), rate))
	}
	return s.Result()
}

// spread is the standard deviation.
func spread(values []float64) float64 {
	mean, squares := 0.0, 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return math.Sqrt(squares / float64(len(values)-1))
}

// TestC18CapacityBySlices: campaigns of 10 rounds of two arms, the second with a capacity that is lower by a known
// ratio, searched side by side while the speed of the machine changes: the intervals of the capacity and of the ratio
// miss the truth about as often as they say. The broken control are slices with the guard and the drain of a closed
// loop: the queue is shorter after every pause, and the capacity comes out too high.
func TestC18CapacityBySlices(t *testing.T) {
	campaigns, most := 20, 5 // 99.9 % of binomials of 5 %
	if os.Getenv("TARE_CALIBRATE") == "full" {
		campaigns, most = 400, 34
	}
	const slower = 0.95
	rng := rand.New(rand.NewPCG(18, 3))
	missed, wrong, drained := 0, 0, 0
	var sliced, windows, offs, offsDrained []float64
	truth, ratioTruth := math.Log(half), math.Log((half+slower*serviceMu-serviceMu)/half)
	for range campaigns {
		var arm, ratio, control []float64
		for range rounds {
			a, b := serviceMu*math.Exp(restartSD*rng.NormFloat64()), slower*serviceMu*math.Exp(restartSD*rng.NormFloat64())
			c := together(rng, 0, a, b)
			x, y := math.Log(c[0]), math.Log(c[1])
			arm, ratio, offs = append(arm, x), append(ratio, y-x), append(offs, x-math.Log(half+a-serviceMu))
			sliced, windows = append(sliced, y-x), append(windows, math.Log(alone(rng, b)/alone(rng, a)))
			d := math.Log(together(rng, usualDrain, a)[0])
			control, offsDrained = append(control, d), append(offsDrained, d-math.Log(half+a-serviceMu))
		}
		for _, in := range []struct {
			logs  []float64
			truth float64
			count *int
		}{{arm, truth, &missed}, {ratio, ratioTruth, &wrong}, {control, truth, &drained}} {
			if lo, hi := interval(in.logs); in.truth < lo || in.truth > hi {
				*in.count++
			}
		}
	}
	n := float64(campaigns)
	bias, biasDrained := average(offs), average(offsDrained)
	t.Logf("%d campaigns: the interval of the capacity misses the truth in %.1f %%, that of a ratio of two arms in %.1f %%; one search is off by %+.2f %%. With guard and drain of a closed loop: %.1f %%, off by %+.2f %%. SD of a round's ratio %.2f %% side by side, %.2f %% one after the other",
		campaigns, 100*float64(missed)/n, 100*float64(wrong)/n, 100*bias, 100*float64(drained)/n, 100*biasDrained, 100*spread(sliced), 100*spread(windows))
	if missed > most || wrong > most {
		t.Errorf("%d and %d of %d intervals miss", missed, wrong, campaigns)
	}
	if math.Abs(bias) > 0.01 {
		t.Errorf("bias %.4f", bias)
	}
	if biasDrained < 0.015 || campaigns > 100 && drained <= most {
		t.Errorf("the broken control misses in %d of %d only, off by %.4f", drained, campaigns, biasDrained)
	}
	if spread(sliced) > spread(windows) {
		t.Errorf("the ratios of searches side by side vary more, %.4f, than those of one after the other, %.4f", spread(sliced), spread(windows))
	}
}

func average(values []float64) (mean float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	return mean
}
