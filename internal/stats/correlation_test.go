package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRanks(t *testing.T) {
	if d := cmp.Diff([]float64{3, 1.5, 5, 1.5, 4}, ranks([]float64{7, 2, 9, 2, 8})); d != "" {
		t.Error(d)
	}
}

func TestSpearmanLeastP(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	for n, orders := 3, 6.0; n <= 9; n++ {
		rho, p := Spearman(x[:n], x[:n])
		near(t, fmt.Sprintf("rho of %d", n), rho, 1, 1e-12)
		near(t, fmt.Sprintf("p of %d", n), p, 2/orders, 1e-15)
		orders *= float64(n + 1)
	}
}

func TestSpearmanSampled(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 15))
	x, y := normals(rng, 30, 0, 1), normals(rng, 30, 0, 1)
	for i := range y {
		y[i] += 0.4 * x[i]
	}
	rho, p := Spearman(x, y)
	near(t, "p against t", p, tTwoSided(rho*math.Sqrt(28/(1-rho*rho)), 28), 0.01)
}

func TestSpearmanRefusals(t *testing.T) {
	for name, c := range map[string][2][]float64{
		"two pairs":      {{1, 2}, {1, 2}},
		"lengths differ": {{1, 2, 3}, {1, 2}},
		"constant":       {{1, 2, 3, 4}, {5, 5, 5, 5}},
		"NaN":            {{1, 2, 3, 4}, {5, math.NaN(), 5, 6}},
	} {
		rho, p := Spearman(c[0], c[1])
		near(t, name+": rho", rho, math.NaN(), 0)
		near(t, name+": p", p, math.NaN(), 0)
	}
}

func TestSpearmanWithoutOne(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 100}
	y := []float64{2, 1, 4, 3, 2.5, 200}
	_, p := Spearman(x[:5], y[:5])
	near(t, "worst p is that without the outlier", SpearmanWithoutOne(x, y), p, 1e-15)
	near(t, "three pairs", SpearmanWithoutOne(x[:3], y[:3]), math.NaN(), 0)
	// Without the one arm that differs, the metric is constant: no support at all.
	near(t, "one arm alone", SpearmanWithoutOne([]float64{0, 0, 0, 0, 9}, y[:5]), math.NaN(), 0)
}

func TestTheilSenResistsOneBadPoint(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	y := []float64{2, 4, 6, 8, 10, 12, 14, -500}
	slope, lo, _ := TheilSen(x, y)
	near(t, "slope", slope, 2, 1e-12)
	near(t, "smallest slope", lo, -514, 1e-12)
	slope, _, _ = TheilSen([]float64{1, 1}, []float64{1, 2})
	near(t, "slope of one x", slope, math.NaN(), 0)
}

func TestScreen(t *testing.T) {
	y := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	s, err := Screen([][]float64{{2, 4, 6, 8, 10, 12, 14, 16}, {5, 5, 5, 5, 5, 5, 5, 5}, {3, 1, 4, 1, 5, 9, 2, 6}}, y, 1999, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "correlation of the perfect metric", s[0].R, 1, 1e-12)
	if s[0].P > 0.002 {
		t.Errorf("p of the perfect metric = %v", s[0].P)
	}
	near(t, "correlation of a constant", s[1].R, math.NaN(), 0)
	near(t, "p of a constant", s[1].P, math.NaN(), 0)
	rho, alone := Spearman([]float64{3, 1, 4, 1, 5, 9, 2, 6}, y)
	near(t, "correlation of the third", s[2].R, rho, 1e-12)
	if s[2].P < alone {
		t.Errorf("family-wise p %v below its own %v", s[2].P, alone)
	}
	if y[0] != 1 || y[7] != 8 {
		t.Errorf("Screen reordered its input: %v", y)
	}
}

func TestScreenErrors(t *testing.T) {
	y := []float64{1, 2, 3, 4}
	for name, metrics := range map[string][][]float64{"too short": {{1, 2, 3}}, "NaN": {{1, 2, 3, math.NaN()}}} {
		if _, err := Screen(metrics, y, 99, 1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Screen(nil, y[:3], 99, 1); err == nil {
		t.Error("three arms: no error")
	}
	rounds := [][]float64{{1, 2}, {2, 1}, {1, 3}}
	for name, metric := range map[string][][]float64{
		"fewer rounds": rounds[:2], "more arms": {{1, 2, 3}, {1, 2, 3}, {1, 2, 4}}, "more rounds": append(rounds[:3:3], rounds[0]),
	} {
		if _, err := ScreenWithin([][][]float64{metric}, rounds, 99, 1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := ScreenWithin(nil, rounds[:1], 99, 1); err == nil {
		t.Error("one round: no error")
	}
}

func TestCarryOverErrors(t *testing.T) {
	y := [][]float64{{1, 2}, {2, 1}}
	for name, order := range map[string][][]int{
		"one order":    {{0, 1}},
		"an arm twice": {{0, 0}, {0, 1}},
		"unknown arm":  {{0, 2}, {0, 1}},
		"an arm short": {{0}, {0, 1}},
	} {
		if _, err := CarryOverTest(y, order, 99, 1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := CarryOverTest(y[:1], [][]int{{0, 1}}, 99, 1); err == nil {
		t.Error("one round: no error")
	}
}

// The very first trial followed nothing; the first of a later round followed the
// last of the round before.
func TestAfterWhom(t *testing.T) {
	residual, previous := afterWhom([][]float64{{1, 2}, {2, 5}}, [][]int{{1, 0}, {0, 1}})
	if d := cmp.Diff([]int{1, 0, 0}, previous); d != "" {
		t.Errorf("previous arms (-want +got):\n%s", d)
	}
	// Round means 1.5 and 3.5, arm means 1.5 and 3.5: what is left is ±.5.
	if d := cmp.Diff([]float64{0.5, -0.5, 0.5}, residual); d != "" {
		t.Errorf("residuals (-want +got):\n%s", d)
	}
}

// What arm 2 leaves behind is shown with its sign and size.
func TestCarryOverShowsWhatIsLeft(t *testing.T) {
	y, order := carried(rand.New(rand.NewPCG(16, 16)), 60, 3, 3, -2)
	c, err := CarryOverTest(y, order, 199, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !(c.Left[2] < -0.8 && c.Left[0] > 0 && c.Left[1] > 0) || c.P > 0.01 || c.F < 20 {
		t.Errorf("CarryOverTest = %+v, want arm 2 to leave the others about 1 slower", c)
	}
	followed := 0
	for arm, left := range c.Left {
		followed += c.After[arm]
		if !(c.Lo95[arm] < left && left < c.Hi95[arm]) {
			t.Errorf("arm %d leaves %v, in [%v, %v]", arm, left, c.Lo95[arm], c.Hi95[arm])
		}
	}
	if trials := len(y) * len(y[0]); followed != trials-1 || !(c.Hi95[2] < 0) {
		t.Errorf("%d of %d trials followed one; arm 2 leaves at most %v", followed, trials, c.Hi95[2])
	}
}
