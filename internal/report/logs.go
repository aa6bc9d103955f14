package report

// This file is what the files of an imported arm hold: how long they measured, and which percentiles.

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/language"
)

// Logs is what the files of an imported arm hold.
type Logs struct {
	// Seconds are those that each file measured, null where it does not say.
	Seconds []Number `json:"seconds"`
	// Percentiles are those of whole runs that the files have.
	Percentiles []LogPercentile `json:"percentiles"`
	// Intervals is the percentile of the intervals of a file, for those without one of the whole run; left out where
	// they have none.
	Intervals *LogPercentile `json:"intervals,omitempty"`
}

// LogPercentile is a percentile in milliseconds: the lowest, the middle and the highest of all files or intervals.
type LogPercentile struct {
	Percentile string `json:"percentile"`
	Low        Number `json:"low_ms"`
	Median     Number `json:"median_ms"`
	High       Number `json:"high_ms"`
}

// logs reads the trials of an imported arm.
func logs(a *compare.Arm) *Logs {
	out := &Logs{Seconds: []Number{}, Percentiles: []LogPercentile{}}
	whole := map[string][]float64{}
	for _, t := range a.Trials {
		seconds := Unknown()
		if t.Window != nil && t.Window.Seconds > 0 {
			seconds = Number(t.Window.Seconds)
		}
		out.Seconds = append(out.Seconds, seconds)
		if t.Window == nil || t.Window.Latency == nil {
			continue
		}
		for name, ms := range t.Window.Latency.Percentiles {
			if ms > 0 {
				whole[text(name)] = append(whole[text(name)], ms)
			}
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(whole), byPercentile) {
		out.Percentiles = append(out.Percentiles, logPercentile(name, whole[name]))
	}
	if len(out.Percentiles) == 0 {
		out.Intervals = intervalPercentile(a.Trials)
	}
	return out
}

// intervalPercentile is that of all intervals; nil where they have none, or several.
func intervalPercentile(trials []*record.Trial) *LogPercentile {
	var all []float64
	p := 0.0
	for _, t := range trials {
		for _, i := range t.Intervals {
			if i.Warmup || i.Percentile == 0 || i.Latency <= 0 {
				continue
			}
			if p != 0 && p != i.Percentile {
				return nil
			}
			p, all = i.Percentile, append(all, i.Latency)
		}
	}
	if len(all) == 0 {
		return nil
	}
	found := logPercentile(strconv.FormatFloat(p, 'f', -1, 64), all)
	return &found
}

func logPercentile(name string, all []float64) LogPercentile {
	slices.Sort(all)
	return LogPercentile{name, Number(all[0]), Number((all[(len(all)-1)/2] + all[len(all)/2]) / 2), Number(all[len(all)-1])}
}

func byPercentile(a, b string) int {
	x, _ := strconv.ParseFloat(a, 64)
	y, _ := strconv.ParseFloat(b, 64)
	return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
}

// LogsOf says how long the files of an imported arm measured, and which percentiles they have; "" of an arm that tare
// measured.
func (doc *Document) LogsOf(a *Arm) string {
	if a.Logs == nil {
		return ""
	}
	parts := []string{doc.logSeconds(a.Logs.Seconds)}
	for _, p := range a.Logs.Percentiles {
		parts = append(parts, doc.Say("logs.whole", "p", p.Percentile, "ms", doc.logRange(p)))
	}
	switch in := a.Logs.Intervals; {
	case in != nil:
		ms := doc.logRange(*in)
		if in.Low != in.High {
			ms = doc.Say("logs.median", "ms", ms, "median", language.Significant(float64(in.Median)))
		}
		parts = append(parts, doc.Say("logs.intervals", "p", in.Percentile, "ms", ms))
	case len(a.Logs.Percentiles) == 0:
		parts = append(parts, doc.Say("logs.none"))
	}
	return doc.Language().List("list", parts)
}

func (doc *Document) logRange(p LogPercentile) string {
	lo, hi := language.Significant(float64(p.Low)), language.Significant(float64(p.High))
	if lo == hi {
		return lo
	}
	return doc.Language().Between(lo, hi)
}

// logSeconds is how long the files measured, in words.
func (doc *Document) logSeconds(all []Number) string {
	var known []float64
	for _, s := range all {
		if s.Known() {
			known = append(known, float64(s))
		}
	}
	if len(known) == 0 {
		return doc.Say("logs.seconds-unknown")
	}
	lo, hi := language.Significant(slices.Min(known)), language.Significant(slices.Max(known))
	if lo != hi {
		lo = doc.Language().Between(lo, hi)
	}
	if len(all) == 1 {
		return doc.Say("logs.seconds", "s", lo)
	}
	return doc.Say("logs.seconds-files", "s", lo, "files", doc.Count(len(all), "logfile"))
}
