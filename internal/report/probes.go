package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/language"
)

// Probes are what was watched while the load ran, every metric of every arm over
// the seconds of its trials. All series have the same spans of time.
type Probes struct {
	// Ends of the spans, in seconds since the load began.
	Ends   []Number      `json:"ends_s"`
	Series []ProbeSeries `json:"series"`
	// Differing are the metrics whose level differs between an arm and the baseline by
	// more than chance explains, the one that differs most first.
	Differing []ProbeDifference `json:"differing"`
}

// ProbeDifference is a metric's level in the baseline and in an arm, in the unit of its
// series: means over common rounds. Interval is of their difference, at 95 % for all
// metrics of the arm together.
type ProbeDifference struct {
	Metric   string    `json:"metric"`
	Arm      string    `json:"arm"`
	Threads  int       `json:"threads"`
	Baseline Number    `json:"baseline"`
	Level    Number    `json:"level"`
	Interval [2]Number `json:"interval"`
	Rounds   int       `json:"rounds"`
}

// ProbeSeries is one metric of an arm at one level of the load, all rounds together.
type ProbeSeries struct {
	Metric string `json:"metric"`
	// Unit is that of the values; a counter's are its change per second.
	Unit    string `json:"unit"`
	Help    string `json:"help"`
	Counter bool   `json:"counter"`
	Arm     string `json:"arm"`
	Threads int    `json:"threads"`
	// DisplayUnit is the unit in which views show the values, DisplayPer how many of Unit
	// are one of it.
	DisplayUnit string  `json:"display_unit"`
	DisplayPer  float64 `json:"display_per"`
	// Window is the metric in the measured windows, the mean over the trials: a counter's
	// growth from a window's first reading to its last, divided by the seconds between them;
	// the mean of what is not a counter. Null where it is not known.
	Window Number `json:"window"`
	// Mean, Low and High are over all readings of a span; null where nothing was read.
	Mean []Number `json:"mean"`
	Low  []Number `json:"low"`
	High []Number `json:"high"`
}

const (
	// mostSpans of all series together keep the page small; every series has at
	// least fewestSpans. The lowest and the highest reading of a span stay.
	mostSpans   = 60_000
	fewestSpans = 24
	longSeries  = 240
)

// probes are empty while the run is sealed: arms side by side are an effect.
func probes(res *compare.Result) Probes {
	out := Probes{Ends: []Number{}, Series: []ProbeSeries{}, Differing: []ProbeDifference{}}
	metrics, last := watched(res)
	if res.Sealed || len(metrics) == 0 || last <= 0 {
		return out
	}
	n := min(longSeries, max(fewestSpans, mostSpans/(len(metrics)*len(res.Arms))), int(math.Ceil(last)))
	for k := range n {
		out.Ends = append(out.Ends, Number(language.Round(last*float64(k+1)/float64(n), 3)))
	}
	for i := range res.Arms {
		out.Series = append(out.Series, probeSeries(&res.Arms[i], metrics, last, n)...)
	}
	out.Series = moving(out.Series)
	// One metric's arms stand together, in the order of the metrics' names.
	slices.SortStableFunc(out.Series, func(a, b ProbeSeries) int { return cmp.Compare(a.Metric, b.Metric) })
	for _, d := range compare.DifferingMetrics(res) {
		out.Differing = append(out.Differing, ProbeDifference{
			Metric: text(d.Name), Arm: text(d.Arm), Threads: d.Threads, Baseline: brief(d.Base), Level: brief(d.Level),
			Interval: [2]Number{brief(d.Interval.Lo), brief(d.Interval.Hi)}, Rounds: d.Rounds,
		})
	}
	setDisplay(out.Series)
	return out
}

// moving leaves out the counters that grew in no arm. One that grew in another arm is 0, and
// not unknown.
func moving(all []ProbeSeries) []ProbeSeries {
	moved := map[string]bool{}
	for _, s := range all {
		moved[s.Metric] = moved[s.Metric] || !s.Counter || slices.ContainsFunc(s.High, func(v Number) bool { return v.Known() && v > 0 })
	}
	return slices.DeleteFunc(all, func(s ProbeSeries) bool { return !moved[s.Metric] })
}

// setDisplay gives all arms of a metric one unit.
func setDisplay(all []ProbeSeries) {
	most := map[string]float64{}
	for _, s := range all {
		for _, v := range s.Mean {
			if v.Known() {
				most[s.Metric] = math.Max(most[s.Metric], math.Abs(float64(v)))
			}
		}
	}
	for i := range all {
		s := &all[i]
		s.DisplayUnit, s.DisplayPer = language.ShownUnit(s.Metric, s.Unit, most[s.Metric])
	}
}

