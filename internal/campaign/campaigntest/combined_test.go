//go:build !race

package campaigntest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/stats"
)

// fleet is machines on which the effect of every arm differs.
type fleet struct {
	machines, runs int // runs of each machine
	// machineSD and runSD are of the log effect of an arm, roundSD of a trial on the steadiest machine; the least
	// steady is as many times as noisy.
	machineSD, runSD, roundSD, noisiest float64
	// control says that rounds taken as if of one run miss too often to hold.
	control bool
}

// fleetSpec is an experiment of a baseline and three arms without an effect over machines at large.
const fleetSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: simulated}
load: {workload: oltp_read_only, threads: 4}
protocol: {kind: windows, aa: false, rounds: 6, voids: 0, warmup: 5s, measure: 20s, margin: 1%}
baseline: bare
arms:
  bare: {target: process}
  a: {target: process, config: {innodb_io_capacity: 101}}
  b: {target: process, config: {innodb_io_capacity: 102}}
  c: {target: process, config: {innodb_io_capacity: 103}}
`

// draw is the runs of the fleet. Every trial says which machine it was on.
func (f fleet) draw(t *testing.T, seed uint64) []*record.Run {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 29))
	arms := []string{"a", "b", "c"}
	effects := func(sd float64) map[string]float64 {
		of := map[string]float64{}
		for _, arm := range arms {
			of[arm] = sd * rng.NormFloat64()
		}
		return of
	}
	var all []*record.Run
	for m := range f.machines {
		noise := f.roundSD
		if f.machines > 1 {
			noise *= math.Pow(f.noisiest, float64(m)/float64(f.machines-1))
		}
		ofMachine := effects(f.machineSD)
		for n := range f.runs {
			ofRun := effects(f.runSD)
			effect := func(a experiment.Arm) float64 { return ofMachine[a.Name] + ofRun[a.Name] }
			w := World{
				Name: "fleet", YAML: fleetSpec, Effect: effect, Tail: negative(effect), Noise: normal(func(string) float64 { return noise }),
				Change: func(_ *rand.Rand, trial *record.Trial) {
					trial.Facts = append(trial.Facts, record.Fact{Key: keys.HostMachine, Value: fmt.Sprintf("machine%d", m), Phase: "start"})
				},
			}
			run, err := w.Draw(seed*1000 + uint64(10*m+n))
			if err != nil {
				t.Fatal(err)
			}
			run.Dir = fmt.Sprintf("machine%d-run%d", m, n)
			all = append(all, run)
		}
	}
	return all
}

// combinedOf is what `tare combine` makes of the fleet's runs.
func combinedOf(t *testing.T, runs []*record.Run) *report.Combined {
	t.Helper()
	c, err := compare.Combine(runs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report.BuildCombined(c, "test")
}

// TestC29Combined: runs of one experiment on machines whose effects differ, and several runs of one machine, through
// `tare combine`. The effect over machines at large is 0; over runs of a machine it is that of the machine. The broken
// control takes all rounds of all runs as if they were of one run.
func TestC29Combined(t *testing.T) {
	t.Parallel()
	for _, f := range []fleet{
		{machines: 3, runs: 1, machineSD: 0.01, roundSD: 0.01, noisiest: 10},
		{machines: 4, runs: 2, machineSD: 0.02, runSD: 0.005, roundSD: 0.005, noisiest: 5, control: true},
		{machines: 7, runs: 1, machineSD: 0, runSD: 0, roundSD: 0.01, noisiest: 10},
		{machines: 1, runs: 6, runSD: 0.01, roundSD: 0.01, control: true},
	} {
		name := fmt.Sprintf("%d machines, %d runs each", f.machines, f.runs)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs := sizeOf(6, 400)
			count := newTally("C29")
			control := 0
			for i := range runs {
				all := f.draw(t, uint64(i+1))
				doc := combinedOf(t, all)
				var quantities []quantity
				var wrong []string
				for _, e := range doc.Effects {
					label := "combined " + e.Family
					quantities = append(quantities, quantity{family: e.Family, name: label, in: e.Interval}, quantity{family: e.Family + ninety, name: label + ninety, in: e.Interval90})
					// The truth is 0: any claim of a difference is wrong, and that of no difference is right.
					if e.Verdict == "costs" || e.Verdict == "gains" || e.Verdict == "within-margin" {
						wrong = append(wrong, e.Sentence)
					}
				}
				count.add(quantities, wrong)
				control += pooledMisses(doc, all)
			}
			count.judge(t, World{Name: name})
			share := float64(control) / float64(runs)
			t.Logf("C29 %s: pooled rounds miss in %.1f %% of %d", name, 100*share, runs)
			if f.control && runs > 100 && share < 0.08 {
				t.Errorf("the broken control holds: %.1f %%", 100*share)
			}
		})
	}
}

// pooledMisses says whether a t interval over the rounds of all runs misses 0 for any arm.
func pooledMisses(doc *report.Combined, all []*record.Run) int {
	for _, e := range doc.Effects {
		if e.Measure != "throughput" {
			continue
		}
		if missesZero(roundsOf(all, e.Arm), e.FamilySize) {
			return 1
		}
	}
	return 0
}

// roundsOf are the log-ratios of an arm in all rounds of all runs.
func roundsOf(all []*record.Run, arm string) (d []float64) {
	for _, r := range all {
		base, of := map[int]float64{}, map[int]float64{}
		for _, t := range r.Trials {
			switch t.Header.Arm {
			case "bare":
				base[t.Header.Round] = math.Log(t.Throughput())
			case arm:
				of[t.Header.Round] = math.Log(t.Throughput())
			}
		}
		for round := range len(of) {
			d = append(d, of[round+1]-base[round+1])
		}
	}
	return d
}

func missesZero(d []float64, family int) bool {
	p := stats.PairedTFamily(d, family)
	return p.Lo95 > 0 || p.Hi95 < 0
}
