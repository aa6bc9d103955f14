package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// shapleyByOrders averages the steps over all feasible orders, one by one.
func shapleyByOrders(k int, feasible func(int) bool, cells []float64) (phi []float64, orders float64) {
	phi = make([]float64, k)
	var walk func(s int, steps []float64)
	walk = func(s int, steps []float64) {
		if s == 1<<k-1 {
			orders++
			for i, v := range steps {
				phi[i] += v
			}
			return
		}
		for i := range k {
			if next := s | 1<<i; next != s && feasible(next) {
				more := append([]float64(nil), steps...)
				more[i] = cells[next] - cells[s]
				walk(next, more)
			}
		}
	}
	walk(0, make([]float64, k))
	for i := range phi {
		phi[i] /= orders
	}
	return phi, orders
}

func TestShapleyAgainstAllOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	for k := 1; k <= 5; k++ {
		for name, feasible := range map[string]func(int) bool{
			"all":          func(int) bool { return true },
			"0 before 1":   func(s int) bool { return k < 2 || s&2 == 0 || s&1 != 0 },
			"0 before all": func(s int) bool { return s == 0 || s&1 != 0 },
		} {
			cells := normals(rng, 1<<k, 5, 1)
			for s := range cells {
				if !feasible(s) {
					cells[s] = math.NaN() // never to be looked at
				}
			}
			f := newFactorial(t, k, feasible)
			phi, orders := shapleyByOrders(k, feasible, cells)
			if d := cmp.Diff(phi, f.Shapley(cells), cmpopts.EquateApprox(0, 1e-12)); d != "" {
				t.Errorf("%d factors, %s (-want +got):\n%s", k, name, d)
			}
			near(t, "orders", f.Orders(), orders, 0)
			var sum float64
			for _, v := range f.Shapley(cells) {
				sum += v
			}
			near(t, "efficiency", sum, cells[len(cells)-1]-cells[0], 1e-12)
		}
	}
}

func TestNewFactorialErrors(t *testing.T) {
	for name, c := range map[string]struct {
		k        int
		feasible func(int) bool
	}{
		"no factor":   {0, nil},
		"too many":    {11, nil},
		"no full":     {2, func(s int) bool { return s != 3 }},
		"no baseline": {2, func(s int) bool { return s != 0 }},
		"no way":      {2, func(s int) bool { return s == 0 || s == 3 }},
	} {
		if _, err := NewFactorial(c.k, c.feasible); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	f := newFactorial(t, 3, func(s int) bool { return s&2 == 0 || s&1 != 0 })
	if f.Cells() != 6 || f.Orders() != 3 {
		t.Errorf("%d cells and %v orders, want 6 and 3", f.Cells(), f.Orders())
	}
}

// Figures of an independent program for the same three layers: one of them costs
// 1.8 to 2.8 log-points depending on the order.
func TestAttributeExample(t *testing.T) {
	cells := threeLayers()
	f := newFactorial(t, 3, nil)
	rounds := [][]float64{cells, cells, cells}
	a, err := f.Attribute(rounds, nil, Independent)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][3]float64{{-2.77, -2.25, -1.78}, {-31.59, -30.35, -29.17}, {-7.48, -6.53, -5.64}} {
		e := a.Factors[i]
		lo, hi := f.StepRange(cells)
		got := [3]float64{100 * lo[i], 100 * Mean(e.ByRound), 100 * hi[i]}
		if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 0.0051)); d != "" {
			t.Errorf("layer %d, smallest step, Shapley value, largest step (-want +got):\n%s", i, d)
		}
	}
	near(t, "headline", Percent(a.Total.Mean), -32.39, 0.0002)
	for i, e := range a.Factors {
		shapley := Mean(e.ByRound)
		if lo, hi := f.StepRange(cells); !(lo[i] < shapley && shapley < hi[i]) {
			t.Errorf("layer %d: %v outside its steps [%v,%v]", i, shapley, lo[i], hi[i])
		}
		// In points: what the cells themselves differ by.
		least, most := math.Inf(1), math.Inf(-1)
		for s := range cells {
			if s>>i&1 == 0 {
				step := 100 * (math.Exp(cells[s|1<<i]-cells[0]) - math.Exp(cells[s]-cells[0]))
				least, most = math.Min(least, step), math.Max(most, step)
			}
		}
		near(t, "smallest step", e.StepLo, least, 1e-9)
		near(t, "largest step", e.StepHi, most, 1e-9)
		near(t, "returned", Mean(e.BackByRound), 100*(math.Exp(cells[7&^(1<<i)]-cells[0])-math.Exp(cells[7]-cells[0])), 1e-9)
		near(t, "share", e.Share.Value, shapley/a.Total.Mean, 1e-12)
	}
	var points float64
	for _, e := range a.Factors {
		points += Mean(e.ByRound) * PercentPerLog(a.Total.Mean)
	}
	near(t, "points add up to the headline", points, Percent(a.Total.Mean), 1e-9)
}

func TestAttributeInteractions(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 14))
	cells := make([]float64, 8)
	for s := range cells {
		cells[s] = -0.02*float64(s&1) - 0.03*float64(s>>1&1)
		if s&3 == 3 {
			cells[s] -= 0.05 // together, 0 and 1 cost more
		}
	}
	f := newFactorial(t, 3, nil)
	a, err := f.Attribute(noisyRounds(rng, cells, 12, 0.005), nil, Independent)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Interactions) != 3 {
		t.Fatalf("%d interactions, want 3", len(a.Interactions))
	}
	for _, x := range a.Interactions {
		if known := x.I == 0 && x.J == 1; known != (x.HolmP < 0.01) {
			t.Errorf("factors %d and %d: effect %v, p %v", x.I, x.J, x.Mean, x.HolmP)
		}
		if x.HolmP < x.P {
			t.Errorf("factors %d and %d: adjusted p %v below %v", x.I, x.J, x.HolmP, x.P)
		}
	}
	// 0.95 is what the two leave one after the other, without and with the third.
	near(t, "interaction", a.Interactions[0].Mean, 100*math.Exp(-0.05)*math.Expm1(-0.05), 1)
}

