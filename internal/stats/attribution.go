package stats

import (
	"fmt"
	"math"
	"slices"
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
	ByRound []float64 // its Shapley values
	// BackByRound is what removing this factor alone returns, in % of the bare baseline:
	// 100(e^(y[all but this]-y[none]) - e^(y[all]-y[none])). Its mean is that of the mean cells,
	// its spread is linearised; nil where that cell is infeasible.
	BackByRound []float64
	Share       Ratio // of the Shapley values in the total
	// StepLo and StepHi are the range of its step over all feasible orders, of the mean
	// cells, in % of the bare baseline.
	StepLo, StepHi   float64
	LeaveOneOutKnown bool
}

// Interaction is by how much two factors together change the value beyond what they change it
// one after the other, each by its own ratio: two that halve it have none if both together
// leave a quarter.
type Interaction struct {
	I, J int
	// Mean is in % of the bare baseline, Lo95 and Hi95 its interval.
	Mean, Lo95, Hi95 float64
	P                float64 // of the t test, two-sided
	HolmP            float64 // adjusted for all pairs of factors
}

// Attribute divides the difference between the full stack and the bare baseline
// among the factors, round by round, so that every figure has an interval over
// rounds. rounds[b] holds the 2^k cells of one round, log scale; to[b] the value
// that the factors should add up to, or to is nil and it is the full stack. The
// Shapley values and Rest add up to Total in every round. Shares and interactions have intervals that
// are wider than Student's where wider says so.
//
// A ladder of arms, adding one layer after another, was rejected as the default:
// its steps depend on the order, and for three layers it needs 1.8 times the
// trials for the same precision (TestC08Attribution).
func (f *Factorial) Attribute(rounds [][]float64, to []float64, wider Wider) (Attribution, error) {
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
		a.Factors = append(a.Factors, f.effectOf(i, rounds, total, wider))
	}
	a.Interactions = f.interactions(rounds, wider)
	return a, nil
}

func (f *Factorial) effectOf(i int, rounds [][]float64, total []float64, wider Wider) FactorEffect {
	phi := overRounds(rounds, func(cells []float64) float64 { return f.Shapley(cells)[i] })
	lo, hi := f.StepRange(percentCells(meanCells(rounds)))
	e := FactorEffect{
		ByRound: phi,
		Share:   Fieller(phi, total, 0.05, wider),
		StepLo:  lo[i],
		StepHi:  hi[i],
	}
	if without := f.full() &^ (1 << i); f.feasible[without] {
		e.LeaveOneOutKnown = true
		e.BackByRound = linear(rounds, []term{{1, ratioOf(without)}, {-1, ratioOf(f.full())}})
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

func (f *Factorial) interactions(rounds [][]float64, wider Wider) []Interaction {
	var all []Interaction
	var ps []float64
	for i := range f.k {
		for j := i + 1; j < f.k; j++ {
			d := linear(rounds, f.interaction(i, j))
			p, times := PairedT(d), wider(d)
			half := times * (p.Hi95 - p.Lo95) / 2
			x := Interaction{
				I: i, J: j, Mean: p.Mean, Lo95: p.Mean - half, Hi95: p.Mean + half,
				P: tTwoSided(p.Mean/p.SD*math.Sqrt(float64(p.N))/times, float64(p.N-1)),
			}
			all, ps = append(all, x), append(ps, x.P)
		}
	}
	for n, p := range Holm(ps) {
		all[n].HolmP = p
	}
	return all
}

// term is a weight times e^of: what a linear function of a round's cells, log scale, is in the
// unit of the bare baseline.
type term struct {
	weight float64
	of     func(cells []float64) float64
}

// ratioOf is a cell compared with the bare baseline.
func ratioOf(cell int) func([]float64) float64 {
	return func(cells []float64) float64 { return cells[cell] - cells[0] }
}

// linear is a sum of terms in % of the bare baseline, as a value for each round. Their mean is
// the sum at the mean of the rounds' logarithms, as the contrasts are geometric means; about
// it a round deviates by the first order of its own deviations (delta method; Oehlert, The
// American Statistician 46, 1992), so that every interval of a mean over rounds serves it.
// No terms make no figure, NaN.
// The factor of the total, 100(e^L-1)/L, was rejected: it makes parts that add up, and the
// two ends of a step are not where the total's are. Of two layers that each halve the
// throughput it says that removing one returns 37.5 points, and 25 come back.
func linear(rounds [][]float64, terms []term) []float64 {
	out := make([]float64, len(rounds))
	if len(terms) == 0 {
		return slices.Repeat([]float64{math.NaN()}, len(rounds))
	}
	for _, t := range terms {
		x := overRounds(rounds, t.of)
		mean := Mean(x)
		size := 100 * t.weight * math.Exp(mean)
		for b := range out {
			out[b] += size * (1 + x[b] - mean)
		}
	}
	return out
}

// percentCells are cells in % of the bare baseline.
func percentCells(cells []float64) []float64 {
	out := make([]float64, len(cells))
	for s := range cells {
		out[s] = 100 * math.Exp(cells[s]-cells[0])
	}
	return out
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