// watched are the metrics that any trial declares, and the last second of any.
func watched(res *compare.Result) (metrics map[string]record.Metric, last float64) {
	metrics = map[string]record.Metric{}
	for i := range res.Arms {
		for _, t := range res.Arms[i].Trials {
			if len(t.Samples) < 2 {
				continue
			}
			for _, m := range t.Metrics {
				metrics[m.Name] = m
			}
			ratio := compare.WaitPerCPU()
			metrics[ratio.Name] = ratio
			last = max(last, (t.Samples[len(t.Samples)-1].At - loadBegan(t)).Seconds())
		}
	}
	return metrics, last
}

// loadBegan is when the load of a trial began, by the clock of its samples. They begin before it where
// its generators have to be started; the window begins with the first that is not of the warm-up.
func loadBegan(t *record.Trial) time.Duration {
	first := t.Samples[0].At
	for _, s := range t.Samples {
		if !s.Warmup {
			return max(first, s.At-time.Duration(warmupOf(t)*float64(time.Second)))
		}
	}
	return first
}

// track gathers one metric over the spans.
type track struct {
	metric         record.Metric
	sum, low, high []float64
	n              []int
}

func newTrack(m record.Metric, spans int) *track {
	return &track{metric: m, sum: make([]float64, spans), low: make([]float64, spans), high: make([]float64, spans), n: make([]int, spans)}
}

// add a reading that holds from one span to another, both included.
func (k *track) add(from, to int, v float64) {
	for i := from; i <= to; i++ {
		if k.n[i] == 0 {
			k.low[i], k.high[i] = v, v
		}
		k.low[i], k.high[i] = math.Min(k.low[i], v), math.Max(k.high[i], v)
		k.sum[i] += v
		k.n[i]++
	}
}

func probeSeries(a *compare.Arm, metrics map[string]record.Metric, last float64, spans int) []ProbeSeries {
	tracks := map[string]*track{}
	for name, m := range metrics {
		tracks[name] = newTrack(m, spans)
	}
	for _, t := range a.Trials {
		follow(t, tracks, last, spans)
	}
	var all []ProbeSeries
	for _, k := range tracks {
		if s, read := k.series(a); read {
			all = append(all, s)
		}
	}
	return all
}

// follow adds one trial's readings. A level holds until the next reading, and what a counter
// grew by is spread over the time since the one before.
func follow(t *record.Trial, tracks map[string]*track, last float64, spans int) {
	if len(t.Samples) < 2 {
		return
	}
	began := loadBegan(t)
	spanAt := func(at time.Duration) int { return min(spans-1, int((at-began).Seconds()/last*float64(spans))) }
	levels := map[string]compare.Reading{}
	for r := range compare.Readings(t) {
		track := tracks[r.Name]
		if r.At < began || track == nil {
			continue
		}
		span, first := spanAt(r.At), r.First || r.Since < began
		if rate := r.PerSecond(); r.Counter {
			if !first && !math.IsNaN(rate) {
				track.add(min(spanAt(r.Since)+1, span), span, rate)
			}
			continue
		}
		if before, ok := levels[r.Name]; ok {
			track.add(spanAt(before.At)+1, span-1, before.Value)
		}
		track.add(span, span, r.Value)
		levels[r.Name] = r
	}
}

// series is false for a metric that was never read.
func (k *track) series(a *compare.Arm) (s ProbeSeries, read bool) {
	unit := k.metric.Unit
	if k.metric.Counter {
		unit += "/s"
	}
	s = ProbeSeries{Metric: text(k.metric.Name), Unit: text(unit), Help: text(k.metric.Help), Counter: k.metric.Counter, Arm: text(a.Name), Threads: a.Threads, Window: Unknown()}
	if c, ok := a.Counter(k.metric.Name); ok {
		s.Window = brief(c.Mean)
		if c.Metric.Counter {
			s.Window = brief(c.PerSecond)
		}
	}
	for i, n := range k.n {
		mean, low, high := math.NaN(), math.NaN(), math.NaN()
		if n > 0 {
			mean, low, high, read = k.sum[i]/float64(n), k.low[i], k.high[i], true
		}
		s.Mean, s.Low, s.High = append(s.Mean, brief(mean)), append(s.Low, brief(low)), append(s.High, brief(high))
	}
	return s, read
}

// brief keeps four significant digits: a picture shows no more, and most of a large
// page would be the others.
func brief(v float64) Number {
	if !Number(v).Known() {
		return Unknown()
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return Unknown()
	}
	return Number(short)
}
