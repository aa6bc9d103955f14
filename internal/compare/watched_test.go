package compare

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
)

// TestLateMetrics: a gauge that appears in the middle of the window has the mean of what was read of
// it, and a counter that does has no change: it would be divided by the whole window's transactions.
func TestLateMetrics(t *testing.T) {
	trial := &record.Trial{Window: &record.Window{Seconds: 20},
		Metrics: []record.Metric{{Name: "gauge"}, {Name: "lag"}, {Name: "reads", Counter: true}, {Name: "soon", Counter: true}, {Name: "late", Counter: true}}}
	for s := range 21 {
		values := map[string]float64{"gauge": 4, "reads": float64(10 * s)}
		if s >= 1 {
			values["soon"] = float64(10 * s)
		}
		if s >= 10 {
			values["lag"], values["late"] = 6, float64(10*s)
		}
		trial.Samples = append(trial.Samples, record.Sample{At: time.Duration(s) * time.Second, Values: record.ValuesOf(values)})
	}
	w := watch([]*record.Trial{trial})
	if len(w) != 1 {
		t.Fatalf("%d windows", len(w))
	}
	if d := cmp.Diff(map[string]float64{"gauge": 4, "lag": 6}, w[0].mean); d != "" {
		t.Errorf("means: %s", d)
	}
	if d := cmp.Diff(map[string]float64{"reads": 200, "soon": 190}, w[0].change); d != "" {
		t.Errorf("changes: %s", d)
	}
}

// TestTransactionsOfTheFirstMember: the counters of a replicated database are those of its first
// member, which has served a part of the load.
func TestTransactionsOfTheFirstMember(t *testing.T) {
	for _, c := range []struct {
		tps  []string // of the members
		want float64
	}{
		{nil, 3000},
		{[]string{"300.0", "0.0", "0.0"}, 3000},
		{[]string{"100.0", "150.0", "50.0"}, 1000},
		{[]string{"0.0", "300.0"}, 0},
	} {
		trial := &record.Trial{Window: &record.Window{Seconds: 10, Counts: record.Counts{Transactions: 3000}}}
		for i, v := range c.tps {
			trial.Facts = append(trial.Facts, record.Fact{Key: "load.member." + strconv.Itoa(i+1) + ".tps", Value: v})
		}
		if got := (watched{trial: trial, seconds: 10, share: ofFirst(trial)}).transactions(); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("members with %v: %v transactions, want %v", c.tps, got, c.want)
		}
	}
}
