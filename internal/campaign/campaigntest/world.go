package campaigntest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// World is a machine of which all is known: what each arm costs, and how its figures vary.
// [World.Draw] makes the record of a run on it. A world is data, so that a new one is a few lines
// of [Worlds].
type World struct {
	Name string
	// YAML is the experiment that is run.
	YAML string
	// Effect is the mean over trials of an arm's log throughput, less that of any arm that
	// returns 0. It includes what Noise adds on average.
	Effect func(a experiment.Arm) float64
	// Tail is that of an arm's log p95 and p99.
	Tail func(a experiment.Arm) float64
	// Noise starts a run: the function that it returns gives, for each trial in the order of the plan, by how much
	// its log throughput deviates from Effect. Its mean is zero.
	Noise func(rng *rand.Rand) func(p experiment.Trial) float64
	// Change changes what a trial's record holds; nil for none.
	Change func(rng *rand.Rand, t *record.Trial)
	// Moves says that the machine changes during the run, so that what an arm does by itself, without the
	// baseline beside it, has no true value.
	Moves bool
	// Slices are the lengths of the turns; nil for windows.
	Slices *interleave.Slices
	// Served gives the servers whose transactions are simulated one by one where a run is by slices; nil
	// for none, and for those of other arms. Their rate under constant load is that of Effect.
	Served func(a experiment.Arm) *Served
	// GoesOver says that the plan has windows for a run whose slices do not hold.
	GoesOver bool
	// Withheld is the arm of which no effect may be claimed, whatever its figures; "" for none.
	Withheld string
	// Still is the arm whose counter of flushes does not change; "" for none.
	Still string
	// Slow says that a run is compared after each of many rounds, so that fewer are drawn.
	Slow bool
	// Unseen is what so few rounds cannot show of the world, so that intervals miss without a word; "" for nothing.
	Unseen Unseen
}

// Unseen is a limit of what a number of rounds can show, which a report says (docs/method.md).
type Unseen string

const (
	// Dependence of rounds on each other, with a correlation of 0.5.
	Dependence Unseen = "dependence"
	// RareStarts: a server starts at another level one time in ten.
	RareStarts Unseen = "rare starts"
)

// Figures of a trial of an arm without an effect.
const (
	tps     = 1000.0 // transactions per second
	meanMS  = 4.0    // a transaction as its client sees it
	p95MS   = 8.0
	onCPU   = 0.4 // shares of meanMS
	waiting = 0.2
	seconds = 20 // of a window
	warmup  = 5
)

// Draw is a run of the experiment to its end: its rounds and those that its rule adds. The order of the
// trials is drawn, too: it is what makes a drift of the machine noise.
func (w World) Draw(seed uint64) (*record.Run, error) {
	e, err := experiment.Parse("experiment.yaml", []byte(strings.Replace(w.YAML, "protocol: {", fmt.Sprintf("protocol: {seed: %d, ", seed+1), 1)))
	if err != nil {
		return nil, fmt.Errorf("draw a run of %s: %w", w.Name, err)
	}
	rng := rand.New(rand.NewPCG(seed, 20))
	run := &record.Run{Experiment: e, Plan: experiment.NewPlan(e)}
	if w.Slices != nil {
		i := experiment.Interleaving{Kind: experiment.KindSlices, Why: "simulated", Slices: w.Slices}
		if w.GoesOver {
			i.Otherwise = []experiment.Interleaving{{Kind: experiment.KindWindows}}
		}
		run.Plan = run.Plan.Interleave(e, i)
	}
	noise := w.Noise(rng)
	for {
		for len(run.Trials) < len(run.Plan.Trials) {
			for round := run.Plan.Trials[len(run.Trials)].Round; len(run.Trials) < len(run.Plan.Trials) && run.Plan.Trials[len(run.Trials)].Round == round; {
				p := run.Plan.Trials[len(run.Trials)]
				run.Trials = append(run.Trials, w.trial(rng, run, p, noise(p)))
			}
			change, changes := compare.NextProtocol(run)
			if !changes {
				continue
			}
			if run.Plan, err = run.Plan.Change(change); err != nil {
				return nil, fmt.Errorf("draw a run of %s: %w", w.Name, err)
			}
			run.Trials = nil // the rounds begin again
		}
		rounds, why, more := compare.NextRounds(run)
		if !more {
			return run, nil
		}
		if run.Plan, err = run.Plan.Extend(e, rounds, why); err != nil {
			return nil, fmt.Errorf("draw a run of %s: %w", w.Name, err)
		}
	}
}

