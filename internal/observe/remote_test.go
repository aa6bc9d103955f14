package observe

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
)

// TestOthers: counters that another program has read at times of its own are scaled to the
// window, levels are not, and what they give is no longer said to be unread.
func TestOthers(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	reading := func(after time.Duration, ns, bytes float64) []probe.Reading {
		return []probe.Reading{{At: at.Add(after), Values: map[string]float64{"cgroup.cpu.usage_ns": ns, "cgroup.memory.usage_bytes": bytes, "unheard.of": 1}}}
	}
	// The second answer is too early to say anything of the window.
	answers := [][]probe.Reading{reading(0, 100, 7), reading(time.Second, 200, 8), reading(20*time.Second, 500, 9)}
	s := Server{Readings: func(context.Context) ([]probe.Reading, error) {
		a := answers[0]
		answers = answers[1:]
		return a, nil
	}}
	trial := &record.Trial{
		Window:  &record.Window{Seconds: 10},
		Facts:   []record.Fact{{Key: "probe.cgroup.cpu", Unknown: "elsewhere"}, {Key: "probe.cgroup.memory", Unknown: "elsewhere"}, {Key: "probe.server.process", Unknown: "elsewhere"}},
		Samples: []record.Sample{{Values: record.ValuesOf(map[string]float64{"mysql.questions": 1})}, {}, {At: 10 * time.Second}},
	}
	s.others(t.Context()).until(t.Context(), trial, true)
	for name, want := range map[string][2]float64{"cgroup.cpu.usage_ns": {100, 300}, "cgroup.memory.usage_bytes": {7, 9}} {
		first, _ := trial.Samples[0].Values.Of(name)
		last, _ := trial.Samples[2].Values.Of(name)
		if first != want[0] || last != want[1] {
			t.Errorf("%s is %v to %v, want %v", name, first, last, want)
		}
	}
	if v, ok := trial.Samples[0].Values.Of("mysql.questions"); !ok || v != 1 {
		t.Error("the server's own counters are gone")
	}
	if len(trial.Metrics) != 2 || len(trial.Facts) != 1 || trial.Facts[0].Key != "probe.server.process" {
		t.Errorf("%d metrics, facts %+v", len(trial.Metrics), trial.Facts)
	}
}

// TestOthersRefused: why there are no such counters is on record.
func TestOthersRefused(t *testing.T) {
	s := Server{Readings: func(context.Context) ([]probe.Reading, error) { return nil, errors.New("may not get nodes/proxy") }}
	trial := &record.Trial{Window: &record.Window{Seconds: 10}}
	s.others(t.Context()).until(t.Context(), trial, true)
	if len(trial.Facts) != 1 || trial.Facts[0].Unknown != "may not get nodes/proxy" {
		t.Errorf("%+v", trial.Facts)
	}
}
