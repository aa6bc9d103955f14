package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"
)

// reference is testdata/reference.json: results of SciPy and diptest, or of
// brute force, for fixed samples. testdata/reference.py writes it.
type reference struct {
	Student []struct {
		X                                   []float64
		Mean, SD, Lo95, Hi95, Lo90, Hi90, P float64
		Margin, TOST                        float64
		SignFlip                            *float64
	}
	Quantiles struct{ X, Q, Want []float64 }
	Dips      []struct {
		X    []float64
		Want float64
	}
	Spearmans []struct {
		X, Y   []float64
		Rho, P float64
	}
	Kendalls []struct {
		X          []float64
		S          int
		P          float64
		Continuity bool
	}
	TheilSen struct {
		X, Y []float64
		Want float64
	}
	USLs []struct {
		N, X                 []float64
		Lambda, Sigma, Kappa float64
	}
	Energies []struct {
		X  []float64
		Q  float64
		At int
	}
	SelfNormalised []struct {
		X    []float64
		Stat float64
		At   int
	}
	LongRuns []struct {
		X           []float64
		LRV, Lo, Hi float64
	}
	Looks  []struct{ Fractions, Levels []float64 }
	Powers []struct {
		N            int
		Effect, Want float64
	}
	Fieller struct {
		A, B   []float64
		Lo, Hi float64
	}
	Pool struct {
		M, S                      []float64
		Q, P, Tau, Mean, Lo, Pred float64
	}
}

func loadReference(t *testing.T) reference {
	t.Helper()
	f, err := os.Open("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r reference
	d := json.NewDecoder(f)
	d.DisallowUnknownFields() // a misspelt field would compare nothing
	if err := d.Decode(&r); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{len(r.Student), len(r.Quantiles.X), len(r.Dips), len(r.Spearmans), len(r.Kendalls), len(r.USLs),
		len(r.Energies), len(r.SelfNormalised), len(r.LongRuns), len(r.Looks), len(r.Powers)} {
		if n == 0 {
			t.Fatal("reference.json lacks a part")
		}
	}
	return r
}

func TestStudentAgainstSciPy(t *testing.T) {
	for i, c := range loadReference(t).Student {
		p, at := PairedT(c.X), func(s string) string { return fmt.Sprintf("case %d: %s", i, s) }
		near(t, at("mean"), p.Mean, c.Mean, 1e-14)
		near(t, at("SD"), p.SD, c.SD, 1e-14)
		near(t, at("Lo95"), p.Lo95, c.Lo95, 1e-10)
		near(t, at("Hi95"), p.Hi95, c.Hi95, 1e-10)
		near(t, at("Lo90"), p.Lo90, c.Lo90, 1e-10)
		near(t, at("Hi90"), p.Hi90, c.Hi90, 1e-10)
		near(t, at("t test"), tTwoSided(p.Mean/p.SD*math.Sqrt(float64(p.N)), float64(p.N-1)), c.P, 1e-10)
		near(t, at("TOST"), TOST(c.X, c.Margin), c.TOST, 1e-10)
		if c.SignFlip != nil {
			near(t, at("sign flip"), p.SignFlipP, *c.SignFlip, 1e-12)
		}
	}
}

func TestQuantileAgainstNumPy(t *testing.T) {
	c := loadReference(t).Quantiles
	for i, q := range c.Q {
		near(t, fmt.Sprintf("quantile %v", q), Quantile(c.X, q), c.Want[i], 1e-12)
	}
}

func TestDipAgainstDiptest(t *testing.T) {
	for i, c := range loadReference(t).Dips {
		near(t, fmt.Sprintf("dip of case %d (n=%d)", i, len(c.X)), Dip(c.X), c.Want, 1e-12)
	}
}

func TestSpearmanAgainstSciPy(t *testing.T) {
	for i, c := range loadReference(t).Spearmans {
		rho, p := Spearman(c.X, c.Y)
		near(t, fmt.Sprintf("rho of case %d", i), rho, c.Rho, 1e-12)
		near(t, fmt.Sprintf("p of case %d (n=%d)", i, len(c.X)), p, c.P, 1e-12)
	}
}

func TestMannKendallAgainstSciPy(t *testing.T) {
	for i, c := range loadReference(t).Kendalls {
		s, p := MannKendall(c.X)
		if s != c.S {
			t.Errorf("case %d: S = %d, want %d", i, s, c.S)
		}
		tol := 1e-12
		if c.Continuity {
			tol = 0.002 // SciPy's asymptotic p has no continuity correction
		}
		near(t, fmt.Sprintf("p of case %d", i), p, c.P, tol)
	}
}

func TestTheilSenAgainstSciPy(t *testing.T) {
	c := loadReference(t).TheilSen
	slope, lo, hi := TheilSen(c.X, c.Y)
	near(t, "slope", slope, c.Want, 1e-12)
	if !(lo < slope && slope < hi) {
		t.Errorf("slope %v outside its range [%v,%v]", slope, lo, hi)
	}
}

func TestUSLAgainstSciPy(t *testing.T) {
	for i, c := range loadReference(t).USLs {
		u, err := FitUSL(c.N, c.X)
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprintf("lambda of case %d", i), u.Lambda, c.Lambda, 1e-9)
		near(t, fmt.Sprintf("sigma of case %d", i), u.Sigma, c.Sigma, 1e-9)
		near(t, fmt.Sprintf("kappa of case %d", i), u.Kappa, c.Kappa, 1e-11)
	}
}

