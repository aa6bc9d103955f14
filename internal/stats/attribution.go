package stats

import (
	"fmt"
	"math"
)

// Attribution is whose the loss is. All Paired are over rounds, log scale.
type Attribution struct {
	Total        Paired    // y[to] - y[none]; y[all] - y[none] without a goal of its own
	Rest         []float64 // by round: y[to] - y[all], what the factors do not explain
	Factors      []FactorEffect
	Interactions []Interaction
}

// FactorEffect is one factor's part in the total.
type FactorEffect struct {
	ByRound          []float64 // its Shapley values
	BackByRound      []float64 // y[all] - y[all but this]; nil where that cell is infeasible
	Share            Ratio     // of the Shapley values in the total
	StepLo, StepHi   float64   // range of its step over all feasible orders, of the mean cells
	LeaveOneOutKnown bool
}

// Interaction is by how much two factors together exceed the sum of each alone.
type Interaction struct {
	I, J   int
	Effect Paired
	P      float64 // of the t test, two-sided
	HolmP  float64 // adjusted for all pairs of factors
}

// Attribute divides the difference between the full stack and the bare baseline
// among the factors, round by round, so that every figure has an interval over
// rounds. rounds[b] holds the 2^k cells of one round, log scale; to[b] the value
// that the factors should add up to, or to is nil and it is the full stack. The
// Shapley values and Rest add up to Total in every round.
//
// A ladder of arms, adding one layer after another, was rejected as the default:
// its steps depend on the order, and for three layers it needs 1.8 times the
// trials for the same precision (TestC08Attribution).
func (f *Factorial) Attribute(rounds [][]float64, to []float64) (Attribution, error) {
	for b, cells := range rounds {
		if err := f.check(cells); err != nil {
			return Attribution{}, fmt.Errorf("attribute loss: round %d: %w", b, err)
		}
	}
	if len(rounds) < 2 {
		return Attribution{}, fmt.Errorf("attribute loss: %d rounds, need 2", len(rounds))
	}
	if to != nil && len(to) != len(rounds) {
		return Attribution{}, fmt.Errorf("attribute loss: %d goals for %d rounds", len(to), len(rounds))
	}
	total := overRounds(rounds, func(cells []float64) float64 { return cells[f.full()] - cells[0] })
	a := Attribution{Rest: make([]float64, len(rounds))}
	for b := range to {
		a.Rest[b] = to[b] - rounds[b][f.full()]
		total[b] += a.Rest[b]
	}
	a.Total = PairedT(total)
	for i := range f.k {
		a.Factors = append(a.Factors, f.effectOf(i, rounds, total))
	}
	a.Interactions = f.interactions(rounds)
	return a, nil
}

func (f *Factorial) effectOf(i int, rounds [][]float64, total []float64) FactorEffect {
	phi := overRounds(rounds, func(cells []float64) float64 { return f.Shapley(cells)[i] })
	lo, hi := f.StepRange(meanCells(rounds))
	e := FactorEffect{
		ByRound: phi,
		Share:   Fieller(phi, total, 0.05),
		StepLo:  lo[i],
		StepHi:  hi[i],
	}
	back := overRounds(rounds, func(cells []float64) float64 { return f.LeaveOneOut(cells)[i] })
	if e.LeaveOneOutKnown = !math.IsNaN(back[0]); e.LeaveOneOutKnown {
		e.BackByRound = back
	}
	return e
}

// PercentPerLog is 100(e^L-1)/L, which turns log-points into points of a
// headline L; 100 in the limit of no effect.
func PercentPerLog(l float64) float64 {
	if math.Abs(l) < 1e-9 {
		return 100
	}
	return Percent(l) / l
}

func (f *Factorial) interactions(rounds [][]float64) []Interaction {
	var all []Interaction
	var ps []float64
	for i := range f.k {
		for j := i + 1; j < f.k; j++ {
			d := overRounds(rounds, func(cells []float64) float64 { return f.interaction(cells, i, j) })
			p := PairedT(d)
			x := Interaction{I: i, J: j, Effect: p, P: tTwoSided(p.Mean/p.SD*math.Sqrt(float64(p.N)), float64(p.N-1))}
			all, ps = append(all, x), append(ps, x.P)
		}
	}
	for n, p := range Holm(ps) {
		all[n].HolmP = p
	}
	return all
}

func overRounds(rounds [][]float64, of func(cells []float64) float64) []float64 {
	out := make([]float64, len(rounds))
	for b, cells := range rounds {
		out[b] = of(cells)
	}
	return out
}

func meanCells(rounds [][]float64) []float64 {
	mean := make([]float64, len(rounds[0]))
	for _, cells := range rounds {
		for s, v := range cells {
			mean[s] += v / float64(len(rounds))
		}
	}
	return mean
}
