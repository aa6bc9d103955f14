//go:build !race

package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/internal/stats"
)

// TestPredictionIsCalibrated: of studies whose arms all follow bandwidth but for what is
// their own, 5 % name an outlier, and the interval of the median error contains that of new
// arms in 95 %. A study with a delayed arm names it.
func TestPredictionIsCalibrated(t *testing.T) {
	const studies, ownSD = 400, 0.05
	template := planned(t, spec(4, "1%", armLines(11)...))
	rng := rand.New(rand.NewPCG(16, 16))
	simulate := func(delayed bool) Predictor {
		arms := make([]studied, 11)
		for i := range arms {
			bandwidth := 1e8 * math.Exp(2.5*rng.Float64())
			arms[i] = studied{bandwidth, 1e-4, 10 * math.Sqrt(bandwidth/1e8) * math.Exp(ownSD*rng.NormFloat64())}
		}
		if delayed {
			arms[10].tps /= 2
		}
		r := runOf(t, template, arms, 0.01, rng)
		p, ok := newComparison(r, outline(r)).predict(studyThreads)
		if !ok || p.Predictors[0].Name != ByBandwidth {
			t.Fatalf("%+v", p)
		}
		return p.Predictors[0]
	}
	alarms, found, misses := 0, 0, 0
	var errors []float64
	var intervals []Interval
	for range studies {
		p := simulate(false)
		if len(p.Outliers) > 0 {
			alarms++
		}
		errors, intervals = append(errors, p.logs["a5"]), append(intervals, *p.Interval)
		if _, named := simulate(true).Outliers["a10"]; named {
			found++
		}
	}
	truth := stats.Percent(stats.Median(errors))
	for _, in := range intervals {
		if truth < in.Lo || truth > in.Hi {
			misses++
		}
	}
	t.Logf("false outliers %d, missed intervals %d, found %d of %d", alarms, misses, found, studies)
	if rate := float64(alarms) / studies; rate < 0.01 || rate > 0.095 { // four standard errors about 5 %
		t.Errorf("%.1f %% of the studies name an outlier where none is", 100*rate)
	}
	if rate := float64(misses) / studies; rate > 0.11 {
		t.Errorf("%.1f %% of the intervals miss the error of a new arm", 100*rate)
	}
	if found < studies*95/100 {
		t.Errorf("half of the throughput is an outlier in %d of %d studies", found, studies)
	}
}
