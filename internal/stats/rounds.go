package stats

// This file checks and centres a table of measurements: one row for each round, one column
// for each arm.

import (
	"fmt"
	"slices"
)

func checkRounds(y [][]float64, rounds, arms int) error {
	if len(y) < rounds {
		return fmt.Errorf("%d rounds, need %d", len(y), rounds)
	}
	for b, row := range y {
		if len(row) != len(y[0]) || len(row) < arms {
			return fmt.Errorf("round %d has %d arms, the first %d, need %d", b, len(row), len(y[0]), arms)
		}
		if slices.ContainsFunc(row, notFinite) {
			return fmt.Errorf("round %d has a value that is not finite", b)
		}
	}
	return nil
}

func withoutColumnMeans(y [][]float64) [][]float64 {
	e := make([][]float64, len(y))
	for b, row := range y {
		e[b] = slices.Clone(row)
	}
	for k := range y[0] {
		var mean float64
		for b := range y {
			mean += y[b][k] / float64(len(y))
		}
		for b := range e {
			e[b][k] -= mean
		}
	}
	return e
}
