package report

import (
	"math"
)

const (
	// wholeSeries is the longest series that is shown as it is: a picture is not
	// wider than that.
	wholeSeries = 2000
	// columns is how many spans of time a longer one is cut into.
	columns = 800
)

// reduce leaves of a long trial what a line of that many columns can show: of every
// span the first and the last second, and the lowest and the highest of throughput
// and of latency (M4: Jugel et al., PVLDB 7(10), 2014, which draws the same pixels as
// all points would). No second is averaged away: a stall of one second in a day is
// still a second at zero. The record keeps everything.
func (t *Trial) reduce() {
	if len(t.Seconds) <= wholeSeries {
		return
	}
	t.ReducedFrom = len(t.Seconds)
	from := *t
	t.Seconds, t.TPS, t.Latency, t.Warmup = nil, nil, nil, nil
	for _, i := range from.kept() {
		t.Seconds, t.TPS = append(t.Seconds, from.Seconds[i]), append(t.TPS, from.TPS[i])
		t.Latency, t.Warmup = append(t.Latency, from.Latency[i]), append(t.Warmup, from.Warmup[i])
	}
}

// kept are the places of what is left, ascending.
func (t *Trial) kept() []int {
	first, last := float64(t.Seconds[0]), float64(t.Seconds[len(t.Seconds)-1])
	width := (last - first) / columns
	keep := make([]bool, len(t.Seconds))
	for from := 0; from < len(t.Seconds); {
		column := math.Floor((float64(t.Seconds[from]) - first) / width)
		to := from + 1
		for to < len(t.Seconds) && math.Floor((float64(t.Seconds[to])-first)/width) == column && t.Warmup[to] == t.Warmup[from] {
			to++
		}
		keep[from], keep[to-1] = true, true
		extremes(keep, t.TPS, from, to)
		extremes(keep, t.Latency, from, to)
		from = to
	}
	var all []int
	for i, k := range keep {
		if k {
			all = append(all, i)
		}
	}
	return all
}

// extremes keeps the lowest, the highest and the first unknown value of a span.
func extremes(keep []bool, values []Number, from, to int) {
	low, high, unknown := -1, -1, -1
	for i := from; i < to; i++ {
		switch {
		case !values[i].Known():
			if unknown < 0 {
				unknown = i
			}
		case low < 0:
			low, high = i, i
		case values[i] < values[low]:
			low = i
		case values[i] > values[high]:
			high = i
		}
	}
	for _, i := range []int{low, high, unknown} {
		if i >= 0 {
			keep[i] = true
		}
	}
}
