package stats

import "math"

// fenceDeviations is chosen by simulation (TestUpperFence): of 12 to 60 values from one
// distribution, normal, heavy-tailed or skewed, at most 1 % lie above the fence.
const fenceDeviations = 5

// UpperFence is the value above which one of x stands out from the others: the median
// and five robust standard deviations. The deviation is the larger of the median
// deviation from the median and that of the upper half alone: times are skewed to the
// slow side, where the ordinary one, which the fast half makes small, calls 3 to 5 % of
// an undisturbed sample outlying. A state that holds for a quarter of the values is no
// outlier, but how things are. NaN for none.
func UpperFence(x []float64) float64 {
	middle := Median(x)
	var all, above []float64
	for _, v := range x {
		all = append(all, math.Abs(v-middle))
		if v >= middle {
			above = append(above, v-middle)
		}
	}
	// 1.4826 makes the median deviation that of a normal distribution.
	return middle + fenceDeviations*1.4826*math.Max(Median(all), Median(above))
}
