package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestHolm(t *testing.T) {
	// R: p.adjust(c(.01,.04,.03,.005), "holm") is .03 .06 .06 .02
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005})
	if d := cmp.Diff([]float64{0.03, 0.06, 0.06, 0.02}, got, cmpopts.EquateApprox(0, 1e-15)); d != "" {
		t.Errorf("Holm (-want +got):\n%s", d)
	}
	got = Holm([]float64{0.5, math.NaN(), 0.4})
	if d := cmp.Diff([]float64{0.8, math.NaN(), 0.8}, got, cmpopts.EquateApprox(0, 1e-15), cmpopts.EquateNaNs()); d != "" {
		t.Errorf("Holm with NaN (-want +got):\n%s", d)
	}
	if got := Holm(nil); len(got) != 0 {
		t.Errorf("Holm(nil) = %v", got)
	}
}

// p <= .05 and the 90 % interval inside the margin are one statement.
func TestTOSTAgreesWithTheInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 300 {
		x := normals(rng, 8, 0.004*rng.NormFloat64(), 0.01)
		p := PairedT(x)
		inside := p.Lo90 > -0.01 && p.Hi90 < 0.01
		if (TOST(x, 0.01) < 0.05) != inside {
			t.Errorf("TOST p %v, 90 %% interval [%v,%v], margin .01", TOST(x, 0.01), p.Lo90, p.Hi90)
		}
	}
	near(t, "no spread, inside", TOST([]float64{0.001, 0.001}, 0.01), 0, 0)
	near(t, "no spread, outside", TOST([]float64{0.02, 0.02}, 0.01), 1, 0)
	near(t, "one value", TOST([]float64{0}, 0.01), math.NaN(), 0)
	near(t, "no margin", TOST([]float64{0, 1}, 0), math.NaN(), 0)
}

func TestPoolCampaigns(t *testing.T) {
	agree := PoolCampaigns([]float64{-0.1, -0.1, -0.1}, []float64{0.01, 0.01, 0.01})
	near(t, "tau of campaigns that agree", agree.Tau, 0, 0)
	near(t, "Q", agree.Q, 0, 1e-20)
	near(t, "p", agree.P, 1, 1e-12)
	near(t, "half-width", agree.Hi95+0.1, 4.302652729911275*0.01/math.Sqrt(3), 1e-9)
	for name, h := range map[string]Heterogeneity{
		"one campaign":      PoolCampaigns([]float64{1}, []float64{1}),
		"lengths differ":    PoolCampaigns([]float64{1, 2}, []float64{1}),
		"no standard error": PoolCampaigns([]float64{1, 2}, []float64{1, 0}),
	} {
		near(t, name, h.PredLo, math.NaN(), 0)
	}
}

// Ten places whose true effects have SD 1 and are measured with SD .5: all but 6
// to 7 % of new places must fall in the prediction interval; of that of the mean,
// half do not.
func TestPredictionInterval(t *testing.T) {
	t.Parallel()
	se := make([]float64, 10)
	for i := range se {
		se[i] = 0.5
	}
	calibration{sims: simulations(1500, 10000), seed: 116, lo: 0.06, hi: 0.07, control: true,
		simulate: func(rng *rand.Rand) (bool, bool) {
			effects := make([]float64, len(se))
			for i := range effects {
				effects[i] = rng.NormFloat64() + 0.5*rng.NormFloat64()
			}
			h := PoolCampaigns(effects, se)
			next := rng.NormFloat64()
			return next < h.PredLo || next > h.PredHi, next < h.Lo95 || next > h.Hi95
		}}.run(t)
}

func TestAcrossGroups(t *testing.T) {
	p := AcrossGroups([][]float64{{1, 3}, {}, {4}, {6, 6, 6}})
	if p.N != 3 {
		t.Errorf("N = %d, want the 3 groups that hold something", p.N)
	}
	near(t, "mean of group means", p.Mean, 4, 1e-15)
}
