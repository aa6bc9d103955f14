package compare

import (
	"math"
	"slices"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Arm is one arm at one level of the load, over all its trials.
type Arm struct {
	Name     string
	Target   string // "" for an imported run
	Baseline bool
	Threads  int
	Trials   []*record.Trial // all of them, whatever their outcome
	// again are the numbers of the baseline's second trials in their rounds.
	again map[int]bool
	// setAside are the rounds that were set aside and measured once more, after the others.
	setAside map[int]bool
	// unwatched is whether those are without probes (experiment.ProbesAlternate).
	unwatched bool
	// forbidden is whether nothing of the arm may be compared with the baseline; of the baseline, whether nothing may be
	// compared with it.
	forbidden bool
	// turns says that the servers took turns: what was read once before and once after the load
	// is of all levels that shared a server, and of the time after its last turn, in which it had no
	// load. Only the probes tell these apart.
	turns bool
	// fixed says that the experiment measures latency at a fixed rate.
	fixed bool
	// misfit says why slices do not hold for the arm, which then has no figures; nil where they do.
	misfit   *Misfit
	short    *Reason        // no step of its searches had enough transactions for the percentile
	Outcomes map[string]int // by record.Outcome, and "incomplete"
	// Mean is the mean of the trials' throughputs, Min and Max the smallest and
	// largest second in any window; transactions/s, NaN without a measured trial.
	Mean, Min, Max     float64
	Queries            float64       // geometric mean of the trials' statements per second, NaN where they are not counted
	States             []stats.State // empty when one level describes the arm
	Latency            *Latency      // nil when the engine reported none
	Tails              []Tail        // empty when no trial has the percentiles; at the fixed rate where there is one
	AtRate             *AtRate       // nil without a window at a fixed rate
	Kinds, Statements  []Timed       // of the transactions; empty when the engine does not time them
	Offered            *Offered      // nil in a closed loop
	Errors, Reconnects int64
	stopping           stopping // of the run
	Evidence           []Evidence
	Counters           []Counter // what the probes read in the windows
	Budget             *Budget   // nil where it could not be read
	Slowest            *Slowest  // nil where the engine does not tell, or of too few
	Generator          *Generator
}

type cell struct {
	arm     string
	threads int
}

// arms groups the trials, the baseline first, then in the order in which arms
// were declared. An arm without any trial yet has its entry too.
func arms(r *record.Run) []Arm {
	byCell := map[cell][]*record.Trial{}
	for _, t := range r.Trials {
		c := cell{t.Header.Arm, t.Header.Threads}
		byCell[c] = append(byCell[c], t)
	}
	test := stats.NewTwoStatesTest(statesSeed) // one null for all trials of a length
	second := again(r)
	turns := r.Experiment != nil && r.Plan.Sliced()
	misfits, setAside := Misfits(r), map[int]bool{}
	for _, v := range r.Voids {
		setAside[v.Round] = true
	}
	var all []Arm
	for _, c := range cells(r) {
		a := Arm{Name: c.arm, Threads: c.threads, Baseline: c.arm == baseline(r), Trials: byCell[c], again: second, setAside: setAside, turns: turns, unwatched: r.Experiment != nil && r.Experiment.Protocol.Probes == experiment.ProbesAlternate}
		if r.Experiment != nil {
			spec, _ := r.Experiment.Arm(c.arm)
			a.Target = spec.Target
			a.fixed = r.Experiment.Load.Latency != nil
		}
		a.stopping = stoppingOf(r)
		for i := range misfits {
			if m := &misfits[i]; m.Arm == c.arm && m.Threads == c.threads {
				a.misfit = m
			}
		}
		a.short = a.shortSteps(find(r))
		a.summarise(test, rate(r))
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(x, y Arm) int {
		switch {
		case x.Baseline == y.Baseline:
			return 0
		case x.Baseline:
			return -1
		}
		return 1
	})
	return all
}

// cells are the arms and levels that were planned, in the order declared.
func cells(r *record.Run) []cell {
	var all []cell
	if r.Imported != nil {
		for _, t := range r.Imported.Trials {
			if c := (cell{t.Arm, t.Threads}); !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
		return all
	}
	for _, a := range r.Experiment.Arms {
		for _, n := range r.Experiment.Load.Threads {
			all = append(all, cell{a.Name, n})
		}
	}
	return all
}

// summarise needs the rate of an open loop in transactions per second; 0 of a closed one.
func (a *Arm) summarise(test *stats.TwoStatesTest, rate float64) {
	a.Outcomes = map[string]int{}
	var throughputs []float64
	for _, t := range a.Trials {
		a.Outcomes[Outcome(t)]++
		if t.Window != nil && kind(t) != incomplete {
			a.Errors += t.Window.Counts.Errors
			a.Reconnects += t.Window.Counts.Reconnects
		}
	}
	for _, t := range a.numbers() {
		throughputs = append(throughputs, t.Throughput())
	}
	a.Min, a.Max = extremes(a.numbers())
	a.Mean, a.Queries = geometricMean(throughputs), queries(a.numbers())
	a.States = states(a.numbers(), test)
	a.Latency, a.Offered, a.AtRate = latency(a.numbers()), a.offered(rate), a.atRate()
	a.Tails = tails(a.tailWindows(a.fixed), a.stopping)
	a.Kinds = timed(a.numbers(), func(w *record.Window) []record.Timed { return w.Kinds })
	a.Statements = timed(a.numbers(), func(w *record.Window) []record.Timed { return w.Statements })
	a.Evidence = evidence(a.Trials)
	a.Generator = a.generator()
	windows := watch(a.firsts())
	a.Counters, a.Budget, a.Slowest = counters(windows), budget(windows), slowest(a.firsts(), a.stopping)
}

// Outcome is how a trial ended, in a word; "incomplete" for one that did not.
func Outcome(t *record.Trial) string {
	if kind(t) == incomplete {
		return "incomplete"
	}
	return string(t.End.Outcome)
}

// extremes are the slowest and the fastest second of the trials, in transactions per second. They are NaN
// where a trial has no second of its own: sysbench prints none for most windows of one second, and the
// others' do not stand for it.
func extremes(trials []*record.Trial) (slowest, fastest float64) {
	var all []float64
	for _, t := range trials {
		s := seconds(t)
		if len(s) == 0 {
			return math.NaN(), math.NaN()
		}
		all = append(all, s...)
	}
	if len(all) == 0 {
		return math.NaN(), math.NaN()
	}
	return slices.Min(all), slices.Max(all)
}

// fmax is the larger number, where NaN is none.
func fmax(a, b float64) float64 {
	if math.IsNaN(a) {
		return b
	}
	return math.Max(a, b)
}

// seconds are the rates of the measured window, warm-up left out.
func seconds(t *record.Trial) []float64 {
	var tps []float64
	for _, i := range t.Intervals {
		if !i.Warmup {
			tps = append(tps, i.Transactions)
		}
	}
	return tps
}

// numbers are the trials that gave a throughput.
func (a *Arm) numbers() []*record.Trial {
	var out []*record.Trial
	for _, t := range a.Trials {
		if kind(t) == measured && a.misfit == nil && a.short == nil {
			out = append(out, t)
		}
	}
	return out
}

// firsts are the numbers without the baseline's second trials: those that the
// other arms are compared with.
func (a *Arm) firsts() []*record.Trial { return a.which(false) }

// repeats are the baseline's second trials.
func (a *Arm) repeats() []*record.Trial { return a.which(true) }

func (a *Arm) which(again bool) []*record.Trial {
	var out []*record.Trial
	for _, t := range a.numbers() {
		if a.again[t.Header.Trial] == again {
			out = append(out, t)
		}
	}
	return out
}

func again(r *record.Run) map[int]bool {
	numbers := map[int]bool{}
	for _, t := range r.Plan.Trials {
		if t.Again {
			numbers[t.Number] = true
		}
	}
	return numbers
}

func (a *Arm) count(k trialKind) int {
	n := 0
	for _, t := range a.Trials {
		if kind(t) == k {
			n++
		}
	}
	return n
}
