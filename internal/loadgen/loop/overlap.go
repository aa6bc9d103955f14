package loop

import (
	"cmp"
	"slices"
	"time"
)

// The outages and silences of the server, from those of each loop.

// together returns the times in which at least one loop had an outage (or a silence) and no
// loop completed a transaction: each of the others had one too, or a gap. A loop whose clients
// send nothing has no outage, which does not show that the server answers.
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
