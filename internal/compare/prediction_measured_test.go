package compare

import (
	"math"
	"math/rand/v2"
	"testing"
)

// measuredPaths are arms of a run by slices on two CPUs beside other work: MariaDB 10.11,
// oltp_read_write with 8 threads, four rounds. The arms differ in the network path of the
// client: routed, VXLAN and user space at 10, 1 and 0.1 Gbit/s, and, last, 10 Gbit/s with a delay
// of 2 ms in each direction, which is the second study's SR-IOV case on a machine whose
// transactions take 80 ms.
func measuredPaths() []studied {
	const threads = 8
	all := []studied{ // bytes per second, seconds of a round trip, transactions per second
		{725869146, 1 / 3065.0, 99.1}, {377562074, 1 / 4487.0, 94.2}, {34312762, 1 / 2054.0, 93.2}, {119329258, 1 / 2875.0, 87.9},
		{116168105, 1 / 2293.0, 94.8}, {28586802, 1 / 1949.0, 91.7}, {11271746, 1 / 3344.0, 103.8}, {629527579, 1 / 120.05, 42.9},
	}
	for i := range all {
		all[i].tps *= studyThreads / float64(threads) // the time of a transaction is as measured
	}
	return all
}

// TestPredictionOfMeasuredPaths: the delayed arm of a measured run is the only outlier of
// bandwidth, and what the request-response probe measured (its rate, or the network time that is
// calculated from it) predicts it with less than half of the error. Without the delay nothing is
// an outlier.
func TestPredictionOfMeasuredPaths(t *testing.T) {
	arms := measuredPaths()
	p := Run(ran(t, arms, 0.002, rand.New(rand.NewPCG(19, 1)))).Predictions
	if len(p) != 1 || len(p[0].Predictors) != 3 {
		t.Fatalf("%+v", p)
	}
	if o := p[0].Outliers; len(o) != 1 || o[0].Arm != "a7" || o[0].Explained == "" || o[0].Error > -45 || math.Abs(o[0].ExplainedError) > 35 {
		t.Errorf("outliers: %+v", o)
	}
	p = Run(ran(t, arms[:len(arms)-1], 0.002, rand.New(rand.NewPCG(19, 1)))).Predictions
	if len(p) != 1 || len(p[0].Outliers) != 0 {
		t.Errorf("without the delayed arm: %+v", p)
	}
}

// TestPredictionThatHalvesTheError: a predictor with half of the error is named although the
// arm is an outlier of it, unless there is one of which it is none.
func TestPredictionThatHalvesTheError(t *testing.T) {
	predictor := func(name string, log float64, outlying bool) Predictor {
		one := Predictor{Name: name, logs: map[string]float64{"a": log}, Errors: map[string]float64{"a": -100 * log}, Outliers: map[string]float64{}}
		if outlying {
			one.Outliers["a"] = 0.01
		}
		return one
	}
	for _, c := range []struct {
		exchanges, time Predictor
		want            string
	}{
		{predictor(ByExchanges, 0.2, true), predictor(ByNetworkTime, 0.3, false), ByNetworkTime},
		{predictor(ByExchanges, 0.2, false), predictor(ByNetworkTime, 0.1, true), ByExchanges},
		{predictor(ByExchanges, 0.5, false), predictor(ByNetworkTime, 0.3, true), ByNetworkTime},
		{predictor(ByExchanges, 0.5, false), predictor(ByNetworkTime, 0.6, false), ""},
	} {
		p := Prediction{Arms: []string{"a"}, Informs: true, Predictors: []Predictor{predictor(ByBandwidth, 0.8, true), c.exchanges, c.time}}
		p.compareWithBandwidth()
		if len(p.Outliers) != 1 || p.Outliers[0].Explained != c.want {
			t.Errorf("%+v, want %q", p.Outliers, c.want)
		}
	}
}
