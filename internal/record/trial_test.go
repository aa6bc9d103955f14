package record

import (
	"math"
	"testing"
)

func TestChange(t *testing.T) {
	fact := func(phase, key, value string) Fact { return Fact{Key: key, Value: value, Phase: phase} }
	trial := &Trial{Facts: []Fact{
		fact("start", "throttled", "5"), fact("end", "throttled", "12"),
		fact("start", "text", "max"), fact("end", "text", "7"),
		fact("end", "late", "3"), fact("start", "early", "3"),
		fact("start", "wide", "+Inf"), fact("end", "wide", "1"),
	}}
	for key, want := range map[string]float64{"throttled": 7, "text": math.NaN(), "late": math.NaN(), "early": math.NaN(), "wide": math.NaN(), "absent": math.NaN()} {
		if got := trial.Change(key); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("change of %s: %v, want %v", key, got, want)
		}
	}
	if all := trial.Changes("late"); len(all) != 2 || all["throttled"] != 7 || all["late"] != 3 {
		t.Errorf("changes where late begins at zero: %v", all)
	}
}

func TestTrialThroughput(t *testing.T) {
	for _, c := range []struct {
		window *Window
		want   float64
	}{
		{nil, 0},
		{&Window{}, 0},
		{&Window{Seconds: 4, Counts: Counts{Transactions: 30}}, 7.5},
		{&Window{Seconds: 4, Counts: Counts{Transactions: 30}, Partial: true, Rate: 7.4}, 7.4},
	} {
		if got := (&Trial{Window: c.window}).Throughput(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.window, got, c.want)
		}
	}
}
