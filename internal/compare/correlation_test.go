package compare

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/record"
)

// pluginRun has an arm for each of tps, with the network's throughput beside it.
func pluginRun(t *testing.T, gbps, tps []float64) *record.Run {
	t.Helper()
	var arms []string
	for i := range tps {
		name := fmt.Sprintf("a%d", i)
		if i == 0 {
			name = "bare"
		}
		arms = append(arms, fmt.Sprintf("%s: {target: container, factors: {network_gbps: %v}}", name, gbps[i]))
	}
	return fill(planned(t, spec(correlateRounds, "1%", arms...)), func(arm string, round int) float64 {
		var i int
		if arm != "bare" {
			if _, err := fmt.Sscanf(arm, "a%d", &i); err != nil {
				t.Fatal(err)
			}
		}
		return tps[i] * (1 + 0.001*float64(round))
	})
}

// TestCorrelation: the second study's question. Six plugins in one order, and a
// seventh that is fast on the network and slow in the database: it is named.
func TestCorrelation(t *testing.T) {
	gbps, tps := []float64{9.8, 9.1, 8.2, 7, 6.1, 5}, []float64{1000, 960, 930, 900, 870, 840}
	all := Run(pluginRun(t, gbps, tps)).Correlations
	if len(all) != 1 || all[0].Rho != 1 || math.Abs(all[0].P-2.0/720) > 1e-12 || math.Abs(all[0].WorstP-2.0/120) > 1e-12 || all[0].Outlier != "" || !all[0].Declared {
		t.Fatalf("%+v", all)
	}
	if v := all[0].Values; len(v) != len(gbps) || v["bare"] != 9.8 || v["a5"] != 5 {
		t.Errorf("values by arm: %v", v)
	}
	if c := all[0]; !(c.SlopeLo < c.Slope && c.Slope < c.SlopeHi && c.Slope > 3 && c.Slope < 4) {
		t.Errorf("slope %v [%v, %v] %% for each Gbit/s", c.Slope, c.SlopeLo, c.SlopeHi)
	}
	c := Run(pluginRun(t, append(gbps, 10), append(tps, 700))).Correlations[0]
	if c.Outlier != "a6" || c.RhoWithout != 1 || c.Rho > 0.3 || math.Abs(c.PWithout-2.0/720) > 1e-12 {
		t.Errorf("%+v", c)
	}
	if all := Run(pluginRun(t, gbps[:3], tps[:3])).Correlations; all != nil {
		t.Errorf("three arms: %+v", all)
	}
	r := pluginRun(t, gbps, tps)
	r.Trials = r.Trials[:len(r.Trials)-1]
	if all := Run(r).Correlations; all != nil {
		t.Errorf("a sealed run tells: %+v", all)
	}
}

// TestCorrelationOfFewRounds: of fewer rounds than a verdict needs, the order of the arms' means is no finding.
func TestCorrelationOfFewRounds(t *testing.T) {
	r := pluginRun(t, []float64{9.8, 9.1, 8.2, 7, 6.1, 5}, []float64{1000, 960, 930, 900, 870, 840})
	r.Plan.Rounds, r.Plan.MaxRounds, r.Plan.Trials = 5, 5, r.Plan.Trials[:5*6]
	r.Trials = r.Trials[:5*6]
	if res := Run(r); res.Sealed || len(res.Correlations) > 0 || res.Contrasts[0].Interval95 == nil {
		t.Errorf("sealed %v, %+v", res.Sealed, res.Correlations)
	}
}

// TestCorrelationWithoutForbiddenArms: an arm that the load generator limited is left out of the
// correlation with throughput.
func TestCorrelationWithoutForbiddenArms(t *testing.T) {
	r := pluginRun(t, []float64{9.8, 9.1, 8.2, 7, 6.1, 5, 10}, []float64{1000, 960, 930, 900, 870, 840, 700})
	for _, trial := range r.Trials {
		if trial.Header.Arm == "a6" {
			trial.Facts = append(trial.Facts, record.Fact{Key: keys.LoadInvalid, Value: "the load generator was throttled", Source: "engine"})
		}
	}
	all := Run(r).Correlations
	if len(all) != 1 || all[0].Arms != 6 || all[0].Rho != 1 || all[0].Outlier != "" {
		t.Errorf("%+v", all)
	}
}