func (w World) trial(rng *rand.Rand, run *record.Run, p experiment.Trial, deviation float64) *record.Trial {
	arm, _ := run.Experiment.Arm(p.Arm)
	var turns *interleave.Slices
	if run.Plan.Sliced() {
		turns = run.Plan.Current().Slices
	}
	effect := w.Effect(arm)
	rate := tps * math.Exp(effect+deviation)
	t := &record.Trial{
		Header: record.Header{
			Version: record.Version, Trial: p.Number, Round: p.Round, Slot: p.Slot, Arm: p.Arm, Threads: p.Threads,
			Engine: "tare", Tare: "test", Started: time.Date(2026, 11, 28, 9, 0, p.Number, 0, time.UTC),
		},
		End: &record.End{Outcome: record.Measured, Duration: 30 * time.Second},
	}
	length, each, before := float64(seconds), 1.0, warmup
	if s := turns; s != nil {
		length, each, before = s.Counted().Seconds(), s.Slice.Seconds(), s.Warmup
	}
	for i := range before + int(math.Round(length/each)) {
		in := record.Interval{
			End: each * float64(i+1), Length: each, Warmup: i < before, Threads: p.Threads, Transactions: rate * math.Exp(0.02*rng.NormFloat64()),
		}
		if turns != nil {
			in.Turn = i + 1
		}
		t.Intervals = append(t.Intervals, in)
	}
	n := int64(math.Round(rate * length))
	t.Window = &record.Window{Seconds: float64(n) / rate, Counts: record.Counts{Transactions: n, Reads: 14 * n, Other: 2 * n}}
	if s := turns; s != nil { // those of the lead-in, and a few after the turn
		t.Window.Uncounted = int64(float64(n) * (s.LeadIn + s.Guard).Seconds() / s.Slice.Seconds())
	}
	tail := w.Tail(arm) - deviation + 0.02*rng.NormFloat64()
	mean := meanMS*math.Exp(-effect) + 0.05*rng.NormFloat64()
	t.Window.Latency = &record.Latency{Min: 1, Mean: mean, Max: 100, Histogram: histogram(n, p95MS*math.Exp(tail))}
	if w.Served != nil && turns != nil {
		if s := w.Served(arm); s != nil {
			s.Trial(rng, *turns, len(run.Plan.Trials)/run.Plan.Trials[len(run.Plan.Trials)-1].Round).Into(t, *turns)
		}
	}
	w.count(rng, t, meanMS*math.Exp(-effect), n+t.Window.Uncounted)
	if w.Change != nil {
		w.Change(rng, t)
	}
	return t
}

// eachPercent is the difference of the logarithms of two percentiles that follow each other.
const eachPercent = 0.04

// histogram has n response times. Each whole percentile is in the middle of its bucket, so that the number
// of transactions does not move it to the next one.
func histogram(n int64, p95 float64) *record.Histogram {
	h := &record.Histogram{Scheme: "simulated"}
	before := int64(0)
	for percent := range 101 {
		up := int64(math.Round(float64(n) * math.Min(1, (float64(percent)+0.5)/100)))
		h.Counts = append(h.Counts, [2]int64{int64(1e6 * p95 * math.Exp(eachPercent*float64(percent-95))), up - before})
		before = up
	}
	return h
}

// count gives a trial the counters that its time budget is made from, read at the begin and at
// the end of its window.
func (w World) count(rng *rand.Rand, t *record.Trial, mean float64, n int64) {
	t.Metrics = []record.Metric{
		{Name: keys.ServerSessionRunNS, Unit: "ns", Direction: record.LowerIsBetter, Counter: true},
		{Name: keys.ServerSessionWaitNS, Unit: "ns", Direction: record.LowerIsBetter, Counter: true},
		{Name: keys.MySQLInnoDBDataFsyncs, Unit: "1", Direction: record.LowerIsBetter, Counter: true},
	}
	spent := func(share float64) float64 { return 1e6 * float64(n) * (share*mean + 0.02*rng.NormFloat64()) }
	first := map[string]float64{keys.ServerSessionRunNS: 1e9, keys.ServerSessionWaitNS: 1e9, keys.MySQLInnoDBDataFsyncs: 100}
	last := map[string]float64{
		keys.ServerSessionRunNS: 1e9 + spent(onCPU), keys.ServerSessionWaitNS: 1e9 + spent(waiting), keys.MySQLInnoDBDataFsyncs: 100 + math.Round(float64(n)/10),
	}
	const second = int64(time.Second)
	begin := time.Duration(warmup * second)
	t.Samples = []record.Sample{
		{At: begin - time.Second, Warmup: true, Values: record.ValuesOf(first)}, {At: begin, Values: record.ValuesOf(first)},
		{At: begin + time.Duration(t.Window.Seconds*float64(second)), Values: record.ValuesOf(last)},
	}
}

// Write makes the directory of a run, as `tare run` leaves it.
func Write(dir string, run *record.Run) error {
	if err := record.Create(dir, run.Experiment, run.Plan); err != nil {
		return fmt.Errorf("write a simulated run: %w", err)
	}
	for i, t := range run.Trials {
		s, err := record.CreateStream(record.TrialDir(dir, run.Plan.Trials[i]), t.Header)
		if err != nil {
			return fmt.Errorf("write a simulated run: %w", err)
		}
		for _, l := range lines(t) {
			if err := s.Write(l); err != nil {
				return fmt.Errorf("write a simulated run: %w", err)
			}
		}
		if err := s.Close(*t.End); err != nil {
			return fmt.Errorf("write a simulated run: %w", err)
		}
	}
	return nil
}

// lines are those of a trial's stream between the first and the last.
func lines(t *record.Trial) (all []record.Line) {
	for i := range t.Metrics {
		all = append(all, record.Line{Metric: &t.Metrics[i]})
	}
	for i := range t.Facts {
		all = append(all, record.Line{Fact: &t.Facts[i]})
	}
	for i := range t.Samples {
		all = append(all, record.Line{Sample: &t.Samples[i]})
	}
	for i := range t.Intervals {
		all = append(all, record.Line{Interval: &t.Intervals[i]})
	}
	if t.Window != nil {
		all = append(all, record.Line{Window: t.Window})
	}
	return slices.Clip(all)
}
