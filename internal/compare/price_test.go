package compare

import (
	"math"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// priced are a baseline and an arm that costs twice as much an hour, in six rounds of two levels;
// a third arm has no price.
func priced(t *testing.T, bare string) *record.Run {
	t.Helper()
	yaml := spec(6, "1%", "bare: {target: process"+bare+"}", "pod: {target: container, price: 2/h}", "free: {target: container}")
	r := planned(t, strings.Replace(yaml, "threads: 4", "threads: [4, 8]", 1))
	fill(r, func(arm string, round int) float64 {
		noise := 1 + 0.01*float64((round*3+len(arm))%4)
		return map[string]float64{"bare": 1000, "pod": 1250, "free": 900}[arm] * noise
	})
	return each(r, "pod", func(tr *record.Trial) {
		if tr.Header.Threads == 8 {
			tr.Window.Counts.Transactions /= 2
		}
	})
}

// TestPrices: a million transactions at 1,000 a second take 1000 s. What the price changes by is what
// an hour does, over what throughput does, with the interval of that; of an arm without a price
// nothing is said.
func TestPrices(t *testing.T) {
	res := Run(priced(t, ", price: 1/h"))
	if len(res.Prices) != 4 {
		t.Fatalf("%d prices, want those of two arms at two levels: %+v", len(res.Prices), res.Prices)
	}
	for _, p := range res.Prices {
		var of Contrast
		for _, c := range res.Contrasts {
			if c.Arm == p.Arm && c.Threads == p.Threads {
				of = c
			}
		}
		hour := map[string]float64{"bare": 1, "pod": 2}[p.Arm]
		if p.Hour != hour || p.Trials != 6 || p.Interval == nil || p.Interval.Lo >= p.Million || p.Interval.Hi <= p.Million {
			t.Errorf("%+v", p)
		}
		if p.Arm == "bare" {
			near(t, "price of the baseline", p.Million, 1000.0/3600, 0.01)
			if !math.IsNaN(p.Change) || p.ChangeInterval != nil {
				t.Errorf("the baseline has a change from itself: %+v", p)
			}
			continue
		}
		for got, effect := range map[float64]float64{p.Change: of.Effect, p.ChangeInterval.Lo: of.Interval95.Hi, p.ChangeInterval.Hi: of.Interval95.Lo} {
			near(t, "change of the price", got, 100*(2/(1+effect/100)-1), 1e-9)
		}
	}
}

// TestPricesWithoutAChange: where the baseline has no price, that of an arm has nothing to be compared
// with; another server than the baseline has no price.
func TestPricesWithoutAChange(t *testing.T) {
	unpriced := Run(priced(t, ""))
	invalid := priced(t, ", price: 1/h")
	each(invalid, "bare", facts("data.sha256", "a"))
	each(invalid, "pod", facts("data.sha256", "b"))
	for name, c := range map[string]struct {
		prices []Price
		want   int
	}{"no price of the baseline": {unpriced.Prices, 2}, "an invalid contrast": {Run(invalid).Prices, 0}} {
		n, prices := 0, c.prices
		for _, p := range prices {
			if p.Arm != "pod" {
				continue
			}
			n++
			if !math.IsNaN(p.Change) || p.ChangeInterval != nil || !(p.Million > 0) {
				t.Errorf("%s: %+v", name, p)
			}
		}
		if n != c.want {
			t.Errorf("%s: %d prices of pod, want %d", name, n, c.want)
		}
	}
}

// TestNoPriceOfASaturatedClient: the throughput of a baseline whose load generator could not keep up is that of the load
// generator, and has no price, as that of an arm has none.
func TestNoPriceOfASaturatedClient(t *testing.T) {
	for arm, want := range map[string]string{"bare": "", "pod": "bare bare"} {
		r := each(priced(t, ", price: 1/h"), arm, func(trial *record.Trial) {
			trial.Facts = append(trial.Facts, record.Fact{Key: keys.LoadInvalid, Value: "busy", Phase: "end"})
		})
		var got []string
		for _, p := range Run(r).Prices {
			got = append(got, p.Arm)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s saturated: prices of %v, want %q", arm, got, want)
		}
	}
}

// TestNoPrices: nothing is said of a run that is not finished, of logs of others, nor of an arm that
// has no number.
func TestNoPrices(t *testing.T) {
	early := priced(t, ", price: 1/h")
	early.Trials = early.Trials[:len(early.Trials)-1]
	if res := Run(early); !res.Sealed || res.Prices != nil {
		t.Errorf("sealed %v: %+v", res.Sealed, res.Prices)
	}
	logs := imported([]string{"bare", "pod"}, map[string][][]float64{"bare": {{1000, 1000}}, "pod": {{900, 900}}})
	if p := Run(logs).Prices; p != nil {
		t.Errorf("imported logs: %+v", p)
	}
	never := each(priced(t, ", price: 1/h"), "pod", end(record.NotReady, "no answer"))
	for _, p := range Run(never).Prices {
		if p.Arm == "pod" {
			t.Errorf("a server that never answered: %+v", p)
		}
	}
}
