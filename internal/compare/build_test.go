package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// spec is a small experiment; arms are lines of YAML below "arms:".
func spec(rounds int, margin string, arms ...string) string {
	return fmt.Sprintf(`apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: t}
database: {config: {innodb_buffer_pool_size: 128M}}
load: {workload: oltp_read_only, threads: 4}
protocol: {rounds: %d, warmup: 1s, measure: 3s, margin: %s, aa: false}
baseline: bare
arms:
  %s
`, rounds, margin, strings.Join(arms, "\n  "))
}

func planned(t testing.TB, yaml string) *record.Run {
	t.Helper()
	e, err := experiment.Parse("experiment.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return &record.Run{Experiment: e, Plan: experiment.NewPlan(e)}
}

// equalArms is a run of a process and a container whose throughput is the same in every round.
func equalArms(t testing.TB, rounds int) *record.Run {
	t.Helper()
	return fill(planned(t, spec(rounds, "1%", "bare: {target: process}", "pod: {target: container}")), func(string, int) float64 { return 1000 })
}

// fill carries out the plan with the throughput that tps gives.
func fill(r *record.Run, tps func(arm string, round int) float64) *record.Run {
	for _, p := range r.Plan.Trials {
		r.Trials = append(r.Trials, trialOf(p, tps(p.Arm, p.Round)))
	}
	return r
}

func trialOf(p experiment.Trial, tps float64) *record.Trial {
	t := &record.Trial{
		Header: record.Header{Version: 1, Trial: p.Number, Round: p.Round, Slot: p.Slot, Arm: p.Arm, Threads: p.Threads},
		End:    &record.End{Outcome: record.Measured},
		// A long window, so that a whole number of transactions hides nothing.
		Window: &record.Window{Seconds: 1e6, Counts: record.Counts{Transactions: int64(tps * 1e6)}},
	}
	for i := range 4 {
		t.Intervals = append(t.Intervals, record.Interval{End: float64(i + 1), Length: 1, Warmup: i == 0, Transactions: tps})
	}
	return t
}

func table(values map[string][]float64) func(string, int) float64 {
	return func(arm string, round int) float64 { return values[arm][round-1] }
}

// imported is a run of other people's logs: arm -> one series of seconds a trial.
func imported(order []string, series map[string][][]float64) *record.Run {
	r := &record.Run{Imported: &record.Import{Format: "sysbench", Baseline: order[0], Margin: 0.01}}
	for _, arm := range order {
		for _, s := range series[arm] {
			p := experiment.Trial{Number: len(r.Trials) + 1, Round: 1, Arm: arm, Threads: 56}
			r.Imported.Trials = append(r.Imported.Trials, p)
			t := trialOf(p, 0)
			t.Intervals = nil
			var sum float64
			for i, v := range s {
				sum += v
				t.Intervals = append(t.Intervals, record.Interval{End: float64(600 + i), Length: 1, Transactions: v})
			}
			t.Window = &record.Window{Seconds: float64(len(s)), Counts: record.Counts{Transactions: int64(sum + 0.5)}, Partial: true, Rate: sum / float64(len(s))}
			r.Trials = append(r.Trials, t)
		}
	}
	return r
}

func end(o record.Outcome, reason string) func(*record.Trial) {
	return func(t *record.Trial) {
		t.End = &record.End{Outcome: o, Reason: reason}
		t.Window, t.Intervals = nil, nil
	}
}

// each changes the trials of an arm.
func each(r *record.Run, arm string, change func(*record.Trial)) *record.Run {
	for _, t := range r.Trials {
		if t.Header.Arm == arm {
			change(t)
		}
	}
	return r
}

func only(t *testing.T, res *Result) Contrast {
	t.Helper()
	if len(res.Contrasts) != 1 {
		t.Fatalf("got %d contrasts, want 1", len(res.Contrasts))
	}
	return res.Contrasts[0]
}
