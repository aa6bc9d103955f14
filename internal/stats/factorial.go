package stats

import (
	"fmt"
	"math"
	"slices"
)

const maxFactors = 10 // 1024 cells: more than anyone will ever measure

// Factorial is a set of k factors that can be switched on independently, or as
// independently as is feasible. A cell is a bit mask: bit i is factor i, cell 0
// has none and cell 2^k-1 has all.
type Factorial struct {
	k        int
	feasible []bool
	weights  []float64 // of the step that adds factor i to cell S, at S*k+i
	orders   float64
}

// NewFactorial prepares k factors. feasible says which cells exist (a pod network
// without a container does not); nil means all. Only orders of switching on that
// pass through feasible cells alone count, all of them equally: precedence-
// constrained Shapley values (Faigle & Kern, International Journal of Game Theory
// 21, 1992), which are the ordinary ones when every cell is feasible. An error
// says that k is out of range or no order from none to all is feasible.
func NewFactorial(k int, feasible func(cell int) bool) (*Factorial, error) {
	if k < 1 || k > maxFactors {
		return nil, fmt.Errorf("plan factorial: %d factors, want 1 to %d", k, maxFactors)
	}
	f := &Factorial{k: k, feasible: make([]bool, 1<<k)}
	for s := range f.feasible {
		f.feasible[s] = feasible == nil || feasible(s)
	}
	into, out := f.countOrders()
	f.orders = into[f.full()]
	if f.orders == 0 {
		return nil, fmt.Errorf("plan factorial: no feasible order leads from no factor to all %d", k)
	}
	f.weights = make([]float64, len(f.feasible)*k)
	f.eachStep(func(s, i int) { f.weights[s*k+i] = into[s] * out[s|1<<i] / f.orders })
	return f, nil
}

func (f *Factorial) full() int { return len(f.feasible) - 1 }

// Orders is the number of feasible orders of switching the factors on, k! when
// every cell is feasible.
func (f *Factorial) Orders() float64 { return f.orders }

// countOrders counts the feasible ways into each cell from none, and from each
// cell on to all.
func (f *Factorial) countOrders() (into, out []float64) {
	into, out = make([]float64, len(f.feasible)), make([]float64, len(f.feasible))
	if f.feasible[0] {
		into[0] = 1
	}
	if f.feasible[f.full()] {
		out[f.full()] = 1
	}
	f.eachStep(func(s, i int) { into[s|1<<i] += into[s] })
	for s := f.full(); s >= 0; s-- {
		for i := range f.k {
			if f.step(s, i) {
				out[s] += out[s|1<<i]
			}
		}
	}
	return into, out
}

func (f *Factorial) step(s, i int) bool {
	return s>>i&1 == 0 && f.feasible[s] && f.feasible[s|1<<i]
}

// eachStep visits every feasible addition of a factor, smaller masks first, so
// that everything below a cell has been visited before it.
func (f *Factorial) eachStep(visit func(s, i int)) {
	for s := range f.feasible {
		for i := range f.k {
			if f.step(s, i) {
				visit(s, i)
			}
		}
	}
}

// check reports what is wrong with the cells of one round.
func (f *Factorial) check(cells []float64) error {
	if len(cells) != len(f.feasible) {
		return fmt.Errorf("%d cells, want %d", len(cells), len(f.feasible))
	}
	for s, v := range cells {
		if f.feasible[s] && notFinite(v) {
			return fmt.Errorf("cell %0*b is %v", f.k, s, v)
		}
	}
	return nil
}

// Shapley divides y[all]-y[none] among the factors: the effect of adding factor
// i, averaged over all feasible orders,
//
//	phi_i = sum over S without i of |S|!(k-|S|-1)!/k! * (y[S+i]-y[S])
//
// (Shapley, Contributions to the Theory of Games II, 1953). cells are the 2^k
// values of one round on the log scale; infeasible ones are not looked at. The
// shares add up to the whole exactly. It is an accounting convention: what comes
// back on removing one factor is [FactorEffect].BackByRound.
func (f *Factorial) Shapley(cells []float64) []float64 {
	phi := make([]float64, f.k)
	f.eachStep(func(s, i int) {
		if w := f.weights[s*f.k+i]; w > 0 {
			phi[i] += w * (cells[s|1<<i] - cells[s])
		}
	})
	return phi
}

// StepRange is the smallest and largest effect that adding each factor has in
// any feasible order: how much "the cost of this layer" depends on the ladder one
// happens to climb.
func (f *Factorial) StepRange(cells []float64) (lo, hi []float64) {
	lo = slices.Repeat([]float64{math.Inf(1)}, f.k)
	hi = slices.Repeat([]float64{math.Inf(-1)}, f.k)
	f.eachStep(func(s, i int) {
		if f.weights[s*f.k+i] > 0 {
			d := cells[s|1<<i] - cells[s]
			lo[i], hi[i] = math.Min(lo[i], d), math.Max(hi[i], d)
		}
	})
	return lo, hi
}

// interaction is how much factors i and j together exceed what they do one after the other,
// averaged over the feasible contexts of the others; no terms where there are none.
func (f *Factorial) interaction(i, j int) []term {
	a, b := 1<<i, 1<<j
	var all []term
	for s := range f.feasible {
		if s&(a|b) == 0 && f.feasible[s] && f.feasible[s|a] && f.feasible[s|b] && f.feasible[s|a|b] {
			all = append(all, term{1, ratioOf(s | a | b)}, term{-1, func(cells []float64) float64 {
				return cells[s|a] + cells[s|b] - cells[s] - cells[0]
			}})
		}
	}
	for k := range all {
		all[k].weight /= float64(len(all) / 2)
	}
	return all
}
