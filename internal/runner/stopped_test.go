package runner

import (
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// TestSilentAtEnd: a window whose server completed nothing at its end is told from one of long transactions.
func TestSilentAtEnd(t *testing.T) {
	for _, c := range []struct {
		name         string
		seconds      float64
		transactions int64
		threads      int
		silent       float64
		is           bool
	}{
		{"hung after 20 s of 60", 60, 20000, 20, 40, true},
		{"hung after a second, each connection had completed one", 60, 20, 20, 59, true},
		{"a stall of 4 s at the end", 10, 5000, 4, 4, false},
		{"a tenth of the window", 60, 20000, 20, 6, false},
		{"a fifth of the window", 60, 20000, 20, 12, true},
		{"three transactions of 15 s", 60, 3, 1, 15, false},
		{"six transactions of 9 s", 60, 6, 1, 6, false},
		{"twenty connections in step, 19 s each", 60, 60, 20, 19, false},
		{"ten transactions of twenty connections", 60, 10, 20, 15, false},
	} {
		w := &record.Window{Seconds: c.seconds, Counts: record.Counts{Transactions: c.transactions}}
		if _, is := silentAtEnd(w, c.threads, c.silent); is != c.is {
			t.Errorf("%s: %t", c.name, is)
		}
	}
}

// TestStopped: the outcome is the arm's, with the seconds. An event, slices and an open loop have other figures for it.
func TestStopped(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*trial)
		is     bool
	}{
		"closed loop":    {func(*trial) {}, true},
		"open loop":      {func(t *trial) { t.Experiment.Load.Rate = 100 }, false},
		"it went on":     {func(t *trial) { t.completed = 64 }, false},
		"without window": {func(t *trial) { t.window = nil }, false},
	} {
		j := job(t, &fake{})
		j.Experiment.Protocol.Warmup, j.Experiment.Protocol.Measure = experiment.Duration(5*time.Second), experiment.Duration(60*time.Second)
		tr := &trial{Job: j, plan: experiment.Trial{Threads: 20}, server: &mute{}, completed: 25,
			window: &record.Window{Seconds: 60, Counts: record.Counts{Transactions: 20000}}}
		c.change(tr)
		outcome, reason := tr.stopped(record.Measured, "")
		if c.is && (outcome != record.Starved || reason != "the server has completed no transaction in the last 40 s of the window") || !c.is && outcome != record.Measured {
			t.Errorf("%s: %s, %s", name, outcome, reason)
		}
	}
}
