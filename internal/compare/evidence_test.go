package compare

import (
	"math"
	"strconv"
	"testing"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/record"
)

// TestEvidencePerTrial: a counter's growth is a sum with the trials that it is of, so that an arm
// with twice the trials can be shown beside another; an amount has its mean at the end.
func TestEvidencePerTrial(t *testing.T) {
	trial := func(used, periods float64) *record.Trial {
		of := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
		return &record.Trial{Facts: []record.Fact{
			{Key: "cgroup.memory.usage_in_bytes", Value: "100", Phase: "start"}, {Key: "cgroup.cpu.nr_periods", Value: "5", Phase: "start"},
			{Key: "cgroup.memory.usage_in_bytes", Value: of(100 + used), Phase: "end"}, {Key: "cgroup.cpu.nr_periods", Value: of(5 + periods), Phase: "end"},
		}}
	}
	all := evidence([]*record.Trial{trial(50, 10), trial(70, 30), trial(60, 20), {}})
	if memory := all[0]; memory.End != 160 || memory.Trials != 3 {
		t.Errorf("%+v", memory)
	}
	if periods := all[1]; periods.Change != 60 || periods.Trials != 3 || !math.IsNaN(periods.End) {
		t.Errorf("%+v", periods)
	}
}

func TestEvidence(t *testing.T) {
	r := equalArms(t, 2)
	each(r, "pod", func(tr *record.Trial) {
		add := func(key, value, phase string) {
			tr.Facts = append(tr.Facts, record.Fact{Key: key, Value: value, Phase: phase})
		}
		for _, p := range []string{"cgroup.pod.", "neighbour.cgroup.pod."} {
			add(p+"cpu.shares", "2", "start")
			add(p+"cpu.stat.nr_periods", "100", "start")
			add(p+"cpu.stat.nr_throttled", "10", "start")
			add(p+"cpu.stat.nr_periods", "300", "end")
		}
		add("cgroup.pod.cpu.stat.nr_throttled", "60", "end")
		add("neighbour.cgroup.pod.cpu.stat.nr_throttled", "210", "end")
	})
	arm := Run(r).Arms[1]
	share, periods, ok := arm.Throttled()
	if !ok || share != 0.25 || periods != 400 { // (60-10)/(300-100), in two trials
		t.Errorf("throttled in %v of %v periods, %v", share, periods, ok)
	}
	if e := arm.Evidence[0]; e.Key != "cgroup.pod.cpu.shares" || e.Value != "2" {
		t.Errorf("got %+v", e)
	}
	if e := arm.Evidence[1]; e.Value != "" || e.Change != 400 {
		t.Errorf("a counter has its change, not a value: %+v", e)
	}
}

// TestEvidenceOfLevels: what is read once before and once after the load of a server that several levels
// share is of all of them; the probes tell them apart. Of the probes, the periods are those that
// were counted, not those that the counted seconds would have.
func TestEvidenceOfLevels(t *testing.T) {
	facts := Arm{Evidence: []Evidence{
		{Key: keys.ServerRunNS, Change: 100}, {Key: keys.ServerRunQueueWaitNS, Change: 900},
		{Key: "cgroup.pod.cpu.stat.nr_periods", Change: 100}, {Key: "cgroup.pod.cpu.stat.nr_throttled", Change: 90},
	}}
	probed := facts
	probed.Counters = []Counter{
		{Metric: WaitPerCPU(), Mean: 2},
		{Metric: record.Metric{Name: "cgroup.cpu.nr_periods"}, PerSecond: 10, Total: 701, Trials: 8},
		{Metric: record.Metric{Name: "cgroup.cpu.nr_throttled"}, PerSecond: 1, Total: 70.1, Trials: 8},
	}
	shared := facts
	shared.turns = true
	for name, c := range map[string]struct {
		arm                        Arm
		waited, throttled, periods float64
		ok                         bool
	}{"facts": {facts, 9, 0.9, 100, true}, "probes": {probed, 2, 0.1, 701, true}, "facts of several levels": {shared, math.NaN(), 0, 0, false}} {
		waited, read := c.arm.Waited()
		throttled, periods, ok := c.arm.Throttled()
		if read && waited != c.waited || read != c.ok || math.Abs(throttled-c.throttled) > 1e-12 || periods != c.periods || ok != c.ok {
			t.Errorf("%s: waited %v, throttled in %v of %v periods", name, waited, throttled, periods)
		}
	}
}

// TestGenerator: the generator's CPU time is a share of that of all CPUs while it sent load, which by
// slices is longer than the window; its wait is a share of its loops' time. A generator on another
// machine, and one that does not tell, have none.
func TestGenerator(t *testing.T) {
	trial := func(on string) *record.Trial {
		trial := &record.Trial{End: &record.End{Outcome: record.Measured}, Window: &record.Window{Seconds: 10, Counts: record.Counts{Transactions: 1}}}
		for key, v := range map[string]string{
			"load.throttled_of_s": on, "host.cpu.count": "2", "load.loops": "4", "load.cpu_user_s": "9", "load.cpu_system_s": "3", "load.run_queue_s": "20",
		} {
			trial.Facts = append(trial.Facts, record.Fact{Key: key, Value: v, Phase: "end"})
		}
		return trial
	}
	for name, c := range map[string]struct {
		target, on string
		want       *Generator
	}{
		"here":     {"container", "20", &Generator{0.3, 0.25}},
		"no loops": {"process", "", nil},
		"a pod's":  {"kubernetes", "20", nil},
	} {
		got := (&Arm{Target: c.target, Trials: []*record.Trial{trial(c.on)}}).generator()
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
