package loadgen

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/record"
)

// builtInAnnouncedTurns: two generators that are told when their turns begin once both are there take them, and by how
// much their clocks may differ from that of tare's host is in the record. Turns that may have overlapped are no result.
func builtInAnnouncedTurns(t *testing.T, s *testServer) {
	j := builtInJob(s)
	if err := BuiltIn("").Prepare(t.Context(), j, testLog{t}); err != nil {
		t.Fatal(err)
	}
	number := 0
	for name, guard := range map[string]time.Duration{"apart": 10 * time.Millisecond, "overlapping": 0} {
		mysqldtest.Attempts(t, 5, func() error {
			number++
			return announcedOnce(t, j, name+strconv.Itoa(number), guard)
		})
	}
}

// announcedOnce returns an error where a machine that stood still let the start pass.
func announcedOnce(t *testing.T, j Job, run string, guard time.Duration) error {
	t.Helper()
	control := j.Server
	j.Control = &control
	gathered := 0
	lengths := interleave.Slices{Guard: guard, LeadIn: 50 * time.Millisecond, Slice: 200 * time.Millisecond, Drain: 20 * time.Millisecond, Cycles: 5}
	j.Turns = &Turns{Schedule: interleave.Schedule{Slices: lengths, Cells: 1}, Begin: func() (time.Time, error) {
		gathered++
		return time.Now().Add(3 * time.Second), nil
	}}
	var seen record.Trial
	outcome, reason, err := Distribute(t.Context(), j, 2, run, generators(2), keep(&seen))
	uncertain := ""
	for _, f := range seen.Facts {
		if f.Key == keys.ClockUncertaintyMS {
			uncertain = f.Value
		}
	}
	if err != nil && strings.Contains(err.Error(), "first turn") {
		return err
	}
	if gathered != 1 {
		t.Errorf("%s: the start was asked for %d times", run, gathered)
	}
	differ := err != nil && strings.Contains(err.Error(), "may differ by "+uncertain+" ms")
	if guard == 0 {
		if !differ || uncertain == "" {
			t.Errorf("%s: %s, %s, %v; uncertainty %q", run, outcome, reason, err, uncertain)
		}
		return nil
	}
	if differ { // round trips of 5 ms
		return err
	}
	if err := starved(t)(outcome, reason, err); err != nil {
		return err
	}
	ms, err := strconv.ParseFloat(uncertain, 64)
	if err != nil || ms <= 0 || seen.Window == nil || seen.Window.Counts.Transactions == 0 || len(seen.Intervals) == 0 || seen.Intervals[0].Turn == 0 {
		t.Errorf("%s: uncertainty %q, %+v, %d intervals", run, uncertain, seen.Window, len(seen.Intervals))
	}
	return nil
}
