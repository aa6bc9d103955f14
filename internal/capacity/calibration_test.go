package capacity

// Calibration of the search on queues whose capacity is known: an M/M/1 queue with service
// rate mu answers in an exponentially distributed time of rate mu - lambda, so that its p-th
// percentile is -ln(1-p)/(mu-lambda) and its capacity for a limit L is mu + ln(1-p)/L
// (Kleinrock, Queueing Systems I, 1975, section 3.2). That is for a load without end: the
// median of a short step's percentile is lower, because long queues are rare. What the
// search is to find is the rate at which half of the steps keep the limit, here 1 % higher.

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	limit      = 0.020 // seconds
	serviceMu  = 1000.0
	percentile = 0.99
	settle     = 2.0
	stepLength = 10.0
	within     = 0.05
	rounds     = 10
	restartSD  = 0.02 // of a server's speed from start to start
	// endless is the capacity for a load without end, half the rate at which half of the
	// steps keep the limit (TestTruth).
	endless = serviceMu - 4.60517/limit
	half    = 779.0
)

// step is whether an M/M/1 queue that begins empty keeps the limit (Lindley, 1952).
func step(rng *rand.Rand, mu, rate float64) bool {
	n, over := 0, 0
	now, free := 0.0, 0.0
	for {
		now += rng.ExpFloat64() / rate
		if now > settle+stepLength {
			return float64(over) <= (1-percentile)*float64(n)
		}
		free = math.Max(now, free) + rng.ExpFloat64()/mu
		if now > settle {
			n++
			if free-now > limit {
				over++
			}
		}
	}
}

// TestTruth: half of the steps keep the limit at the rate that the other test takes for the
// truth, which is within 2 % of that of an endless load.
func TestTruth(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	kept := 0
	const steps = 1000
	for range steps {
		if step(rng, serviceMu, half) {
			kept++
		}
	}
	t.Logf("%d of %d steps at %.0f/s keep the limit; capacity of an endless load %.1f/s", kept, steps, half, endless)
	if kept < 440 || kept > 560 {
		t.Errorf("%d of %d", kept, steps)
	}
	if half/endless > 1.02 || half < endless {
		t.Errorf("%.1f and %.1f", half, endless)
	}
}

// search is one trial: the closed loop tells the server's speed.
func search(rng *rand.Rand, mu float64) float64 {
	s := New(0.7*mu*math.Pow(1+within, rng.Float64()), within)
	for {
		rate, more := s.Next()
		if !more {
			return s.Result()
		}
		s.Answer(step(rng, mu, rate))
	}
}

// bracket is the search without its staircase.
func bracket(rng *rand.Rand, mu float64) (low, high float64) {
	s := New(0.7*mu*math.Pow(1+within, rng.Float64()), within)
	for {
		rate, _ := s.Next()
		s.Answer(step(rng, mu, rate))
		if len(s.walk) > 0 {
			return s.low, s.high
		}
	}
}

// interval is Student's t over logarithms.
func interval(logs []float64) (lo, hi float64) {
	n := float64(len(logs))
	mean, squares := 0.0, 0.0
	for _, v := range logs {
		mean += v / n
	}
	for _, v := range logs {
		squares += (v - mean) * (v - mean)
	}
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * math.Sqrt(squares/(n-1)/n)
	return mean - half, mean + half
}

// TestC18Capacity: over campaigns of 10 rounds of two equal arms, the interval of an arm's
// capacity misses the truth, and that of the arms' ratio misses 1, about as often as it
// says. The broken control is the last bracket of one bisection taken as an interval.
func TestC18Capacity(t *testing.T) {
	campaigns, most := 40, 8 // 99.9 % of binomials of 5 %
	if os.Getenv("TARE_CALIBRATE") == "full" {
		campaigns, most = 1000, 73
	}
	rng := rand.New(rand.NewPCG(7, 1))
	missed, alarms, brackets, sum, squares := 0, 0, 0, 0.0, 0.0
	for range campaigns {
		var arm, ratio []float64
		for range rounds {
			a, b := serviceMu*math.Exp(restartSD*rng.NormFloat64()), serviceMu*math.Exp(restartSD*rng.NormFloat64())
			x, y := math.Log(search(rng, a)), math.Log(search(rng, b))
			off := x - math.Log(half+a-serviceMu)
			sum, squares = sum+off, squares+off*off
			arm, ratio = append(arm, x), append(ratio, y-x)
			if low, high := bracket(rng, a); half < low || half > high {
				brackets++
			}
		}
		truth := math.Log(half)
		if lo, hi := interval(arm); truth < lo || truth > hi {
			missed++
		}
		if lo, hi := interval(ratio); lo > 0 || hi < 0 {
			alarms++
		}
	}
	n := float64(campaigns * rounds)
	bias, sd := sum/n, math.Sqrt(squares/n-sum/n*sum/n)
	t.Logf("%d campaigns: the interval of the capacity misses the truth in %.1f %%, that of the ratio in %.1f %%, the bracket of a bisection in %.1f %%; one search is off by %+.2f %% with SD %.2f %%",
		campaigns, 100*float64(missed)/float64(campaigns), 100*float64(alarms)/float64(campaigns), 100*float64(brackets)/n, 100*bias, 100*sd)
	if missed > most || alarms > most {
		t.Errorf("%d and %d of %d intervals miss", missed, alarms, campaigns)
	}
	if float64(brackets) < 0.15*n {
		t.Errorf("the broken control misses in %d of %.0f only", brackets, n)
	}
	if math.Abs(bias) > 0.005 || sd > within {
		t.Errorf("bias %.4f, SD %.4f", bias, sd)
	}
}
