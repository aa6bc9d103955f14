package compare

import (
	"cmp"
	"math"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/stats"
)

// Attribution is which layer owns how much of a loss, at one level of the load.
// All sizes are points of the headline: parts of the change of throughput in %
// of From, negative when slower. The layers' parts and Unexplained add up to Total exactly;
// what one removal, step or pair of layers does has no such sum.
type Attribution struct {
	From, To string // To is the full stack, or the arm the layers should add up to
	Stack    string // the arm with all layers, on which the return of a removal is measured
	Threads  int
	Rounds   int // complete ones: every combination of layers gave a number
	// Ladder says that only chains of layers were measured, not all combinations.
	Ladder bool
	Orders float64 // of switching the layers on, each counted alike
	Total  Part
	Layers []LayerPart
	// Unexplained is To less all layers; nil where To is the full stack itself,
	// which the layers explain by definition.
	Unexplained  *Part
	Interactions []Interaction
	// Serial is the dependence on the round before of the part, or the total, in which it is clearest; nil where
	// it is found in none.
	Serial *Serial
	// Verdict and Reasons say why there are no figures; empty when there are.
	Verdict Verdict
	Reasons []Reason
}

// Part is a size with its 95 % interval, in points.
type Part struct {
	Points   float64
	Interval Interval
}

// LayerPart is one layer's.
type LayerPart struct {
	Name string
	Part
	// Share of the total, 1 for all of it. Its interval is nil, refused, of a layer that changes throughput the other way, and while the
	// total is not known well enough to divide by (Fieller), and where the number of rounds
	// was not fixed before the run.
	Share         float64
	ShareInterval *Interval
	// OrderLo and OrderHi are the least and the most that adding the layer changes
	// in any order, as it was measured: how much "its cost" depends on what else is there.
	OrderLo, OrderHi float64
	// GivesBack is what taking off this layer alone returns, as it was measured: the stack
	// without the layer less the full stack. Negative when it
	// makes the stack slower; nil where that combination was not measured.
	GivesBack *Part
}

// Interaction is by how much two layers together change the throughput beyond what they change
// it one after the other, each by its own ratio.
type Interaction struct {
	Layers [2]string
	Part
	HolmP float64 // two-sided, adjusted for all pairs of layers
}

// attributions are one for each level of the load; none without the question.
func attributions(j comparison) []Attribution {
	if j.run.Experiment == nil || j.run.Experiment.Attribute == nil {
		return nil
	}
	var all []Attribution
	for _, threads := range j.run.Experiment.Load.Threads {
		all = append(all, j.attribution(j.run.Experiment.Attribute, threads))
	}
	return all
}

func (j comparison) attribution(spec *experiment.Attribute, threads int) Attribution {
	a := Attribution{From: spec.From, To: cmp.Or(spec.To, spec.Full()), Stack: spec.Full(), Threads: threads, Ladder: len(spec.Order) > 0}
	cells := spec.Cells()
	if !j.measurable(&a, cells, spec.To) {
		return a
	}
	if j.res.Others.Busy() {
		a.Verdict, a.Reasons = Inconclusive, []Reason{j.res.Others.reason()}
		return a
	}
	rounds, to, pilot := j.table(spec, cells, threads)
	a.Rounds = len(rounds)
	factorial, err := stats.NewFactorial(len(spec.Layers), spec.Feasible)
	if err != nil { // the spec was checked; a plan of another tare was not
		a.Verdict, a.Reasons = Inconclusive, []Reason{reason("plan-error").name("text", err.Error())}
		return a
	}
	kind, bounds := j.bounds(a.Rounds, pilot)
	bounds = widened(bounds)
	result, err := factorial.Attribute(rounds, to, bounds.widening)
	if err != nil {
		a.Verdict = Inconclusive
		a.Reasons = []Reason{reason("complete-combinations").count("n", a.Rounds), reason("attribution-rounds-needed").count("enough", EnoughRounds(1))}
		return a
	}
	if _, hi := bounds(result.Factors[0].ByRound, 0.05); math.IsInf(hi, 0) {
		a.Verdict, a.Reasons = Inconclusive, j.tooEarly(a.Rounds)
		return a
	}
	for _, f := range result.Factors {
		if lo, hi := bounds(f.ByRound, error95); !(Interval{lo, hi}).determined() {
			a.Verdict, a.Reasons = Inconclusive, []Reason{notDetermined(a.Rounds, false, Interval{lo, hi})}
			return a
		}
	}
	a.Orders = factorial.Orders()
	a.fill(spec, result, bounds)
	if kind != fixedRounds {
		a.withoutFixed()
	}
	return a
}

// withoutFixed leaves out what has an interval for a number of rounds that was fixed before the
// run only: shares (Fieller) and interactions (Student's t with Holm's adjustment).
func (a *Attribution) withoutFixed() {
	a.Interactions = nil
	for i := range a.Layers {
		a.Layers[i].ShareInterval = nil
	}
}