// TestHalvingLayers: of two layers that each halve the throughput, removing one returns a
// quarter of it, not half of the loss, and together they cost what they cost one after the other.
func TestHalvingLayers(t *testing.T) {
	f := newFactorial(t, 2, nil)
	half := math.Log(0.5)
	cells := []float64{0, half, half, 2 * half}
	a, err := f.Attribute([][]float64{cells, cells, cells}, nil, Independent)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range a.Factors {
		near(t, "returned", Mean(e.BackByRound), 25, 1e-9)
		near(t, "largest cost of a step", e.StepLo, -50, 1e-9)
		near(t, "smallest cost of a step", e.StepHi, -25, 1e-9)
	}
	near(t, "interaction", a.Interactions[0].Mean, 0, 1e-9)
}

// Cell 100 exists but leads nowhere; its step is in no order.
func TestStepRangeLeavesOutDeadEnds(t *testing.T) {
	f := newFactorial(t, 3, func(s int) bool { return s == 0 || s == 1 || s == 3 || s == 7 || s == 4 })
	cells := []float64{0, -1, math.NaN(), -3, -50, math.NaN(), math.NaN(), -6}
	lo, hi := f.StepRange(cells)
	for i, want := range []float64{-1, -2, -3} {
		near(t, "lo", lo[i], want, 0)
		near(t, "hi", hi[i], want, 0)
	}
	if d := cmp.Diff([]float64{-1, -2, -3}, f.Shapley(cells)); d != "" {
		t.Errorf("Shapley values (-want +got):\n%s", d)
	}
}

func TestAttributeRefusals(t *testing.T) {
	f := newFactorial(t, 2, func(s int) bool { return s != 2 })
	nan := math.NaN()
	round := []float64{0, -0.1, nan, -0.2}
	a, err := f.Attribute([][]float64{round, {0, -0.11, nan, -0.19}}, nil, Independent)
	if err != nil {
		t.Fatal(err)
	}
	if a.Factors[0].LeaveOneOutKnown || !a.Factors[1].LeaveOneOutKnown {
		t.Errorf("leave-one-out known for %v and %v, want only the second", a.Factors[0].LeaveOneOutKnown, a.Factors[1].LeaveOneOutKnown)
	}
	near(t, "interaction without contexts", a.Interactions[0].Mean, nan, 0)
	for name, rounds := range map[string][][]float64{
		"one round":     {round},
		"missing cell":  {round, {0, nan, nan, 1}},
		"too few cells": {round, {0, 1}},
	} {
		if _, err := f.Attribute(rounds, nil, Independent); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := f.Attribute([][]float64{round, round}, []float64{-0.3}, Independent); err == nil {
		t.Error("a goal for one round of two: no error")
	}
	near(t, "points per log of nothing", PercentPerLog(0), 100, 0)
	near(t, "points per log", PercentPerLog(1e-8), 100, 1e-6)
}

func TestFieller(t *testing.T) {
	b := []float64{0.1, -0.2, 0.3, -0.1, 0.05}
	r := Fieller([]float64{1, 2, 3, 4, 5}, b, 0.05, Independent)
	if r.Bounded || !math.IsNaN(r.Lo) || !math.IsNaN(r.Hi) {
		t.Errorf("a denominator around 0 gives %+v, want a refusal", r)
	}
	exact := Fieller([]float64{10, 11, 12}, []float64{20, 22, 24}, 0.05, Independent)
	near(t, "exact ratio, lo", exact.Lo, 0.5, 1e-6)
	near(t, "exact ratio, hi", exact.Hi, 0.5, 1e-6)
	if Fieller([]float64{1}, []float64{1}, 0.05, Independent).Bounded || Fieller(b, b[:4], 0.05, Independent).Bounded {
		t.Error("one pair, or unequal lengths, give an interval")
	}
}

// Of a total of 1 % with a cell SD of 1 %, no share can be told most of the time
// with six rounds (71 % in an independent simulation), of one of 10 % always.
func TestFiellerRefusesWhatCannotBeKnown(t *testing.T) {
	t.Parallel()
	f := newFactorial(t, 3, nil)
	for _, c := range []struct{ total, lo, hi float64 }{{-0.01, 0.66, 0.76}, {-0.10, 0, 0.001}} {
		cells := make([]float64, 8)
		for s := range cells {
			cells[s] = c.total * (0.1*float64(s&1) + 0.7*float64(s>>1&1) + 0.2*float64(s>>2&1))
		}
		n := simulations(1500, 10000)
		refused := share(n, 308, func(rng *rand.Rand) bool {
			rounds := noisyRounds(rng, cells, 6, 0.01)
			own := overRounds(rounds, func(c []float64) float64 { return f.Shapley(c)[1] })
			return !Fieller(own, overRounds(rounds, func(c []float64) float64 { return c[7] - c[0] }), 0.05, Independent).Bounded
		})
		if least, most := band(n, c.lo, c.hi); refused < least || refused > most {
			t.Errorf("total %v: refused %.1f %%, want %.0f to %.0f", c.total, 100*refused, 100*c.lo, 100*c.hi)
		}
	}
}