// TestCorrelationOfCounters: what the kernel counted is taken for each transaction,
// and p knows how many counters were looked at; throughput's own shadow is not found.
func TestCorrelationOfCounters(t *testing.T) {
	tps := []float64{1000, 960, 930, 900, 870, 840}
	r := pluginRun(t, []float64{3, 1, 2, 6, 5, 4}, tps)
	for _, trial := range r.Trials {
		add := func(key string, change float64) {
			trial.Facts = append(trial.Facts, record.Fact{Key: key, Value: "0", Phase: "start"},
				record.Fact{Key: key, Value: fmt.Sprintf("%.0f", change), Phase: "end"})
		}
		done := float64(trial.Window.Counts.Transactions)
		add(keys.ServerRunNS, done*1000)                                          // the same for each: follows throughput by construction
		add(keys.ServerRunQueueWaitNS, done*1e15/math.Pow(trial.Throughput(), 2)) // more for each where it is slow, and more a second
		add("server.cgroup.clock", done*1e9/trial.Throughput())                   // the same a second: follows throughput by construction
		add("cgroup.pod.cpu.stat.nr_periods", 1e3+1e6/trial.Throughput())
		add("cgroup.kubepods.cpuacct.usage", done*1e15/math.Pow(trial.Throughput(), 2))
		add("neighbour.cgroup.pod.cpuacct.usage", done*1e15/math.Pow(trial.Throughput(), 2))
		for _, level := range []string{"usage_in_bytes", "max_usage_in_bytes", "current", "peak"} {
			add("cgroup.pod.memory."+level, 1e6) // growth of an amount, and the same in each arm
		}
		add("cgroup.pod.cpu.stat.nr_throttled", 1e6*float64(len(trial.Header.Arm)))
	}
	byName := map[string]Correlation{}
	for _, c := range Run(r).Correlations {
		byName[c.Factor] = c
	}
	if c := byName[keys.ServerRunQueueWaitNS+" per transaction"]; c.Rho != -1 || c.Declared || c.Screened < 2 || c.FamilyP <= c.P {
		t.Errorf("%+v", c)
	}
	if c, ok := byName[keys.ServerRunNS+" per transaction"]; ok && math.Abs(c.Rho) == 1 && c.FamilyP < 0.05 {
		t.Errorf("throughput's shadow: %+v", c)
	}
	for name := range byName {
		for _, not := range []string{"memory.", "clock", "nr_periods", "kubepods", "neighbour"} {
			if strings.Contains(name, not) {
				t.Errorf("%s is a factor, and transactions of the server do not cause it", name)
			}
		}
		if !strings.Contains(name, "per transaction") && name != "network_gbps" {
			t.Errorf("%s is not a rate for each transaction", name)
		}
	}
}

// TestCounterAndTransactionsOfTheSameTrials: where a counter was not read at the end of a trial, its transactions do not
// count either: the counter for each transaction is the same in all arms.
func TestCounterAndTransactionsOfTheSameTrials(t *testing.T) {
	tps := []float64{1000, 960, 930, 900, 870, 840}
	r := pluginRun(t, []float64{3, 1, 2, 6, 5, 4}, tps)
	left := map[string]int{}
	for _, trial := range r.Trials {
		if trial.Header.Arm == "a2" {
			if left["a2"]++; left["a2"] <= 3 {
				continue
			}
		}
		trial.Facts = append(trial.Facts, record.Fact{Key: keys.ServerRunQueueWaitNS, Value: "0", Phase: "start"},
			record.Fact{Key: keys.ServerRunQueueWaitNS, Value: fmt.Sprint(1000 * trial.Window.Counts.Transactions), Phase: "end"})
	}
	res := Run(r)
	for i := range res.Arms {
		for _, e := range res.Arms[i].Evidence {
			near(t, res.Arms[i].Name, e.eachTransaction(), 1000, 1e-9)
		}
	}
	if left["a2"] < 4 {
		t.Errorf("arm a2 has %d trials", left["a2"])
	}
}

// TestCorrelationOfPath: the second study's open question. One arm has the full bandwidth
// and half of the transactions: it is the outlier against bandwidth, and the rate of
// requests and responses shows why.
func TestCorrelationOfPath(t *testing.T) {
	tps := []float64{1000, 960, 930, 900, 870, 840, 500}
	bandwidth := []float64{9.8, 9.1, 8.2, 7, 6.1, 5, 10}
	r := pluginRun(t, bandwidth, tps)
	arm := map[string]int{"bare": 0, "a1": 1, "a2": 2, "a3": 3, "a4": 4, "a5": 5, "a6": 6}
	for _, trial := range r.Trials {
		i := arm[trial.Header.Arm]
		trial.Facts = append(trial.Facts,
			record.Fact{Key: "client.bytes_per_s", Value: fmt.Sprintf("%.0f", bandwidth[i]*1e9), Phase: "end"},
			record.Fact{Key: "client.request_response_per_s", Value: fmt.Sprintf("%.1f", tps[i]*20), Phase: "end"},
			record.Fact{Key: "client.request_response_per_s", Unknown: "the server does not answer", Phase: "end"})
	}
	byName := map[string]Correlation{}
	for _, c := range Run(r).Correlations {
		byName[c.Factor] = c
	}
	if c := byName["client.bytes_per_s"]; c.Outlier != "a6" || c.RhoWithout != 1 || c.Declared {
		t.Errorf("bandwidth: %+v", c)
	}
	if c := byName["client.request_response_per_s"]; c.Rho != 1 || c.Outlier != "" {
		t.Errorf("requests and responses: %+v", c)
	}
}
