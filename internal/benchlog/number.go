package benchlog

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxNumber is more than any figure of a benchmark.
const maxNumber = 1e15

// number is a figure as programs print it.
func number(s string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(v >= 0 && v <= maxNumber) || math.IsNaN(v) {
		return 0, fmt.Errorf("%q is not a figure", s)
	}
	return v, nil
}

// numbers are several figures.
func numbers(texts ...string) ([]float64, error) {
	all := make([]float64, len(texts))
	for i, s := range texts {
		v, err := number(s)
		if err != nil {
			return nil, err
		}
		all[i] = v
	}
	return all, nil
}
