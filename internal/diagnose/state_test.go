package diagnose

import (
	"fmt"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// TestStates: a condition is present whatever it costs; it explains a cost where one is
// established and its part of a transaction is surely longer; it is proved by an arm that has all
// but the condition and recovers throughput. No state says more than the contrast allows.
func TestStates(t *testing.T) {
	share := &Share{Ratio: 0.9, Lo: 0.5, Hi: 1.2}
	for name, c := range map[string]struct {
		pod, free float64 // throughputs; bare has 1000
		rounds    int
		share     *Share
		invalid   bool
		want      State
	}{
		"no cost":                     {1000, 1000, 8, share, false, Present},
		"faster":                      {1100, 1100, 8, share, false, Present},
		"one round":                   {500, 1000, 1, share, false, Present},
		"too few rounds":              {500, 1000, 4, share, false, Present},
		"another server":              {500, 1000, 8, share, true, Present},
		"a cost, and no time":         {500, 500, 8, nil, false, Present},
		"a cost, and no time surely":  {500, 500, 8, &Share{Ratio: 0.9, Lo: -0.1, Hi: 2}, false, Present},
		"a cost and its time":         {500, 500, 8, share, false, Explains},
		"recovered":                   {500, 900, 8, share, false, Proved},
		"recovered, its time unknown": {500, 900, 8, nil, false, Proved},
	} {
		run := threeArms(t, c.pod, c.free, c.rounds, c.invalid)
		res := compare.Run(run)
		all := []Finding{
			{Rule: "C-CPU-01", Subject: "pod", Threads: 8, Verdict: Confirmed, Change: "{cpu: max}", Share: c.share},
			{Rule: "C-CPU-01", Subject: "free", Threads: 8, Verdict: RuledOut},
		}
		judge(all, res, Answers(run, res, all))
		if all[0].State != c.want || (all[0].Recovered != nil) != (c.want == Proved) || all[1].State != "" {
			t.Errorf("%s: %q %+v, want %q (%+v)", name, all[0].State, all[0].Recovered, c.want, res.Contrasts[0])
		}
		all[1].Verdict = Confirmed // the arm has the condition too
		if judge(all, res, Answers(run, res, all)); all[0].State == Proved {
			t.Errorf("%s: proved by an arm with the condition", name)
		}
	}
}

// threeArms is a run of bare, pod, and free, which is pod without its quota.
func threeArms(t *testing.T, pod, free float64, rounds int, invalid bool) *record.Run {
	t.Helper()
	e, err := experiment.Parse("t.yaml", fmt.Appendf(nil, `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: t}
load: {threads: 8}
protocol: {rounds: %d, aa: false, kind: windows}
baseline: bare
arms:
  bare: {target: process}
  pod: {target: container, qos: Guaranteed, cpu: 1}
  free: {target: container, qos: Guaranteed, cpu: max}
`, rounds))
	if err != nil {
		t.Fatal(err)
	}
	run := &record.Run{Experiment: e, Plan: experiment.NewPlan(e)}
	tps := map[string]float64{"bare": 1000, "pod": pod, "free": free}
	for _, p := range run.Plan.Trials {
		wobble := 1 + float64((7*p.Round+len(p.Arm))%5)/1000
		trial := &record.Trial{
			Header: record.Header{Version: 1, Trial: p.Number, Round: p.Round, Slot: p.Slot, Arm: p.Arm, Threads: p.Threads},
			End:    &record.End{Outcome: record.Measured},
			Window: &record.Window{Seconds: 100, Counts: record.Counts{Transactions: int64(100 * tps[p.Arm] * wobble)}},
			Facts:  []record.Fact{{Key: "server.sha256", Value: "a", Phase: "start"}},
		}
		if invalid && p.Arm == "pod" {
			trial.Facts[0].Value = "b"
		}
		run.Trials = append(run.Trials, trial)
	}
	return run
}
