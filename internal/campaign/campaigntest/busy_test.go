//go:build !race

package campaigntest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// busyWorld has a baseline and an arm that are equal on a quiet machine. Others use a share of the machine; of
// what that costs, the arm is spared a part, as a pod is that has a cgroup of its own beside a crowd in another (or
// loses it more than the baseline, where the part is negative). How much rounds vary is as measured.
func busyWorld(share, part float64, rounds int) World {
	left := 1 - share
	return World{
		Name: "busy machine",
		YAML: fmt.Sprintf(`apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: simulated}
load: {workload: oltp_read_only, threads: 4}
protocol: {rounds: %d, voids: 0, warmup: 5s, measure: 20s, margin: 1%%}
baseline: bare
arms:
  bare: {target: process}
  pod: {target: container, qos: BestEffort}
`, rounds),
		Effect: func(a experiment.Arm) float64 {
			if a.Name == "pod" {
				return -part * math.Log(left)
			}
			return 0
		},
		Tail:  none,
		Noise: normal(func(string) float64 { return 0.03 / (left * left) / math.Sqrt2 }),
		Change: func(rng *rand.Rand, t *record.Trial) {
			for key, used := range map[string]float64{keys.GateMachineS: 1, keys.GateForeignS: share * (1 + 0.05*rng.NormFloat64()), keys.GateStealS: 0} {
				t.Facts = append(t.Facts, record.Fact{Key: key, Value: "0", Phase: "start"}, record.Fact{Key: key, Value: fmt.Sprintf("%.4f", 100*used), Phase: "end"})
			}
		},
	}
}

// parts and shares are what is simulated: a few of them where the full size is not asked for.
func parts() []float64 { return []float64{0, 0.5, -0.5, 1}[:sizeOf(2, 4)] }

func shares() []float64 { return []float64{0.05, 0.17, 0.01, 0.09, 0.73}[:sizeOf(3, 5)] }

// TestC33BusyMachine: a claim that two arms differ which are equal on a quiet machine, and differ beside others by a
// part of what these use. The broken control has the verdict of the intervals alone.
func TestC33BusyMachine(t *testing.T) {
	runs := sizeOf(60, 1000)
	claimed := func(run *record.Run) int {
		if v := compare.Run(run).Contrasts[0].Verdict; v == compare.Costs || v == compare.Gains {
			return 1
		}
		return 0
	}
	const nominal = 0.06
	most := int(math.Ceil(nominal*float64(runs) + 3.3*math.Sqrt(nominal*(1-nominal)*float64(runs))))
	for i, part := range parts() { // none, what was measured, and all
		worst := 0
		for k, share := range shares() {
			with, without := 0, 0
			for n := range runs {
				run, err := busyWorld(share, part, 12).Draw(uint64(i*10+k)<<32 + uint64(n))
				if err != nil {
					t.Fatal(err)
				}
				with += claimed(run)
				run.Experiment.Protocol.OthersCPU = new(experiment.Percent(0.99))
				without += claimed(run)
			}
			t.Logf("C33: others use %.0f %%, part %+.1f: claims in %.1f %%; by the intervals alone %.1f %%", 100*share, part, 100*float64(with)/float64(runs), 100*float64(without)/float64(runs))
			if with > most {
				t.Errorf("%d of %d runs claim a difference beside others that use %.0f %%", with, runs, 100*share)
			}
			if share >= experiment.OthersLimit && with > 0 {
				t.Errorf("%d verdicts beside others that use %.0f %%", with, 100*share)
			}
			worst = max(worst, without)
		}
		if part == 0 && worst > most || part != 0 && worst < runs/5 {
			t.Errorf("part %.1f: the intervals alone claim a difference in at most %d of %d runs: the situation is not the one that the rule is for", part, worst, runs)
		}
	}
}
