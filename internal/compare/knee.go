package compare

// This file is the knee of an arm's saturation curve: the number of threads from which on throughput no longer grows
// with them, and response times do instead.

import (
	"math"
	"slices"
)

// Knee is the number of threads at which the two bounds of a closed system meet: the throughput that threads have if
// none waits for another, and the highest that there is (Denning & Buzen, ACM Computing Surveys 10, 1978; Lazowska et
// al., Quantitative System Performance, 1984, chapter 5). Below it threads add throughput, above it they wait.
//
// Kneedle (Satopää et al., 2011) was rejected: it names one of the measured levels, depends on their range, and has no
// interval; so was the peak of the USL, which a cap such as a CPU quota does not have.
type Knee struct {
	State KneeState
	// Threads is the geometric mean over rounds, NaN unless the knee was found; Interval its 95 % interval, nil
	// where it is not determined.
	Threads  float64
	Interval *Interval
	// Why is why the knee is not determined, "" otherwise.
	Why KneeObstacle
}

// KneeState is what a run shows of a knee.
type KneeState string

// States of a knee.
const (
	KneeFound         KneeState = "found"
	KneeNotReached    KneeState = "not-reached" // throughput grows up to the largest level
	KneeNotDetermined KneeState = "not-determined"
)

// KneeObstacle is why a knee is not determined.
type KneeObstacle string

// Obstacles of a knee.
const (
	KneeFewRounds KneeObstacle = "rounds"  // no interval
	KneePlateau   KneeObstacle = "plateau" // whether throughput still grows at the largest level is open
	KneeQueued    KneeObstacle = "queued"  // threads may wait for each other at the smallest level already
)

const (
	// growsBy is the growth of throughput, for twice as many threads, below which it counts as flat.
	growsBy = 0.10
	// unqueued is the share of the throughput of a thread that is left at the second level, if threads do not wait
	// for each other at the first.
	unqueued = 0.90
)

// kneeOf takes throughputs of rounds (outer) at levels (inner), at least two and in any order.
func kneeOf(threads []int, rounds [][]float64, rule stopping) Knee {
	order := make([]int, len(threads))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return threads[a] - threads[b] })
	n := make([]float64, len(order))
	for i, k := range order {
		n[i] = float64(threads[k])
	}
	x := make([][]float64, len(rounds)) // logarithms
	for r, row := range rounds {
		for _, k := range order {
			x[r] = append(x[r], math.Log(row[k]))
		}
	}
	last := len(n) - 1
	growth, perThread := byRounds{}, byRounds{}
	for r, row := range x {
		growth[r+1] = row[last] - row[last-1] - math.Log(1+growsBy)*math.Log2(n[last]/n[last-1])
		perThread[r+1] = row[1] - row[0] - math.Log(n[1]/n[0]) - math.Log(unqueued)
	}
	none := Knee{State: KneeNotDetermined, Threads: math.NaN()}
	grows, alone := rule.alone(growth), rule.alone(perThread)
	switch {
	case grows == nil || alone == nil:
		none.Why = KneeFewRounds
		return none
	case grows.Lo > 0:
		none.State = KneeNotReached
		return none
	case grows.Hi > 0:
		none.Why = KneePlateau
		return none
	case n[0] > 1 && alone.Lo < 0:
		none.Why = KneeQueued
		return none
	}
	knees, highest := byRounds{}, highestLevel(x, rule)
	for r, row := range x {
		knees[r+1] = row[highest] - row[0] + math.Log(n[0])
	}
	k := Knee{State: KneeFound}
	if k.Threads, k.Interval = rule.geometric(knees); k.Interval == nil {
		none.Why = KneeFewRounds
		return none
	}
	return k
}

// highestLevel is the largest level, or the one with the highest mean where throughput falls again after it: of levels
// that are equal, noise chooses the highest, and an interval would not know of the choice.
func highestLevel(x [][]float64, rule stopping) int {
	last := len(x[0]) - 1
	best, most := last, math.Inf(-1)
	for level := range x[0] {
		of, falls := byRounds{}, byRounds{}
		for r, row := range x {
			of[r+1], falls[r+1] = row[level], row[level]-row[last]
		}
		mean := meanOfRounds(of)
		if in := rule.alone(falls); level != last && mean > most && in != nil && in.Lo > 0 {
			best, most = level, mean
		}
	}
	return best
}
