package compare

import (
	"math"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/keys"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tarebench/tare/internal/record"
)

// sampled is a measured trial of 100 transactions/s with these samples, a second
// apart, the first of them before the window.
func sampled(round int, values ...map[string]float64) *record.Trial {
	t := &record.Trial{
		Header: record.Header{Round: round}, End: &record.End{Outcome: record.Measured},
		Window: &record.Window{Seconds: 10, Counts: record.Counts{Transactions: 1000}},
		Metrics: []record.Metric{
			{Name: "sum", Unit: "ns", Counter: true}, {Name: "level", Unit: "1"}, {Name: "never", Unit: "1"},
		},
	}
	for i, v := range values {
		t.Samples = append(t.Samples, record.Sample{At: time.Duration(i) * time.Second, Warmup: i == 0, Values: record.ValuesOf(v)})
	}
	return t
}

type values = map[string]float64

// TestCounters: what happened before the window does not count, a value that is
// left out is as it was, and a counter that began again has no change.
func TestCounters(t *testing.T) {
	got := counters(watch([]*record.Trial{
		sampled(1, values{"sum": 10, "level": 9}, values{"sum": 1000}, values{"sum": 1200, "level": 3}, values{}),
		sampled(2, values{"sum": 10, "level": 9}, values{"sum": 0, "level": 1}, values{"sum": 600}),
	}))
	want := []Counter{
		{Metric: record.Metric{Name: "sum", Unit: "ns", Counter: true}, PerSecond: (100 + 600) / 2, PerTransaction: 3.5, Total: 800, Trials: 2,
			Mean: math.NaN(), Max: math.NaN(), Change: math.NaN()},
		{Metric: record.Metric{Name: "level", Unit: "1"}, PerSecond: math.NaN(), PerTransaction: math.NaN(), Mean: (5 + 1) / 2., Max: 9, Change: math.NaN(), Total: math.NaN()},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Counter{}), cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	if got := counters(watch([]*record.Trial{sampled(1, values{"sum": 5}, values{"sum": 9}, values{"sum": 3})})); len(got) != 0 {
		t.Errorf("a counter that fell: %+v", got)
	}
	if got := counters(watch([]*record.Trial{sampled(1, values{"sum": 5}), sampled(2)})); len(got) != 0 {
		t.Errorf("without a window: %+v", got)
	}
	gone := sampled(1, values{"sum": 5}, values{"sum": 9}, values{"sum": 30})
	gone.Facts = append(gone.Facts, record.Fact{Key: "probe.missed", Unknown: "connection reset", Phase: "end"})
	if got := counters(watch([]*record.Trial{gone})); len(got) != 0 {
		t.Errorf("probes that were lost before the window's end: %+v", got)
	}
}

// TestCountersAgainst: the change is of common rounds alone.
func TestCountersAgainst(t *testing.T) {
	trial := func(round int, perSecond float64) *record.Trial {
		return sampled(round, values{"sum": 0}, values{"sum": 0}, values{"sum": perSecond})
	}
	base := counters(watch([]*record.Trial{trial(1, 100), trial(2, 200), trial(3, 900)}))
	arm := counters(watch([]*record.Trial{trial(1, 200), trial(2, 400), trial(4, 5000)}))
	against(base, arm, stopping{})
	// 100 transactions/s: 1 and 2 more for each transaction.
	c := arm[0]
	if math.Abs(c.Change-1.5) > 1e-9 || c.Interval == nil || !(c.Interval.Lo < 1.5 && c.Interval.Hi > 1.5) {
		t.Errorf("%+v %+v", c, c.Interval)
	}
}

// TestForbiddenArmsHaveNoChange: an arm whose contrast an obstacle forbids has its own counters,
// budget and tails, and no change of them from the baseline.
func TestForbiddenArmsHaveNoChange(t *testing.T) {
	r := fill(planned(t, spec(6, "1%", "bare: {target: process}", "a: {target: container}", "b: {target: container}")), func(string, int) float64 { return 1000 })
	for _, tr := range r.Trials {
		ms := 5 + float64(tr.Header.Round)/100 + map[string]float64{"bare": 0, "a": 5, "b": 5}[tr.Header.Arm]
		of := spending(tr.Header.Round, ms, values{"server.session.run_ns": (ms - 4) * 1e6})
		tr.Metrics, tr.Samples = of.Metrics, of.Samples
		tr.Window.Latency = &record.Latency{Mean: ms, Percentiles: map[string]float64{"95": 2 * ms, "99": 3 * ms}}
		if tr.Header.Arm == "a" && tr.Header.Round == 2 {
			tr.Facts = append(tr.Facts, record.Fact{Key: keys.LoadInvalid, Value: "busy", Phase: "end"})
		}
	}
	for _, a := range Run(r).Arms[1:] {
		known := a.Name == "b"
		_, _, shared := a.Budget.Share(SpentCPU)
		if shared != known || math.IsNaN(a.Budget.Mean.Change) == known || math.IsNaN(a.Tails[0].Cost) == known || math.IsNaN(a.Counters[0].Change) == known {
			t.Errorf("%s: share %v, budget %+v, tail %+v, counter %+v", a.Name, shared, a.Budget.Mean, a.Tails[0], a.Counters[0])
		}
		if math.IsNaN(a.Budget.Mean.Milliseconds) || math.IsNaN(a.Tails[0].Mean) {
			t.Errorf("%s has lost its own figures: %+v", a.Name, a)
		}
	}
}

// TestCountersThatStop: a counter that does not change in the window is 0, and not unknown, in the
// readings and in the total, whether it changed before or not; one that is not declared
// is nothing.
func TestCountersThatStop(t *testing.T) {
	trial := sampled(1, values{"sum": 10, "level": 1}, values{"sum": 900, "level": 2}, values{"level": 3}, values{"level": 4}, values{})
	windows := watch([]*record.Trial{trial})
	if len(windows) != 1 || !has(windows[0].change, "sum") || windows[0].change["sum"] != 0 || windows[0].mean["level"] != (2.+3+4+4)/4 {
		t.Fatalf("%+v", windows)
	}
	var grew []float64
	for r := range Readings(trial) {
		if r.Name == "sum" && r.InWindow {
			grew = append(grew, r.Grew)
		}
	}
	if d := cmp.Diff([]float64{0}, grew); d != "" {
		t.Error(d)
	}
	trial.Metrics = trial.Metrics[1:]
	for r := range Readings(trial) {
		if r.Name == "sum" {
			t.Errorf("%+v is not declared", r)
		}
	}
}