// measurable goes through all arms of an attribution for what forbids a
// comparison: one arm that cannot be compared takes the sum away.
func (j comparison) measurable(a *Attribution, cells []experiment.Cell, goal string) bool {
	base := j.base(a.Threads)
	names := []string{}
	for _, c := range cells[1:] {
		names = append(names, c.Arm)
	}
	if goal != "" {
		names = append(names, goal)
	}
	for _, name := range names {
		arm := j.arm(name, a.Threads)
		if base == nil || arm == nil {
			a.Verdict, a.Reasons = NotMeasured, []Reason{reason("arm-not-planned").name("arm", name).count("threads", a.Threads)}
			return false
		}
		c := Contrast{Arm: name, Baseline: a.From, Threads: a.Threads}
		for _, forbids := range j.obstacles() {
			if forbids(&c, base, arm) {
				a.Verdict, a.Reasons = c.Verdict, []Reason{reason("of-arm").name("arm", name).part("why", c.Reasons...)}
				return false
			}
		}
	}
	return true
}

// table holds the log throughputs of the complete rounds, a row of 2^k cells
// each, with those of spec.To beside; pilot counts those of the pilot's rounds.
func (j comparison) table(spec *experiment.Attribute, cells []experiment.Cell, threads int) (rounds [][]float64, to []float64, pilot int) {
	byCell := map[int]map[int]float64{}
	for _, c := range cells {
		byCell[c.Set] = byRound(j.arm(c.Arm, threads))
	}
	var byGoal map[int]float64
	if spec.To != "" {
		byGoal = byRound(j.arm(spec.To, threads))
	}
	for round := 1; round <= j.res.RoundsPlanned; round++ {
		row := make([]float64, 1<<len(spec.Layers))
		complete := true
		for _, c := range cells {
			v, ok := byCell[c.Set][round]
			row[c.Set], complete = v, complete && ok
		}
		v, ok := byGoal[round]
		if !complete || spec.To != "" && !ok {
			continue
		}
		rounds = append(rounds, row)
		if spec.To != "" {
			to = append(to, v)
		}
		if round <= j.pilot {
			pilot++
		}
	}
	return rounds, to, pilot
}

// clearest is the dependence of rounds with the smallest probability; nil where none is found.
func clearest(effects []stats.FactorEffect) (s *Serial) {
	for _, f := range effects {
		if own := ofRun(f.ByRound, error95); own != nil && own.P <= serialLevel && (s == nil || own.P < s.P) {
			s = own
		}
	}
	return s
}

// mostShare is the widest interval of a share that is shown: from -500 to 500 % says nothing.
const mostShare = 10

// mostOfTotal is the share that an interval must reach down to: what other layers give back can make one larger than the total.
const mostOfTotal = 2

// shareOfTotal is the interval of a share; nil where it says nothing. A layer that changes throughput the other way than the
// total, or by several times as much because another layer gives it back, has no part of the total: its own change says it.
func shareOfTotal(r stats.Ratio) *Interval {
	if !r.Bounded || r.Hi-r.Lo > mostShare || math.Round(100*r.Hi) < 0 || r.Lo > mostOfTotal {
		return nil
	}
	return &Interval{r.Lo, r.Hi}
}

// fill turns the log scale into points. The factor between them is that of the
// mean total; its own uncertainty is of second order and left out. It is for the parts,
// which must add up: what was measured (the return of a removal, steps, interactions) comes
// in % of From.
func (a *Attribution) fill(spec *experiment.Attribute, r stats.Attribution, bounds bounds) {
	factor := stats.PercentPerLog(r.Total.Mean)
	part := func(byRound []float64, factor float64) Part {
		lo, hi := bounds(byRound, 0.05)
		return Part{factor * stats.Mean(byRound), Interval{factor * lo, factor * hi}} // a factor is positive
	}
	total := make([]float64, a.Rounds)
	copy(total, r.Rest)
	for i, f := range r.Factors {
		for b, v := range f.ByRound {
			total[b] += v
		}
		l := LayerPart{Name: spec.Layers[i].Name, Part: part(f.ByRound, factor), Share: f.Share.Value, OrderLo: f.StepLo, OrderHi: f.StepHi}
		l.ShareInterval = shareOfTotal(f.Share)
		if f.LeaveOneOutKnown {
			back := part(f.BackByRound, 1)
			l.GivesBack = &back
		}
		a.Layers = append(a.Layers, l)
	}
	a.Total = part(total, factor)
	a.Serial = clearest(append(r.Factors, stats.FactorEffect{ByRound: total}))
	// The total alone needs no factor: its ends are transformed as a contrast's are.
	a.Total.Interval = Interval{stats.Percent(a.Total.Interval.Lo / factor), stats.Percent(a.Total.Interval.Hi / factor)}
	if spec.To != "" {
		rest := part(r.Rest, factor)
		a.Unexplained = &rest
	}
	for _, x := range r.Interactions {
		if !math.IsNaN(x.Mean) {
			a.Interactions = append(a.Interactions, Interaction{
				Layers: [2]string{spec.Layers[x.I].Name, spec.Layers[x.J].Name},
				Part:   Part{x.Mean, Interval{x.Lo95, x.Hi95}}, HolmP: x.HolmP,
			})
		}
	}
}
