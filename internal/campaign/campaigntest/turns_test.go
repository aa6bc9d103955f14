//go:build !race

package campaigntest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/record"
)

// domain is a load, and the turns by which it is measured.
type domain struct {
	Served
	name    string
	alike   bool // every step takes about as long
	lengths interleave.Slices
	cells   int
}

// drawDomain is one of transactions of 2 ms to 0.4 s: steps that wait for nothing else, for CPUs or for a
// device, that stand still or go on while the server is frozen, of several distributions.
func drawDomain(rng *rand.Rand) domain {
	d := domain{cells: 2 + rng.IntN(6)}
	d.Connections, d.Steps = []int{4, 8, 32}[rng.IntN(3)], 1+rng.IntN(4)
	transaction := 0.002 * math.Exp(rng.Float64()*math.Log(200))
	d.Mean = transaction / float64(d.Steps)
	kind := []string{"waits", "waits that go on", "CPUs", "a device", "a device that flushes, too"}[rng.IntN(5)]
	switch kind {
	case "waits that go on":
		d.GoesOn = true
	case "CPUs":
		d.CPUs = 2
		d.Mean *= d.CPUs / float64(d.Connections)
	case "a device that flushes, too":
		d.Flushed = d.Steps
		fallthrough
	case "a device":
		d.InTurn, d.GoesOn = true, true
		d.Mean *= float64(d.Steps) / float64(d.Connections*(d.Steps+d.Flushed))
	}
	mean, shape := d.Mean, []string{"exponential", "lognormal", "±10 %"}[rng.IntN(3)]
	switch shape {
	case "exponential":
		d.Length = func(rng *rand.Rand) float64 { return mean * rng.ExpFloat64() }
	case "lognormal":
		d.Length = func(rng *rand.Rand) float64 { return mean * math.Exp(0.5*rng.NormFloat64()-0.125) }
	default:
		d.alike = true
		d.Length = func(rng *rand.Rand) float64 { return mean * (0.9 + 0.2*rng.Float64()) }
	}
	lead := []time.Duration{20, 100, 200}[rng.IntN(3)] * time.Millisecond
	d.lengths = interleave.Slices{Guard: 10 * time.Millisecond, LeadIn: lead, Slice: 200 * time.Millisecond, Drain: 20 * time.Millisecond, Warmup: 5, Cycles: 25}
	d.Unsteady = []float64{0, 0.2}[rng.IntN(2)]
	d.name = fmt.Sprintf("%s, %s, %d connections, %d steps, %.0f ms, lead-in %v, %d arms", kind, shape, d.Connections, d.Steps, 1000*transaction, lead, d.cells)
	return d
}

// bias is by how much the figure of slices is off, and the durations of transactions. About so many are counted.
func (d domain) bias(rng *rand.Rand, transactions float64) (float64, Counted) {
	long := d.lengths
	long.Cycles = int(math.Max(200, math.Min(4000, transactions/(d.Rate()*long.Slice.Seconds()))))
	c, sum := d.Trial(rng, long, d.cells), 0
	for _, n := range c.Turns {
		sum += n
	}
	return float64(sum)/long.Counted().Seconds()/d.Rate() - 1, c
}

// clear tells whether durations are well within the bounds of compare.Misfits: the 99th percentile below 0.4
// of a slice, and a fifth of the transactions longer than a quarter of one at most.
func (d domain) clear(c Counted) bool {
	p99, _ := c.Durations.Percentile(99)
	p80, _ := c.Durations.Percentile(80)
	slice := float64(d.lengths.Slice)
	return float64(p99) < 0.4*slice && float64(p80) < slice/4
}

