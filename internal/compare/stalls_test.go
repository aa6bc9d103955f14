package compare

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/record"
)

// stalled is a run with 30 s a trial; in the second trial of arm a nothing is committed
// from 10 s to 12 s, while timers run out, and almost nothing at 20 s.
func stalled(t *testing.T) *record.Run {
	t.Helper()
	r := fill(planned(t, spec(4, "1%", "bare: {target: process}", "a: {target: container}")), func(string, int) float64 { return 1000 })
	rng := rand.New(rand.NewPCG(5, 5))
	for _, trial := range r.Trials {
		bad := trial.Header.Arm == "a" && trial.Header.Round == 2
		for _, name := range []string{"tcp.timeouts", "tcp.retransmitted", "host.cpu.steal_ns", "replication.member.3.tcp.timeouts"} {
			trial.Metrics = append(trial.Metrics, record.Metric{Name: name, Counter: true, Direction: record.LowerIsBetter})
		}
		trial.Metrics = append(trial.Metrics, record.Metric{Name: "tcp.sent_segments", Counter: true})
		trial.Intervals, trial.Samples = nil, nil
		timeouts, third, steal, sent := 3.0, 0.0, 1e9, 0.0
		for second := range 32 { // two of warm-up
			at := second - 2
			tps := 1000 * (1 + 0.3*rng.NormFloat64())
			stop := bad && (at == 10 || at == 11)
			switch {
			case stop:
				tps = 0
				timeouts += 40
			case bad && at == 20:
				tps, third = 50, third+7
			}
			steal += 1e7 * rng.Float64()
			sent += tps
			values := map[string]float64{"host.cpu.steal_ns": steal, "tcp.sent_segments": sent, "tcp.retransmitted": 9, "replication.member.3.tcp.sent_segments": sent}
			if second == 0 || stop || second == 31 {
				values["tcp.timeouts"] = timeouts // a value that has not changed is left out
			}
			if second == 0 || bad && at == 20 {
				values["replication.member.3.tcp.timeouts"] = third
			}
			trial.Intervals = append(trial.Intervals, record.Interval{End: float64(second + 1), Length: 1, Warmup: at < 0, Transactions: math.Max(150, tps)})
			if tps < 100 {
				trial.Intervals[second].Transactions = tps
			}
			trial.Samples = append(trial.Samples, record.Sample{At: time.Duration(second+1) * time.Second, Warmup: second < 1, Values: record.ValuesOf(values)})
		}
	}
	return r
}

// TestStalls: two stalls are found among eight trials of noise, each with what moved, and
// of members the one whose counter it is.
func TestStalls(t *testing.T) {
	r := stalled(t)
	all := Run(r).Stalls
	if len(all) != 2 {
		t.Fatalf("%+v", all)
	}
	first, second := all[0], all[1]
	if first.Arm != "a" || first.Start != 10 || first.Seconds != 2 || first.Throughput != 0 || len(first.Moved) == 0 || first.Moved[0].Name != "tcp.timeouts" || first.Moved[0].Rate != 40 || first.Moved[0].Before != 0 || first.Moved[0].Member != 0 {
		t.Errorf("%+v", first)
	}
	if second.Start != 20 || second.Seconds != 1 || second.Throughput != 50 || len(second.Moved) == 0 || second.Moved[0].Name != "replication.member.3.tcp.timeouts" {
		t.Errorf("%+v", second)
	}
	for _, trial := range r.Trials {
		trial.Facts = append(trial.Facts, record.Fact{Key: "replication.members", Value: "3", Phase: "start"})
	}
	all = Run(r).Stalls
	if all[0].Moved[0].Member != 1 || all[1].Moved[0].Member != 3 {
		t.Errorf("members: %+v", all)
	}
	for _, trial := range r.Trials {
		trial.Window.Uncounted = 1
	}
	if all := Run(r).Stalls; all != nil {
		t.Errorf("slices: %+v", all)
	}
}

// TestNoStalls: noise with a spread of a third of the mean has none; a rule of three
// standard deviations below the mean would not find a stop in it either.
func TestNoStalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	found, trials := 0, 2000
	for range trials {
		a := &Arm{}
		trial := &record.Trial{Window: &record.Window{}}
		for second := range 60 {
			trial.Intervals = append(trial.Intervals, record.Interval{End: float64(second + 1), Length: 1, Transactions: 1000 * math.Exp(0.33*rng.NormFloat64())})
		}
		found += len(stallsOf(a, trial, false))
	}
	if found > trials/1000 {
		t.Errorf("%d stalls in %d minutes of noise", found, trials)
	}
	if got := stallsOf(&Arm{}, &record.Trial{Window: &record.Window{}, Intervals: []record.Interval{{End: 1, Length: 1}}}, false); got != nil {
		t.Errorf("of one interval: %+v", got)
	}
}

// TestRatesOfTheServersCounters: the server is asked every five seconds. What it counted since is
// of five seconds, not of the one since the sample before, and a stall within them is touched.
func TestRatesOfTheServersCounters(t *testing.T) {
	trial := &record.Trial{Metrics: []record.Metric{
		{Name: "mysql.innodb_row_lock_waits", Counter: true, Direction: record.LowerIsBetter},
		{Name: "tcp.timeouts", Counter: true, Direction: record.LowerIsBetter},
	}}
	waits, timeouts := 0.0, 0.0
	for second := range 31 {
		values := map[string]float64{}
		stop := second == 17 || second == 18 // of the stall from 16 s to 18 s
		if waits += 100; stop {
			waits, timeouts = waits+400, timeouts+40
		}
		if values["tcp.timeouts"] = timeouts; second%5 == 0 {
			values["mysql.innodb_row_lock_waits"] = waits
		}
		trial.Samples = append(trial.Samples, record.Sample{At: time.Duration(second) * time.Second, Values: record.ValuesOf(values)})
	}
	got := moved(trial, []Stall{{Start: 16, Seconds: 2}}, 0, false)
	if len(got) != 2 || got[0].Name != "tcp.timeouts" || got[0].Rate != 40 || got[1].Rate != (5*100+2*400)/5. || got[1].Before != 100 {
		t.Errorf("%+v", got)
	}
}
