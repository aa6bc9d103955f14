package report

import (
	"math"
	"slices"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
)

// Heat is how response times were spread over the seconds of the trials, all rounds of
// an arm together. All arms have the same columns.
type Heat struct {
	// Ends of the columns, in seconds since the load began, and the end of the
	// warm-up; null where the trials do not agree on it.
	Ends   []Number `json:"ends_s"`
	Warmup Number   `json:"warmup_s"`
	// Bounds are where the buckets begin, in milliseconds; the last is where they end.
	Bounds []Number  `json:"bounds_ms"`
	Arms   []HeatArm `json:"arms"`
}

// HeatArm is an arm at one level of the load: for each column the counts of its
// buckets, null where nothing was answered.
type HeatArm struct {
	Arm     string           `json:"arm"`
	Threads int              `json:"threads"`
	Columns []*record.Coarse `json:"columns"`
}

// mostColumns is how many a picture has room for; of a longer trial seconds are
// counted together, so that no request is left out.
const mostColumns = 150

// heat is empty while the run is sealed: arms side by side are an effect.
func heat(res *compare.Result) Heat {
	out := Heat{Ends: []Number{}, Warmup: Unknown(), Bounds: []Number{}, Arms: []HeatArm{}}
	if res.Sealed {
		return out
	}
	step, last := 0.0, 0.0
	var warm []float64
	trials := make([][]*record.Trial, len(res.Arms))
	for i := range res.Arms {
		trials[i] = told(&res.Arms[i])
		for _, t := range trials[i] {
			end := t.Intervals[len(t.Intervals)-1]
			step, last = math.Max(step, end.Length), math.Max(last, end.End)
			warm = append(warm, warmupOf(t))
		}
	}
	if step <= 0 {
		return out
	}
	// Whole steps of the series: none is cut in two.
	step *= math.Ceil(last / step / mostColumns)
	n := int(math.Ceil(last/step - 1e-9))
	for k := range n {
		out.Ends = append(out.Ends, Number(roundTo(step*float64(k+1), 3)))
	}
	if slices.Min(warm) == slices.Max(warm) {
		out.Warmup = Number(warm[0])
	}
	top := 0
	for i := range res.Arms {
		if len(trials[i]) == 0 {
			continue
		}
		a := heatArm(&res.Arms[i], trials[i], step, n)
		out.Arms = append(out.Arms, a)
		for _, c := range a.Columns {
			if c != nil {
				top = max(top, c.First+len(c.Counts))
			}
		}
	}
	for k := range top + 1 {
		out.Bounds = append(out.Bounds, Number(float64(record.CoarseBound(k))/1e6))
	}
	return out
}

// told are the trials of an arm whose engine says how response times were spread.
func told(a *compare.Arm) []*record.Trial {
	var all []*record.Trial
	for _, t := range a.Trials {
		if slices.ContainsFunc(t.Intervals, func(i record.Interval) bool { return i.Coarse != nil }) {
			all = append(all, t)
		}
	}
	return all
}

func warmupOf(t *record.Trial) float64 {
	end := 0.0
	for _, i := range t.Intervals {
		if i.Warmup {
			end = i.End
		}
	}
	return end
}

func heatArm(a *compare.Arm, trials []*record.Trial, step float64, columns int) HeatArm {
	sums := make([][record.CoarseBuckets]int64, columns)
	for _, t := range trials {
		for _, i := range t.Intervals {
			k := int((i.End-i.Length/2)/step + 1e-9)
			if k >= 0 && k < columns {
				i.Coarse.AddTo(sums[k][:])
			}
		}
	}
	out := HeatArm{Arm: text(a.Name), Threads: a.Threads}
	for k := range sums {
		out.Columns = append(out.Columns, record.NewCoarse(sums[k][:]))
	}
	return out
}

// heatSpans is how many rows of the table an arm has at most: one for each column of
// the picture would be read by nobody.
const heatSpans = 10

// spans are the rows of the table, as columns of the picture: the warm-up, where all
// trials agree on it, and the rest in equal parts.
func (h Heat) spans() [][2]int {
	var all [][2]int
	from, n := 0, len(h.Ends)
	if warm := slices.Index(h.Ends, h.Warmup) + 1; warm > 0 {
		all, from = append(all, [2]int{0, warm}), warm
	}
	left := heatSpans - len(all)
	for each := max(1, (n-from+left-1)/left); from < n; from += each {
		all = append(all, [2]int{from, min(n, from+each)})
	}
	return all
}

// heatTable is each arm over a part of the trial at a time. Percentiles are the ends of
// the buckets that hold them.
func heatTable(d *Document) Table {
	t := Table{Caption: d.say("caption.heat"), Head: d.heads("arm", "seconds", "requests", "p50-most", "p99-most", "longest-most")}
	for _, a := range d.Heat.Arms {
		for _, s := range d.Heat.spans() {
			var sum *record.Coarse
			for _, c := range a.Columns[min(s[0], len(a.Columns)):min(s[1], len(a.Columns))] {
				sum = sum.Merge(c)
			}
			start := Number(0)
			if s[0] > 0 {
				start = d.Heat.Ends[s[0]-1]
			}
			span := d.words().between(trimmed(start), trimmed(d.Heat.Ends[s[1]-1]))
			t.Rows = append(t.Rows, append([]Cell{words(d.label(a.Arm, a.Threads)), number(span)}, d.Heat.percentiles(sum)...))
		}
	}
	return t
}

func (h Heat) percentiles(c *record.Coarse) []Cell {
	if c == nil {
		return []Cell{number("0"), number("-"), number("-"), number("-")}
	}
	var total int64
	for _, n := range c.Counts {
		total += n
	}
	at := func(share float64) Cell {
		var seen int64
		for i, n := range c.Counts {
			seen += n
			if k := c.First + i + 1; float64(seen) >= share*float64(total) && k < len(h.Bounds) {
				return number(significant(float64(h.Bounds[k])))
			}
		}
		return number("-")
	}
	p99 := number("-")
	if float64(total)/100 >= 10 { // as everywhere: no percentile of single requests
		p99 = at(0.99)
	}
	return []Cell{number(grouped(total)), at(0.5), p99, at(1)}
}
