package record

import (
	"fmt"
	"math"
	"strconv"

	"github.com/tarebench/tare/internal/experiment"
)

// HasResult tells whether the trial counts: its stream is whole, and it did not fail.
// A trial without a result is measured again.
func (t *Trial) HasResult() bool {
	return t.Incomplete == "" && t.End != nil && t.End.Outcome != Failed
}

// place completes the header with what was planned: a damaged stream may have lost it.
func (t *Trial) place(planned experiment.Trial) error {
	h := t.Header
	if h.Version != 0 && (h.Trial != planned.Number || h.Arm != planned.Arm) {
		return fmt.Errorf("open run: %s holds trial %d of arm %q", t.Dir, h.Trial, h.Arm)
	}
	h.Trial, h.Round, h.Slot, h.Arm, h.Threads = planned.Number, planned.Round, planned.Slot, planned.Arm, planned.Threads
	t.Header = h
	return nil
}

// Throughput is the figure that arms are compared by, in transactions per second: see
// Window.Throughput; 0 without a window.
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
