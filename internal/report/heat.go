package report

import (
	"math"
	"slices"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/language"
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
		out.Ends = append(out.Ends, Number(language.Round(step*float64(k+1), 3)))
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
