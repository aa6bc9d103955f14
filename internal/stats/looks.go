package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	lookReach = 8.0  // |z| beyond 8 has probability 1e-15
	lookSteps = 1601 // odd, for Simpson's rule; nominal levels are then good to 1e-7
)

// LookLevels gives the nominal two-sided p-value that ends a campaign at each of
// a few planned looks, so that all looks together err with probability alpha.
// fractions are the shares of the planned rounds done at each look, rising to 1.
// For 8, 14 and 20 rounds of 20 and alpha .05 they are .0019, .0185 and .0429;
// the t interval reported after the k-th look has level 1-levels[k].
//
// The error is spent like O'Brien & Fleming's, almost all of it at the end:
// alpha(t) = 2-2*Phi(z/sqrt(t)) (Lan & DeMets, Biometrika 70, 1983). The joint
// distribution of the looks is integrated numerically along the independent
// increments of a Brownian motion (Armitage, McPherson & Rowe, JRSS A 132, 1969),
// not simulated, so the levels are the same everywhere.
func LookLevels(fractions []float64, alpha float64) ([]float64, error) {
	if err := checkLooks(fractions, alpha); err != nil {
		return nil, err
	}
	density := startDensity(fractions[0])
	levels := make([]float64, len(fractions))
	var spent, last float64
	for k, t := range fractions {
		if k > 0 {
			density = density.advance(t - last)
		}
		total := spendOBF(t, alpha)
		bound := density.boundFor(total - spent)
		levels[k] = 2 * distuv.UnitNormal.Survival(bound/math.Sqrt(t))
		density = density.stopBeyond(bound)
		spent, last = total, t
	}
	return levels, nil
}

func checkLooks(fractions []float64, alpha float64) error {
	if len(fractions) == 0 || fractions[len(fractions)-1] != 1 {
		return fmt.Errorf("plan looks: fractions %v must end at 1", fractions)
	}
	if !(alpha > 0 && alpha < 1) {
		return fmt.Errorf("plan looks: alpha %v must lie between 0 and 1", alpha)
	}
	last := 0.0
	for _, t := range fractions {
		if !(t > last) {
			return fmt.Errorf("plan looks: fractions %v must rise from above 0", fractions)
		}
		last = t
	}
	return nil
}

func spendOBF(t, alpha float64) float64 {
	z := distuv.UnitNormal.Quantile(1 - alpha/2)
	return 2 * distuv.UnitNormal.Survival(z/math.Sqrt(t))
}

// pathDensity is the density, on an even grid from -edge to edge, of a Brownian
// motion that no look has stopped yet. It is symmetric and vanishes beyond edge.
type pathDensity struct {
	edge float64
	at   []float64
}

func (d pathDensity) step() float64       { return 2 * d.edge / float64(len(d.at)-1) }
func (d pathDensity) point(i int) float64 { return -d.edge + float64(i)*d.step() }
func normalDensity(x, sd float64) float64 { return distuv.Normal{Sigma: sd}.Prob(x) }
func newDensity(edge float64) pathDensity { return pathDensity{edge, make([]float64, lookSteps)} }
func startDensity(t float64) pathDensity {
	d := newDensity(lookReach * math.Sqrt(t))
	for i := range d.at {
		d.at[i] = normalDensity(d.point(i), math.Sqrt(t))
	}
	return d
}

// advance lets the motion run on for dt: a convolution with a normal density.
func (d pathDensity) advance(dt float64) pathDensity {
	sd := math.Sqrt(dt)
	next := newDensity(d.edge + lookReach*sd)
	peak, narrow := 1/(sd*math.Sqrt(2*math.Pi)), -1/(2*dt) // distuv.Normal takes twice as long, and this is most of it
	for i := range (len(next.at) + 1) / 2 {
		y := next.point(i)
		next.at[i] = d.integrate(func(x float64) float64 { return peak * math.Exp((y-x)*(y-x)*narrow) })
		next.at[len(next.at)-1-i] = next.at[i] // it is symmetric
	}
	return next
}

// integrate is Simpson's rule for the density times f.
func (d pathDensity) integrate(f func(x float64) float64) float64 {
	var sum float64
	for i, v := range d.at {
		if v != 0 {
			sum += simpsonWeight(i, len(d.at)) * v * f(d.point(i))
		}
	}
	return sum * d.step() / 3
}

func simpsonWeight(i, n int) float64 {
	switch {
	case i == 0 || i == n-1:
		return 1
	case i%2 == 1:
		return 4
	}
	return 2
}

// boundFor is the |motion| that is exceeded with probability p.
func (d pathDensity) boundFor(p float64) float64 {
	inside := func(b float64) float64 { return d.stopBeyond(b).integrate(func(float64) float64 { return 1 }) }
	whole := inside(d.edge)
	lo, hi := 0.0, d.edge
	for range 50 {
		mid := (lo + hi) / 2
		if whole-inside(mid) > p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// stopBeyond takes out the paths beyond the bound, on a grid that ends there.
func (d pathDensity) stopBeyond(bound float64) pathDensity {
	cut := newDensity(math.Min(bound, d.edge))
	for i := range cut.at {
		cut.at[i] = d.interpolate(cut.point(i))
	}
	return cut
}

// interpolate is the density between grid points, by a cubic through the four
// nearest: a straight line would cost three digits.
func (d pathDensity) interpolate(x float64) float64 {
	h := (x + d.edge) / d.step()
	i := max(1, min(int(h), len(d.at)-3))
	u := h - float64(i)
	a, b, c, e := d.at[i-1], d.at[i], d.at[i+1], d.at[i+2]
	return b + u*((c-a)/2+u*(a-2.5*b+2*c-e/2+u*(1.5*(b-c)+(e-a)/2)))
}
