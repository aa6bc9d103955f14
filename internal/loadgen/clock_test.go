package loadgen

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/loadgen/barrier"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/record"
)

// builtInAnnouncedTurns: two generators that are told when their turns begin once both are there take them. They share this
// host's clock, so that nothing need lie between their turns. The clocks of two nodes may differ by what the round trips
// were, and turns that may have overlapped by that are no result.
func builtInAnnouncedTurns(t *testing.T, s *testServer) {
	j := builtInJob(s)
	if err := BuiltIn("").Prepare(t.Context(), j, testLog{t}); err != nil {
		t.Fatal(err)
	}
	number := 0
	for name, guard := range map[string]time.Duration{"apart": 10 * time.Millisecond, "without a guard": 0} {
		mysqldtest.Attempts(t, 5, func() error {
			number++
			return announcedOnce(t, j, strings.ReplaceAll(name, " ", "-")+strconv.Itoa(number), guard)
		})
	}
	clocksOfNodes(t, j)
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
	if err != nil && strings.Contains(err.Error(), "first turn") {
		return err
	}
	if gathered != 1 {
		t.Errorf("%s: the start was asked for %d times", run, gathered)
	}
	if err := starved(t)(outcome, reason, err); err != nil {
		return err
	}
	if f := uncertainty(&seen); f.Value != "0.000" || f.Source != fromOneClock || seen.Window == nil || seen.Window.Counts.Transactions == 0 || len(seen.Intervals) == 0 || seen.Intervals[0].Turn == 0 {
		t.Errorf("%s: uncertainty %+v, %+v, %d intervals", run, f, seen.Window, len(seen.Intervals))
	}
	return nil
}

func uncertainty(seen *record.Trial) (of record.Fact) {
	for _, f := range seen.Facts {
		if f.Key == keys.ClockUncertaintyMS {
			of = f
		}
	}
	return of
}

// clocksOfNodes judges the clocks of two jobs, this one's read within 8 ms from its server.
func clocksOfNodes(t *testing.T, j Job) {
	t.Helper()
	d, err := wire.NewDialer(j.Server)
	if err != nil {
		t.Fatal(err)
	}
	session, err := d.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	_, own, err := barrier.Gather(t.Context(), session, "nobody", 0)
	if err != nil {
		t.Fatal(err)
	}
	at := func(clock string) barrier.Arrival { return barrier.Arrival{Clock: clock, Took: 8 * time.Millisecond} }
	for name, c := range map[string]struct {
		clock, other string
		guard        time.Duration
		ok, one      bool
	}{
		"one node":            {"n1", "n1", 0, true, true},
		"two nodes":           {"n1", "n2", 10 * time.Minute, true, false},
		"two nodes, too near": {"n1", "n2", 7 * time.Millisecond, false, false},
		"not known":           {"", "", 7 * time.Millisecond, false, false},
	} {
		clocks := barrier.NewClocks()
		b := begun{own: own, arrivals: []barrier.Arrival{at(c.clock)}, clocks: clocks}
		for _, clock := range []string{c.clock, c.other} {
			clocks.See(own, []barrier.Arrival{at(clock)})
		}
		var seen record.Trial
		m := &merger{emit: keep(&seen), clocks: []clockReading{{Uncertainty: 4 * time.Millisecond}}}
		j.Turns = &Turns{Schedule: interleave.Schedule{Slices: interleave.Slices{Guard: c.guard}}}
		err := m.judgeClocks(t.Context(), j, d, b)
		said := uncertainty(&seen)
		if (err == nil) != c.ok || c.one != (said.Value == "0.000") || err != nil && !strings.Contains(err.Error(), "may differ by "+said.Value+" ms") {
			t.Errorf("%s: %+v, %v", name, said, err)
		}
	}
}
