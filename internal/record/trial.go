package record

import (
	"math"
	"strconv"
)

// Throughput is the trial's transactions per second; 0 without a window.
func (t *Trial) Throughput() float64 {
	if t.Window == nil {
		return 0
	}
	return t.Window.Throughput()
}

// Change is the value of a fact at the end minus its value at the start; NaN where it
// was not read as a finite number at both.
func (t *Trial) Change(key string) float64 {
	if change, ok := t.changes(func(k string) bool { return k == key })[key]; ok {
		return change
	}
	return math.NaN()
}

// Changes is Change of every fact that has one, by key. The keys of zero begin at
// zero with the server, so that the value at the end is all of it: of a server that
// never answered there is no value at the start.
func (t *Trial) Changes(zero ...string) map[string]float64 {
	return t.changes(func(string) bool { return true }, zero...)
}

func (t *Trial) changes(wanted func(key string) bool, zero ...string) map[string]float64 {
	start, changes := map[string]float64{}, map[string]float64{}
	for _, key := range zero {
		start[key] = 0
	}
	for _, f := range t.Facts {
		if !wanted(f.Key) {
			continue
		}
		v, err := strconv.ParseFloat(f.Value, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		if f.Phase != "end" {
			start[f.Key] = v
		} else if s, ok := start[f.Key]; ok {
			changes[f.Key] = v - s
		}
	}
	return changes
}
