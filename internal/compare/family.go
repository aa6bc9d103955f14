package compare

// This file says which intervals of a run hold at once. A reader who takes the largest of several
// effects, or looks for one that excludes zero, reads them together, so that the error rate is that of
// all. Figures that answer a question of their own hold by themselves: the time budget, the parts
// of an attribution, prices, capacities, the A/A check and an arm's own percentiles.

import "math"

// Families of intervals. Those of a family hold at once with the probability Level.
const (
	FamilyThroughput = "throughput" // every arm that is compared with the baseline, at every level of the load
	FamilyNeighbours = "neighbours" // changes between two arms of which neither is the baseline
	FamilyLatency    = "latency"    // changes of p95 and p99 of every arm, at every level of the load
	FamilyRuns       = "runs"       // every arm of two runs
	FamilyRecovered  = "recovered"  // other changes between two arms of which one has a remedy of the other's loss
)

// Level is the confidence level of a family's 95 % intervals, and of one that holds by itself.
const Level = 0.95

const (
	error95 = 1 - Level
	error90 = 0.10 // of the intervals that are compared with the margin
)

// LevelAlone is the confidence level that each of the 95 % intervals of a family has by itself
// (Bonferroni).
func LevelAlone(family int) float64 { return 1 - error95/float64(max(1, family)) }

// EnoughRounds is the number of rounds from which the sign-flip test of one of k
// contrasts can reach 5 %: its smallest p is k*2/2^n. 6 for one contrast, 7 for two,
// 9 for eight. A comparison of fewer is exploratory.
func EnoughRounds(k int) int {
	n := 1
	for float64(max(1, k))*2/math.Exp2(float64(n)) > 0.05 {
		n++
	}
	return n
}