// refused tells whether a run of four rounds is refused after any of them.
func (d domain) refused(t *testing.T, e *experiment.Experiment, rng *rand.Rand) bool {
	t.Helper()
	run := &record.Run{Experiment: e, Plan: experiment.NewPlan(e)}
	run.Plan = run.Plan.Interleave(e, experiment.Interleaving{Kind: experiment.KindSlices, Slices: &d.lengths})
	for _, p := range run.Plan.Trials {
		if p.Arm != "pod" {
			continue
		}
		trial := &record.Trial{
			Header: record.Header{Trial: p.Number, Round: p.Round, Arm: p.Arm, Threads: p.Threads}, End: &record.End{Outcome: record.Measured},
			Window: &record.Window{Latency: &record.Latency{}},
		}
		d.Trial(rng, d.lengths, d.cells).Into(trial, d.lengths)
		run.Trials = append(run.Trials, trial)
		if len(compare.Misfits(run)) > 0 {
			return true
		}
	}
	return false
}

// TestC27Turns: of loads whose throughput under constant load is known, those that slices measure are not
// refused, and those for which slices are off by more than a tenth are. Counted are runs of four
// rounds. What is accepted is off by little, most where every transaction takes about as long, so
// that they begin and end in waves.
func TestC27Turns(t *testing.T) {
	t.Parallel()
	e, err := experiment.Parse("experiment.yaml", []byte(`apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: turns}
load: {workload: oltp_read_only, threads: 4}
protocol: {kind: slices, rounds: 4, warmup: 1s, measure: 5s, aa: false}
baseline: bare
arms:
  bare: {target: process}
  pod: {target: container}
`))
	if err != nil {
		t.Fatal(err)
	}
	domains, runs, transactions := 40, 1, 2000.0
	if os.Getenv("TARE_CALIBRATE") == "full" {
		domains, runs, transactions = 400, 8, 20000
	}
	var of, refused [2]int // of loads that fit, and of those that do not
	var furthest, furthestAlike, furthestOfAll float64
	for i := range domains {
		d := drawDomain(rand.New(rand.NewPCG(uint64(i), 127)))
		bias, durations := d.bias(rand.New(rand.NewPCG(uint64(i), 227)), transactions)
		fits, accepted := 0, 0
		for j := range runs {
			if d.refused(t, e, rand.New(rand.NewPCG(uint64(i*runs+j), 327))) {
				fits++
			} else {
				accepted++
			}
		}
		switch chance := 3.3 / math.Sqrt(transactions); {
		case math.Abs(bias) > 0.1+chance:
			of[1], refused[1] = of[1]+runs, refused[1]+fits
		case d.clear(durations):
			of[0], refused[0] = of[0]+runs, refused[0]+fits
			if fits > 0 {
				t.Logf("C27 %s: %d of %d runs are refused, off by %.1f %%", d.name, fits, runs, 100*bias)
			}
		}
		furthestOfAll = math.Max(furthestOfAll, math.Abs(bias))
		switch {
		case accepted == 0:
		case d.alike:
			furthestAlike = math.Max(furthestAlike, math.Abs(bias))
		default:
			furthest = math.Max(furthest, math.Abs(bias))
		}
		if accepted > 0 && math.Abs(bias) > 0.05 {
			t.Logf("C27 %s: accepted, off by %.1f %%", d.name, 100*bias)
		}
	}
	t.Logf("C27: %d of %d runs of loads that fit are refused, and %d of %d of loads for which slices are off by more than 10 %% (up to %.0f %%)",
		refused[0], of[0], refused[1], of[1], 100*furthestOfAll)
	t.Logf("C27: the accepted are off by at most %.1f %%; by %.1f %% where all transactions take about as long", 100*furthest, 100*furthestAlike)
	if refused[0] > most(of[0], 0.005) {
		t.Errorf("%d of %d runs of loads that fit are refused, more than 0.5 %%", refused[0], of[0])
	}
	if of[1] == 0 || of[1]-refused[1] > most(of[1], 0.01) {
		t.Errorf("of %d runs that are off by more than 10 %%, %d are refused, fewer than 99 %%", of[1], refused[1])
	}
	noise := 4 / math.Sqrt(transactions)
	if furthest > 0.03+noise || furthestAlike > 0.1+noise {
		t.Errorf("accepted loads are off by up to %.1f %%, and by up to %.1f %% where all transactions take about as long", 100*furthest, 100*furthestAlike)
	}
}