func TestEnergySplitAgainstBruteForce(t *testing.T) {
	for i, c := range loadReference(t).Energies {
		q, at := EnergySplit(c.X)
		near(t, fmt.Sprintf("q of case %d", i), q, c.Q, 1e-12)
		if at != c.At {
			t.Errorf("case %d: split at %d, want %d", i, at, c.At)
		}
	}
}

func TestSelfNormalisedAgainstBruteForce(t *testing.T) {
	for i, c := range loadReference(t).SelfNormalised {
		stat, at := SelfNormalised(c.X)
		near(t, fmt.Sprintf("statistic of case %d", i), stat, c.Stat, 1e-10)
		if at != c.At {
			t.Errorf("case %d: change at %d, want %d", i, at, c.At)
		}
	}
}

func TestEWCAgainstSciPy(t *testing.T) {
	for i, c := range loadReference(t).LongRuns {
		r := EWC(c.X)
		near(t, fmt.Sprintf("LRV of case %d", i), r.LRV, c.LRV, 1e-11)
		r.ESS = minESS // the gate is not what is compared here
		lo, hi := r.Interval(0.05)
		near(t, fmt.Sprintf("lo of case %d", i), lo, c.Lo, 1e-10)
		near(t, fmt.Sprintf("hi of case %d", i), hi, c.Hi, 1e-10)
	}
}

func TestLookLevelsAgainstSciPy(t *testing.T) {
	for _, c := range loadReference(t).Looks {
		got, err := LookLevels(c.Fractions, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		for k := range got {
			near(t, fmt.Sprintf("level %d of %v", k, c.Fractions), got[k], c.Levels[k], 2e-6)
		}
	}
}

func TestPowerAgainstSciPy(t *testing.T) {
	for _, c := range loadReference(t).Powers {
		near(t, fmt.Sprintf("power for n=%d", c.N), Power(c.Effect, 1, c.N), c.Want, 1e-8)
	}
}

func TestFiellerAgainstTTest(t *testing.T) {
	c := loadReference(t).Fieller
	r := Fieller(c.A, c.B, 0.05, Independent)
	near(t, "lo", r.Lo, c.Lo, 1e-10)
	near(t, "hi", r.Hi, c.Hi, 1e-10)
}

func TestPoolCampaignsAgainstSciPy(t *testing.T) {
	c := loadReference(t).Pool
	h := PoolCampaigns(c.M, c.S)
	near(t, "Q", h.Q, c.Q, 1e-12)
	near(t, "p", h.P, c.P, 1e-12)
	near(t, "tau", h.Tau, c.Tau, 1e-10)
	near(t, "mean", h.Mean, c.Mean, 1e-12)
	near(t, "lo", h.Lo95, c.Lo, 1e-9)
	near(t, "prediction", h.PredLo, c.Pred, 1e-9)
}
