// Package compare compares every arm with the baseline, metric by metric.
//
// The unit of analysis is the trial: a fresh server, warmed up and measured.
// Seconds within a trial are correlated and share what is particular to that start of
// the server, so they are never counted as repetitions.
package compare

import (
	"math"
	"slices"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Result is a run compared.
type Result struct {
	// Margin is the change, as a ratio, that was declared beforehand to be too
	// small to matter.
	Margin   float64
	Baseline string
	// Rate is how many transactions fall due in a second of an open loop; 0 in a
	// closed one.
	Rate float64
	// LatencyRate is the fixed rate of load.latency, in transactions per second: that of p95 and p99; 0
	// without one, and until it is known.
	LatencyRate float64
	// Find is the search for the capacity, which is then the figure that arms are compared
	// by; nil where there is none. Capacities has one entry per arm and level with a number.
	Find       *experiment.Find
	Capacities []Capacity
	// Prices has one entry per arm and level with a price, Pools one per arm and level
	// whose buffer pool was watched.
	Prices []Price
	Pools  []Pool
	// Sealed is set while planned trials are outstanding: an early look invites
	// stopping when it looks right.
	Sealed                        bool
	RoundsPlanned, RoundsComplete int
	TrialsPlanned, TrialsDone     int
	// Arms is one entry per arm and level of the load, the baseline first.
	Arms      []Arm
	Contrasts []Contrast
	// Attributions has one entry per level of the load, where the experiment asks
	// which layer owns the loss.
	Attributions []Attribution
	// Neighbours separate what an arm costs by itself from what a neighbour takes there.
	Neighbours []BesideNeighbour
	// Remedies are the changes that the experiment measures, in its order.
	Remedies []Remedy
	// Hypotheses are the claims that the experiment tests, in its order.
	Hypotheses []Hypothesis
	// NoiseFloors has one entry per level of the load, where the plan measures the
	// baseline twice in every round.
	NoiseFloors []NoiseFloor
	// Steadiness has one entry per arm and level with a number; CarryOvers one for
	// a run of one level; Scalings one per arm at four levels of the load or more.
	Steadiness  []Steadiness
	CarryOvers  []CarryOver
	Scalings    []Scaling
	Differences []Difference
	// Parameters are the server parameters that decide most, with who gave each arm its
	// value; none where all arms are alike and tare configures every server.
	Parameters []Parameter
	// Correlations are what goes along with throughput over four arms or more.
	Correlations []Correlation
	// Predictions compare properties of the network as predictors of throughput, over five
	// arms or more; LinkUses are how much of their links the arms used.
	Predictions []Prediction
	LinkUses    []LinkUse
	// Stalls are the times within trials in which almost nothing was committed.
	Stalls []Stall
	// Events are what happened to a database while it was loaded, and Ledgers whether every
	// acknowledged write was on every server afterwards.
	Events  []Event
	Ledgers []Ledger
	// Limits is what so many rounds cannot show; nil without an interval.
	Limits *Limits
	// Others is what other processes and other virtual machines used of the machine.
	Others Others
	// Voids are the trials that an external factor disturbed.
	Voids    []Void
	Warnings []Reason
}

// Run compares all that a run holds. It never fails: what cannot be said has a
// verdict that says so.
func Run(r *record.Run) *Result {
	res := outline(r)
	audited := newAuditor(r, res.Baseline)
	res.Differences, res.Parameters = audited.audit(), audited.parameters(res.Arms)
	res.Voids, res.Others = voids(r), othersOf(r)
	judge := newComparison(r, res)
	res.NoiseFloors = judge.noise()
	judge.counters()
	res.Others.ByArm = byArm(res.Arms)
	for i := range res.Arms {
		if claimed(r, &res.Arms[i]) {
			c := judge.contrast(&res.Arms[i])
			if base := judge.arm(c.Baseline, c.Threads); base != nil {
				c.thin = thinTails([2]*record.Run{r, r}, [2]*Arm{base, &res.Arms[i]})
			}
			res.Contrasts = append(res.Contrasts, c)
		}
	}
	res.levelsOfArms()
	res.Attributions = attributions(judge)
	res.Neighbours = judge.neighbours()
	res.Remedies = remedies(r, res.Arms, res.Contrasts, res.Sealed)
	res.Hypotheses = hypotheses(r, res.Contrasts)
	res.Steadiness, res.CarryOvers, res.Scalings = judge.steadiness(), judge.carryOvers(), judge.scalings()
	res.Correlations = judge.correlations()
	res.Predictions, res.LinkUses = judge.predictions(), judge.linkUses()
	res.Stalls = judge.stalls()
	if !res.Sealed && r.Experiment != nil {
		res.Events = eventsOf(res.Arms, r.Experiment.Protocol.Warmup.Std().Seconds())
		judge.against(res.Events)
		res.Ledgers = ledgersOf(res.Arms) // the number of writes is the throughput
	}
	res.Capacities = judge.capacities()
	res.Prices, res.Pools = judge.prices(), judge.pools()
	res.Limits = limits(r, res)
	res.Warnings = warnings(r, res)
	return res
}

// outline is a run's arms and how far it came, without anything compared: all
// that is required of one run among others.
func outline(r *record.Run) *Result {
	res := &Result{Baseline: baseline(r), Margin: margin(r), Rate: rate(r), LatencyRate: latencyRate(r), Find: find(r), Arms: arms(r)}
	res.progress(r)
	return res
}

func baseline(r *record.Run) string {
	if r.Imported != nil {
		return r.Imported.Baseline
	}
	return r.Experiment.Baseline
}

func margin(r *record.Run) float64 {
	if r.Imported != nil {
		return r.Imported.Margin
	}
	return float64(r.Experiment.Protocol.Margin)
}

// progress counts what was planned and what has been done. An imported run was
// not planned and cannot be unfinished.
func (res *Result) progress(r *record.Run) {
	for _, t := range r.Trials {
		if kind(t) != incomplete {
			res.TrialsDone++
		}
	}
	if r.Imported != nil {
		res.TrialsPlanned = len(r.Imported.Trials)
		return
	}
	res.TrialsPlanned = len(r.Plan.Trials)
	res.RoundsPlanned = r.Plan.Rounds
	// An interval that holds at all times may be looked at at all times.
	res.Sealed = !r.Unsealed && res.TrialsDone < res.TrialsPlanned && r.Experiment.Protocol.Rounds.Stopping() != experiment.Open
	done := map[int]int{}
	for _, t := range r.Trials {
		if k := kind(t); k != incomplete && k != failed {
			done[t.Header.Round]++
		}
	}
	planned := map[int]int{}
	for _, t := range r.Plan.Trials {
		planned[t.Round]++
	}
	for round, n := range planned {
		if done[round] == n {
			res.RoundsComplete++
		}
	}
}

// trialKind is what a trial can be used for.
type trialKind int

const (
	incomplete trialKind = iota // cut off; will be done again
	failed                      // tare or the machine failed; says nothing of the arm
	numberless                  // a result, but not a number: never ready, nothing committed, or the server was lost
	measured
)

func kind(t *record.Trial) trialKind {
	switch {
	case t.Incomplete != "" || t.End == nil:
		return incomplete
	case t.End.Outcome == record.Failed:
		return failed
	case t.End.Outcome != record.Measured || !(t.Throughput() > 0) && !isObserved(t) || math.IsInf(t.Throughput(), 0):
		return numberless
	}
	return measured
}

// isObserved says that another program loaded the server: one that completes nothing is what was to be seen.
func isObserved(t *record.Trial) bool {
	return slices.ContainsFunc(t.Facts, func(f record.Fact) bool { return f.Key == keys.WatchedLive })
}
