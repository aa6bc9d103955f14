package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/tarebench/tare/internal/stats"
)

// TestC34DependentLayers: the share of a layer, its part and the interaction of two, where the throughput of every arm
// is an autoregression by rounds. Counted are intervals that miss without a word: no dependence was found in the figure.
// A share that is refused does not miss. The broken control are the intervals of independent rounds. Where the
// dependence was found, an interval misses in no more than 8 %, as in C22, and a share, whose width is that of the ratio
// itself, in no more than 11 %.
func TestC34DependentLayers(t *testing.T) {
	t.Parallel()
	runs := 60
	if os.Getenv("TARE_CALIBRATE") == "full" {
		runs = 1000
	}
	factorial, err := stats.NewFactorial(2, nil)
	if err != nil {
		t.Fatal(err)
	}
	truth := []float64{0, -0.2, -0.1, -0.3}
	points := func(x float64) float64 { return 100 * math.Exp(x) }
	between := points(truth[3]) - points(truth[1])*points(truth[2])/100
	for _, c := range []struct {
		rounds int
		rho    float64
		most   float64 // of the intervals, without a word
	}{{8, 0, 0.06}, {20, 0, 0.06}, {8, 0.5, 0.21}, {8, 0.9, 0.39}, {20, 0.5, 0.12}, {20, 0.9, 0.05}} {
		t.Run(fmt.Sprintf("%d rounds, coefficient %v", c.rounds, c.rho), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(34, uint64(100*c.rho)+uint64(c.rounds)))
			count := map[string]*missed{"share": {}, "part": {}, "interaction": {}}
			for range runs {
				rounds := dependentRounds(rng, truth, c.rounds, c.rho)
				bounds := widened(stats.TInterval)
				a, err := factorial.Attribute(rounds, nil, bounds.widening)
				if err != nil {
					t.Fatal(err)
				}
				plain, err := factorial.Attribute(rounds, nil, stats.Independent)
				if err != nil {
					t.Fatal(err)
				}
				own, before := a.Factors[0].Share, plain.Factors[0].Share
				count["share"].add(!own.Bounded, own.Lo > before.Lo || own.Lo < before.Lo || !own.Bounded, outside(own.Lo, own.Hi, 2./3), outside(before.Lo, before.Hi, 2./3))
				lo, hi := bounds(a.Factors[0].ByRound, error95)
				plainLo, plainHi := stats.TInterval(a.Factors[0].ByRound, error95)
				count["part"].add(false, lo < plainLo, outside(lo, hi, truth[1]), outside(plainLo, plainHi, truth[1]))
				x, y := a.Interactions[0], plain.Interactions[0]
				count["interaction"].add(false, x.Lo95 < y.Lo95, outside(x.Lo95, x.Hi95, between), outside(y.Lo95, y.Hi95, between))
			}
			for _, name := range []string{"share", "part", "interaction"} {
				count[name].judge(t, name, runs, c.most, c.rho)
			}
		})
	}
}

// dependentRounds are cells of which each is an autoregression by rounds with a standard deviation of 1 %, about a
// level of the round.
func dependentRounds(rng *rand.Rand, cells []float64, rounds int, rho float64) [][]float64 {
	state, out := make([]float64, len(cells)), make([][]float64, rounds)
	for i := range state {
		state[i] = rng.NormFloat64()
	}
	for b := range out {
		level := 0.03 * rng.NormFloat64()
		for i, c := range cells {
			out[b] = append(out[b], c+level+0.01*state[i])
			state[i] = rho*state[i] + math.Sqrt(1-rho*rho)*rng.NormFloat64()
		}
	}
	return out
}

func outside(lo, hi, truth float64) bool { return truth < lo || truth > hi }

// missed counts intervals.
type missed struct{ refused, found, foundMissed, silent, plain int }

func (m *missed) add(refused, found, misses, plain bool) {
	m.refused += count(refused)
	m.found += count(found)
	m.foundMissed += count(found && !refused && misses)
	m.silent += count(!found && misses)
	m.plain += count(plain)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// judge fails t where more intervals miss than is said, by more than chance at 99.9 %, or where the broken control does not.
func (m *missed) judge(t *testing.T, name string, runs int, most, rho float64) {
	t.Helper()
	limit := func(n int, rate float64) int {
		return int(float64(n)*rate + 3.09*math.Sqrt(float64(n)*rate*(1-rate)) + 1)
	}
	of := func(n, all int) float64 { return 100 * float64(n) / math.Max(1, float64(all)) }
	t.Logf("%s: found in %.1f %% (refused %.1f %%), of these intervals %.1f %% miss; without a word %.1f %% miss; of independent rounds %.1f %%",
		name, of(m.found, runs), of(m.refused, runs), of(m.foundMissed, m.found-m.refused), of(m.silent, runs), of(m.plain, runs))
	if m.silent > limit(runs, most) {
		t.Errorf("%s: %d of %d intervals miss without a word, more than %.0f %%", name, m.silent, runs, 100*most)
	}
	widened := map[string]float64{"share": 0.11, "part": 0.08, "interaction": 0.08}[name]
	if m.foundMissed > limit(m.found, widened) {
		t.Errorf("%s: %d of %d widened intervals miss", name, m.foundMissed, m.found)
	}
	if rho > 0.5 && m.plain <= limit(runs, 0.06) {
		t.Errorf("%s: the broken control misses in %d of %d", name, m.plain, runs)
	}
}
