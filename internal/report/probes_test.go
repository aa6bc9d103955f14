package report

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
)

// A counter is shown as its change per second, spread over the time since it was
// read last; one that falls was restarted; a gauge stays until it is read again.
func TestProbes(t *testing.T) {
	at := func(second int, values map[string]float64) record.Sample {
		return record.Sample{At: time.Duration(second+7) * time.Second, Values: record.ValuesOf(values)}
	}
	trial := &record.Trial{
		Metrics: []record.Metric{{Name: "c", Unit: "bytes", Counter: true}, {Name: "g", Unit: "1"}, {Name: "still", Counter: true}},
		Samples: []record.Sample{
			at(0, map[string]float64{"c": 100, "g": 5, "still": 3}), at(1, map[string]float64{"c": 110}),
			at(2, nil), at(3, map[string]float64{"c": 150}), at(4, map[string]float64{"c": 1, "g": 9, "still": 3}),
		},
	}
	res := &compare.Result{Arms: []compare.Arm{{Name: "a", Threads: 8, Trials: []*record.Trial{trial}}}}
	got := probes(res)
	u := Unknown()
	want := Probes{Ends: []Number{1, 2, 3, 4}, Series: []ProbeSeries{
		{Metric: "c", Unit: "bytes/s", DisplayUnit: "bytes/s", DisplayPer: 1, Counter: true, Arm: "a", Threads: 8, Window: u, Mean: []Number{u, 10, 20, 20}, Low: []Number{u, 10, 20, 20}, High: []Number{u, 10, 20, 20}},
		{Metric: "g", Unit: "1", DisplayPer: 1, Arm: "a", Threads: 8, Window: u, Mean: []Number{5, 5, 5, 9}, Low: []Number{5, 5, 5, 9}, High: []Number{5, 5, 5, 9}},
	}, Differing: []ProbeDifference{}}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b Number) bool { return a == b || !a.Known() && !b.Known() })); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	res.Sealed = true
	if sealed := probes(res); len(sealed.Series) > 0 {
		t.Error("a sealed run shows its arms side by side")
	}
}

// TestProbesBeginWithTheLoad: samples from before it, while generators are started, are not of its
// first second.
func TestProbesBeginWithTheLoad(t *testing.T) {
	trial := &record.Trial{
		Metrics:   []record.Metric{{Name: "g", Unit: "1"}},
		Intervals: []record.Interval{{End: 1, Length: 1, Warmup: true}, {End: 2, Length: 1}, {End: 3, Length: 1}},
	}
	for s := range 24 { // the load begins after 20 s, the window 1 s later
		v := 1.0
		if s >= 20 {
			v = 5
		}
		trial.Samples = append(trial.Samples, record.Sample{At: time.Duration(s) * time.Second, Warmup: s < 21, Values: record.ValuesOf(map[string]float64{"g": v})})
	}
	got := probes(&compare.Result{Arms: []compare.Arm{{Name: "a", Trials: []*record.Trial{trial}}}})
	if d := cmp.Diff([]Number{1, 2, 3}, got.Ends); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Number{5, 5, 5}, got.Series[0].Low); d != "" {
		t.Error(d)
	}
}
