package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Dip is Hartigan & Hartigan's dip (Annals of Statistics 13, 1985): the largest
// distance between the empirical distribution of x and the nearest distribution
// with a single mode, between 1/(2n) and 1/4. NaN below four values or with one
// that is not finite.
//
// The modal interval shrinks as in algorithm AS 217 (Applied Statistics 34,
// 1985), with the corrections of Maechler's R package diptest; the hulls are
// built again each time, which costs little because the interval shrinks a few
// times only.
func Dip(x []float64) float64 {
	if len(x) < 4 || slices.ContainsFunc(x, notFinite) {
		return math.NaN()
	}
	s := slices.Clone(x)
	slices.Sort(s)
	return sortedDip(s)
}

// sortedDip works in units of 1/(2n). The empirical distribution rises at s[i]
// from i to i+1; minorant and majorant are the hulls of the points (s[i], i), one
// unit apart.
func sortedDip(s []float64) float64 {
	low, high := 0, len(s)-1
	dip := 1.0
	for s[0] != s[len(s)-1] {
		minorant, majorant := hull(s, low, high, 1), hull(s, low, high, -1)
		gap, g, l := widestGap(s, minorant, majorant)
		if gap < dip {
			break
		}
		dip = math.Max(dip, rise(s, minorant[:g+1], +1))
		dip = math.Max(dip, rise(s, majorant[l:], -1))
		if low == minorant[g] && high == majorant[l] {
			break
		}
		low, high = minorant[g], majorant[l]
	}
	return dip / float64(2*len(s))
}

// hull gives the indices of the greatest convex minorant (side 1) or the least
// concave majorant (side -1) of the points (s[i], i) for i from low to high.
func hull(s []float64, low, high int, side float64) []int {
	h := []int{low}
	for i := low + 1; i <= high; i++ {
		for len(h) > 1 {
			a, b := h[len(h)-2], h[len(h)-1]
			turn := (s[i]-s[b])*float64(b-a) - (s[b]-s[a])*float64(i-b)
			if side*turn < 0 {
				break
			}
			h = h[:len(h)-1]
		}
		h = append(h, i)
	}
	return h
}

// widestGap walks the knots of both hulls from left to right and finds the
// largest vertical distance from minorant to majorant. It returns the distance
// and the positions of the knots that bound the next modal interval: the knot of
// the one hull at which it occurs, and the next knot outwards of the other.
func widestGap(s []float64, minorant, majorant []int) (gap float64, g, l int) {
	if len(minorant) == 2 && len(majorant) == 2 {
		return 1, 0, 1 // both are the same chord
	}
	g, l = 0, len(majorant)-1
	i, j := 1, 1
	for i < len(minorant)-1 || j < len(majorant)-1 {
		var d float64
		knotG, knotL := i-1, j
		if minorant[i] > majorant[j] {
			d = 1 + float64(majorant[j]) - chord(s, minorant[i-1], minorant[i], s[majorant[j]])
			j++
		} else {
			d = 1 + chord(s, majorant[j-1], majorant[j], s[minorant[i]]) - float64(minorant[i])
			knotG = i
			i++
		}
		if d >= gap {
			gap, g, l = d, knotG, knotL
		}
		i, j = min(i, len(minorant)-1), min(j, len(majorant)-1)
	}
	return gap, g, l
}

// chord is the height at x of the line through (s[a], a) and (s[b], b); NaN, and
// so never the widest, when the two coincide in x.
func chord(s []float64, a, b int, x float64) float64 {
	return float64(a) + (x-s[a])*float64(b-a)/(s[b]-s[a])
}

// rise is the largest distance from the hull's chords to the far corner of the
// steps: above the minorant (side 1) or below the majorant (side -1).
func rise(s []float64, knots []int, side float64) float64 {
	top := 0.0
	for k := 1; k < len(knots); k++ {
		a, b := knots[k-1], knots[k]
		top = math.Max(top, 1)
		if b-a <= 1 || s[a] == s[b] {
			continue
		}
		for i := a; i <= b; i++ {
			top = math.Max(top, 1+side*(float64(i)-chord(s, a, b, s[i])))
		}
	}
	return top
}

// DipTest is [Dip] with a Monte Carlo p-value against the uniform distribution,
// the single-moded one with the largest dip. resolution is the step in which x
// was recorded (0 for none): every value is first moved by a random ± half step,
// because rounding makes steps that the dip takes for modes. Without it, values
// rounded to a fifth of their SD are "multimodal" every time.
//
// It wants about 300 values; on 20 trial means it is nearly blind ([TwoStates]).
func DipTest(x []float64, resolution float64, draws int, seed uint64) (dip, p float64) {
	rng := rand.New(rand.NewPCG(seed, 0x6469_7074))
	s := slices.Clone(x)
	for i := range s {
		s[i] += resolution * (rng.Float64() - 0.5)
	}
	if dip = Dip(s); math.IsNaN(dip) {
		return dip, dip
	}
	hits := 1
	for range draws {
		for i := range s {
			s[i] = rng.Float64()
		}
		slices.Sort(s)
		if sortedDip(s) >= dip {
			hits++
		}
	}
	return dip, float64(hits) / float64(draws+1)
}
