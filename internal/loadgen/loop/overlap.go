package loop

import (
	"cmp"
	"slices"
	"time"
)

// What the loops saw is put together: the server is without service while no loop is served.

// together are the times in which one loop at least had an outage (or a silence) of its own and no
// loop completed anything: each of the others had one too, or a gap. A loop whose clients
// have nothing to ask sees no outage, and it is no evidence of service.
func together(own, gaps [][]Outage, end time.Duration) []Outage {
	all := union(slices.Concat(own...), end)
	for i := range own {
		all = intersect(all, union(slices.Concat(own[i], gaps[i]), end), end)
	}
	return all
}

// union joins those that overlap. Those that only touch have a success between them.
func union(of []Outage, end time.Duration) (out []Outage) {
	slices.SortStableFunc(of, func(a, b Outage) int { return cmp.Compare(a.FirstFailure, b.FirstFailure) })
	for _, o := range of {
		last := len(out) - 1
		if last < 0 || o.FirstFailure >= until(out[last], end) {
			out = append(out, o)
			continue
		}
		if until(o, end) > until(out[last], end) || o.FirstSuccess == 0 {
			out[last].FirstSuccess = o.FirstSuccess
		}
		out[last].LastSuccess = min(out[last].LastSuccess, o.LastSuccess)
	}
	return out
}

// intersect are the times that are in both lists, each in order of time.
func intersect(a, b []Outage, end time.Duration) []Outage {
	var out []Outage
	for i, j := 0, 0; i < len(a) && j < len(b); {
		from := max(a[i].FirstFailure, b[j].FirstFailure)
		to := min(until(a[i], end), until(b[j], end))
		if from < to {
			o := Outage{from, to, max(a[i].LastSuccess, b[j].LastSuccess)}
			if a[i].FirstSuccess == 0 && b[j].FirstSuccess == 0 {
				o.FirstSuccess = 0
			}
			out = append(out, o)
		}
		if until(a[i], end) < until(b[j], end) {
			i++
		} else {
			j++
		}
	}
	return out
}

func until(o Outage, end time.Duration) time.Duration {
	if o.FirstSuccess == 0 {
		return end
	}
	return o.FirstSuccess
}
