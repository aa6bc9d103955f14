package compare

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/record"
)

// reading is what a test's metric shows in a second of a trial.
type readingOf func(arm string, second int) float64

// watchedRun is six rounds of two arms with these metrics, ten seconds a trial; pod is
// half as fast as bare.
func watchedRun(t *testing.T, metrics []record.Metric, of map[string]readingOf) *record.Run {
	t.Helper()
	run := fill(planned(t, spec(6, "1%", "bare: {target: process}", "pod: {target: container}")), func(arm string, _ int) float64 {
		return map[string]float64{"bare": 1000, "pod": 500}[arm]
	})
	for _, trial := range run.Trials {
		trial.Metrics = metrics
		sums := map[string]float64{}
		for second := range 11 {
			values := map[string]float64{}
			for _, m := range metrics {
				v := of[m.Name](trial.Header.Arm, second)
				if sums[m.Name] += v; m.Counter {
					v = sums[m.Name]
				}
				values[m.Name] = v
			}
			trial.Samples = append(trial.Samples, record.Sample{At: time.Duration(second) * time.Second, Warmup: second == 0, Values: record.ValuesOf(values)})
		}
	}
	return run
}

// TestDifferingMetrics: what differs for certain is ranked by the smallest difference that
// its interval leaves; a constant limit, a clock, one spike, a counter that follows throughput and
// one that varies alike in both arms are not in it, however far their means lie apart.
func TestDifferingMetrics(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	pick := func(arm string, bare, pod float64) float64 {
		if arm == "pod" {
			return pod
		}
		return bare
	}
	noisy := func(v float64) float64 { return v * (1 + 0.02*rng.NormFloat64()) }
	run := watchedRun(t, []record.Metric{
		{Name: "limit"}, {Name: "clock", Counter: true}, {Name: "spike"}, {Name: "spikes", Counter: true}, {Name: "questions", Counter: true}, {Name: "noise"}, {Name: "throttled", Counter: true}, {Name: "busy"},
	}, map[string]readingOf{
		"limit": func(arm string, _ int) float64 { return pick(arm, 1e9, 1) },
		"clock": func(arm string, _ int) float64 { return pick(arm, 0, 10+0.01*rng.NormFloat64()) },
		"spike": func(arm string, second int) float64 {
			if second == 4 {
				return pick(arm, 1, 1e6)
			}
			return noisy(1)
		},
		"spikes": func(arm string, second int) float64 {
			if second == 4 {
				return pick(arm, 0, 1e6)
			}
			return 0
		},
		"questions": func(arm string, _ int) float64 { return noisy(pick(arm, 10000, 5000)) },
		"noise":     func(string, int) float64 { return 100 * rng.ExpFloat64() },
		"throttled": func(arm string, _ int) float64 { return noisy(pick(arm, 0, 300)) },
		"busy":      func(arm string, _ int) float64 { return noisy(pick(arm, 1, 0.6)) },
	})
	res := Run(run)
	got := DifferingMetrics(res)
	if len(got) != 2 || got[0].Name != "throttled" || got[1].Name != "busy" {
		t.Fatalf("%+v", got)
	}
	if d := got[1]; d.Arm != "pod" || d.Rounds != 6 || d.Interval.Hi >= 0 || d.Interval.Lo > -0.4 || d.Interval.Hi < -0.4 || d.Least < 0.3 || d.Least > 0.4 {
		t.Errorf("%+v", d)
	}
	res.Sealed = true
	if got := DifferingMetrics(res); len(got) > 0 {
		t.Errorf("of a sealed run: %+v", got)
	}
}

// TestDifferingMetricsOfEqualArms: of runs of two equal arms with a hundred metrics each,
// one in twenty names any.
func TestDifferingMetricsOfEqualArms(t *testing.T) {
	const runs = 60
	rng := rand.New(rand.NewPCG(2, 2))
	var metrics []record.Metric
	of := map[string]readingOf{}
	for i := range 100 {
		name := string([]byte{byte('a' + i/10), byte('a' + i%10)})
		metrics = append(metrics, record.Metric{Name: name})
		of[name] = func(string, int) float64 { return 100 + rng.NormFloat64() }
	}
	wrong := 0
	for range runs {
		run := watchedRun(t, metrics, of)
		base, arm := &Arm{Name: "bare", Baseline: true}, &Arm{Name: "pod"}
		for _, trial := range run.Trials {
			a := map[string]*Arm{"bare": base, "pod": arm}[trial.Header.Arm]
			a.Trials = append(a.Trials, trial)
		}
		if len(metricsApart(base, arm)) > 0 {
			wrong++
		}
	}
	if wrong > 9 { // of Binomial(60, 0.05), fewer than one in a thousand
		t.Errorf("%d of %d runs of equal arms name a metric", wrong, runs)
	}
}

// TestWaiting: the ratio is of what was added since the sample before; an idle second and
// counters that began again give none.
func TestWaiting(t *testing.T) {
	var w Waiting
	for i, c := range []struct {
		run, wait, want float64
		ok              bool
	}{{1e9, 5e9, 0, false}, {2e9, 6e9, 1, true}, {2e9, 6e9, 0, false}, {4e9, 7e9, 0.5, true}, {1e9, 1e9, 0, false}, {2e9, 1e9, 0, true}} {
		for _, name := range waitParts {
			w.Read(name, 0)
		}
		w.Read("server.session.run_ns", c.run)
		w.Read("server.session.wait_ns", c.wait)
		w.Read("another.wait_ns", 1e12)
		if got, ok := w.Next(); ok != c.ok || ok && got != c.want {
			t.Errorf("sample %d: %v, %v", i+1, got, ok)
		}
	}
}
