package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// studied is an arm of a simulated study: its network, in bytes per second and seconds of
// a round trip, and its transactions per second.
type studied struct{ bandwidth, roundTrip, tps float64 }

const (
	studyStatements = 20     // of a transaction of oltp_read_write
	studyBytes      = 43_000 // of a transaction of the second study, by arithmetic
	studyThreads    = 4      // those of spec
	studyRest       = 0.0004 // seconds of a transaction that are not the network's
)

// study has arms whose throughput follows bandwidth because slow networks have slow round
// trips as well, and, last, one with the full bandwidth and a delay of 250 us in each
// direction: the second study's SR-IOV. All transactions take the same time beside the
// network.
func study(delayed bool) []studied {
	var all []studied
	add := func(bandwidth, roundTrip float64) {
		took := studyRest + studyStatements*roundTrip + studyBytes/bandwidth
		all = append(all, studied{bandwidth, roundTrip, studyThreads / took})
	}
	for _, gbit := range []float64{9.9, 9.4, 9.0, 8.1, 7.2, 6.0, 4.5, 3.1, 0.94} {
		add(gbit*1e9/8, 60e-6*math.Pow(9.9/gbit, 0.6))
	}
	if delayed {
		add(9.9e9/8, 60e-6+500e-6)
	}
	return all
}

// armLines are so many arms, the first of them the baseline.
func armLines(n int) []string {
	lines := []string{"bare: {target: container, client: other-node}"}
	for i := range n - 1 {
		lines = append(lines, fmt.Sprintf("a%d: {target: container, client: other-node}", i+1))
	}
	return lines
}

// ran is a run of the arms with noise of that SD in every trial.
func ran(t testing.TB, arms []studied, noise float64, rng *rand.Rand) *record.Run {
	t.Helper()
	return runOf(t, planned(t, spec(4, "1%", armLines(len(arms))...)), arms, noise, rng)
}

// runOf carries out the plan of a template.
func runOf(t testing.TB, template *record.Run, arms []studied, noise float64, rng *rand.Rand) *record.Run {
	t.Helper()
	number := func(arm string) (i int) {
		if arm != "bare" {
			if _, err := fmt.Sscanf(arm, "a%d", &i); err != nil {
				t.Fatal(err)
			}
		}
		return i
	}
	r := &record.Run{Experiment: template.Experiment, Plan: template.Plan}
	fill(r, func(arm string, _ int) float64 { return arms[number(arm)].tps * math.Exp(noise*rng.NormFloat64()) })
	for _, trial := range r.Trials {
		measure(trial, arms[number(trial.Header.Arm)])
	}
	return r
}

// measure adds what the probes of a trial read.
func measure(t *record.Trial, s studied) {
	c := &t.Window.Counts
	c.Reads, c.Writes, c.Other = 14*c.Transactions, 4*c.Transactions, 2*c.Transactions
	number := func(key string, v float64) {
		t.Facts = append(t.Facts, record.Fact{Key: key, Value: fmt.Sprintf("%.3f", v), Phase: "end"})
	}
	number(keys.ClientBytesPerS, s.bandwidth)
	number(keys.ClientRequestResponsePerS, 1/s.roundTrip)
	t.Facts = append(t.Facts, record.Fact{Key: "network.link.bits_per_s", Value: "10000000000", Phase: "start"})
	for _, name := range []string{keys.NetworkSentBytes, keys.NetworkReceivedBytes, keys.NetworkLoopbackBytes} {
		t.Metrics = append(t.Metrics, record.Metric{Name: name, Unit: "bytes", Counter: true})
	}
	const loopback = 1e6
	for i := range 2 {
		done := t.Throughput() * float64(i)
		t.Samples = append(t.Samples, record.Sample{At: time.Duration(i) * time.Second, Values: record.ValuesOf(map[string]float64{
			keys.NetworkSentBytes: 0.7*studyBytes*done + loopback*float64(i), keys.NetworkReceivedBytes: 0.3*studyBytes*done + loopback*float64(i), keys.NetworkLoopbackBytes: loopback * float64(i),
		})})
	}
}

// TestPredictionNamesSRIOV: the arm with full bandwidth and slow round trips is the only
// outlier of bandwidth, and round trips explain it. By the same arithmetic no arm's link is
// the limit.
func TestPredictionNamesSRIOV(t *testing.T) {
	res := Run(ran(t, study(true), 0.01, rand.New(rand.NewPCG(3, 5))))
	if len(res.Predictions) != 1 || len(res.Predictions[0].Predictors) != 3 {
		t.Fatalf("%+v", res.Predictions)
	}
	p := res.Predictions[0]
	if len(p.Outliers) != 1 || p.Outliers[0].Arm != "a9" || p.Outliers[0].Explained != ByExchanges || p.Outliers[0].Error > -40 {
		t.Errorf("outliers: %+v", p.Outliers)
	}
	byName := map[string]Predictor{}
	for _, one := range p.Predictors {
		byName[one.Name] = one
	}
	if one := byName[ByNetworkTime]; len(one.Outliers) > 0 || one.Median > 4 || one.Interval == nil || !(one.Interval.Lo <= one.Median && one.Median <= one.Interval.Hi) || one.Slope < 0.9 || one.Slope > 1.1 {
		t.Errorf("network time: %+v", one)
	}
	if one := byName[ByExchanges]; len(one.Outliers) > 0 || one.BetterP > 0.05 {
		t.Errorf("exchanges: %+v", one)
	}
	for _, u := range res.LinkUses {
		if u.Arm == "bare" && (u.Limited != No || math.Abs(u.Sent-0.7*studyBytes*res.Arms[0].Mean) > 0.02*u.Sent || u.Source != "configured") {
			t.Errorf("the link of %s: %+v", u.Arm, u)
		}
	}
	if len(res.LinkUses) != 10 {
		t.Errorf("%d arms have a link", len(res.LinkUses))
	}
}

// TestPredictionOfOneMode: an arm that is replicated otherwise than most arms is not predicted,
// and does not change what is said of the others.
func TestPredictionOfOneMode(t *testing.T) {
	arms := append(study(true), studied{9.9e9 / 8, 60e-6, 10_000}) // it has no other member
	r := ran(t, arms, 0.01, rand.New(rand.NewPCG(3, 5)))
	for _, trial := range r.Trials {
		if trial.Header.Arm != "a10" {
			trial.Facts = append(trial.Facts, record.Fact{Key: keys.ReplicationMode, Value: "async", Phase: "start"})
		}
	}
	res := Run(r)
	if len(res.Predictions) != 1 {
		t.Fatalf("%+v", res.Predictions)
	}
	p := res.Predictions[0]
	if len(p.Outliers) != 1 || p.Outliers[0].Arm != "a9" {
		t.Errorf("outliers: %+v", p.Outliers)
	}
	if _, predicted := p.Predictors[0].Values["a10"]; predicted || len(p.Arms) != 10 {
		t.Errorf("predicted: %v", p.Arms)
	}
}

// TestPredictionWithout: too few arms, an open loop, a sealed run, and arms without probes
// have no prediction.
func TestPredictionWithout(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 6))
	if p := Run(ran(t, study(false)[:4], 0.01, rng)).Predictions; p != nil {
		t.Errorf("four arms: %+v", p)
	}
	r := ran(t, study(false), 0.01, rng)
	r.Experiment.Load.Rate = 100
	if p := Run(r).Predictions; p != nil {
		t.Errorf("an open loop: %+v", p)
	}
	r.Experiment.Load.Rate, r.Experiment.Load.Limit = 0, 100
	if p := Run(r).Predictions; p != nil {
		t.Errorf("a load with a limit: %+v", p)
	}
	r = ran(t, study(false), 0.01, rng)
	r.Experiment.Load.Find = &experiment.Find{Percentile: 99}
	if p := Run(r).Predictions; len(p) != 1 || slices.ContainsFunc(p[0].Predictors, func(p Predictor) bool { return p.Name == ByNetworkTime }) {
		t.Errorf("connections that are idle: %+v", p)
	}
	r = ran(t, study(false), 0.01, rng)
	for _, trial := range r.Trials {
		trial.Facts = nil
	}
	if p := Run(r).Predictions; p != nil {
		t.Errorf("without facts: %+v", p)
	}
	r = ran(t, study(false), 0.01, rng)
	r.Trials = r.Trials[:len(r.Trials)-1]
	if res := Run(r); res.Predictions != nil || res.LinkUses != nil {
		t.Errorf("a sealed run: %+v", res.Predictions)
	}
}

// TestLinkIsTheLimit: an arm that uses nine tenths of its link is limited by it, and one
// between the bounds is not said to be either.
func TestLinkIsTheLimit(t *testing.T) {
	for share, want := range map[float64]Answer{0.9: Yes, 0.2: No, 0.6: NotSure} {
		arms := []studied{{bandwidth: 1e9, roundTrip: 1e-4, tps: 1000}, {bandwidth: 1e9, roundTrip: 1e-4, tps: share * 1.25e9 / (0.7 * studyBytes)}}
		res := Run(ran(t, arms, 0.05, rand.New(rand.NewPCG(4, 4))))
		if got := res.LinkUses[1]; got.Limited != want && !(want == NotSure && got.Interval.Lo < BusyLink) {
			t.Errorf("%v of the link: %+v", share, got)
		}
	}
}

// TestReplicationWait: which member's answer completes a commit.
func TestReplicationWait(t *testing.T) {
	for mode, want := range map[string]float64{"semisync": 9000, "group": 9000, "galera": 5000, "async": 0} {
		trial := &record.Trial{Facts: []record.Fact{
			{Key: keys.ReplicationMode, Value: mode, Phase: "start"},
			{Key: "replication.member.2.request_response_per_s", Value: "9000", Phase: "end"},
			{Key: "replication.member.3.request_response_per_s", Value: "5000", Phase: "end"},
		}}
		a := &Arm{Trials: []*record.Trial{trial}}
		if trips, rate, ok := a.replicationWait(); !ok || rate != want || (trips > 0) != (want > 0) {
			t.Errorf("%s waits %v times at %v per second, want %v", mode, trips, rate, want)
		}
	}
	a := &Arm{Trials: []*record.Trial{{Facts: []record.Fact{{Key: keys.ReplicationMode, Value: "group", Phase: "start"}}}}}
	if _, _, ok := a.replicationWait(); ok {
		t.Error("a group whose round trips were not measured")
	}
}

// TestPredictionThatInformsOfNothing: arms that differ in their CPUs and storage and have one
// network. An arm with few IOPS is then far from every prediction, which is no finding about the network.
func TestPredictionThatInformsOfNothing(t *testing.T) {
	arms := []studied{
		{4.1e9, 30e-6, 6000}, {3.9e9, 31e-6, 6200}, {4.3e9, 29e-6, 7600}, {4.0e9, 30e-6, 6050},
		{4.2e9, 33e-6, 4250}, {4.0e9, 29e-6, 210}, {4.4e9, 32e-6, 3900}, {3.8e9, 30e-6, 1800},
	}
	p := Run(ran(t, arms, 0.01, rand.New(rand.NewPCG(7, 7)))).Predictions
	if len(p) != 1 || len(p[0].Predictors) != 3 {
		t.Fatalf("%+v", p)
	}
	if p := p[0]; p.Informs || len(p.Outliers) > 0 || len(p.Predictors[0].Outliers) == 0 {
		t.Errorf("informs %v; outliers %+v, of bandwidth %+v", p.Informs, p.Outliers, p.Predictors[0].Outliers)
	}
	if p := Run(ran(t, study(true), 0.01, rand.New(rand.NewPCG(3, 5)))).Predictions[0]; !p.Informs {
		t.Errorf("the study's arms: %+v", p)
	}
}

// TestNoPredictionOverASocket: where no load crosses a network, its properties predict nothing.
func TestNoPredictionOverASocket(t *testing.T) {
	for _, client := range []string{"", ", client: socket"} {
		arms := study(true)
		lines := armLines(len(arms))
		for i := range lines {
			lines[i] = strings.Replace(lines[i], ", client: other-node", client, 1)
		}
		r := runOf(t, planned(t, spec(4, "1%", lines...)), arms, 0.01, rand.New(rand.NewPCG(3, 5)))
		if p := Run(r).Predictions; len(p) != 0 {
			t.Errorf("%q: %+v", client, p)
		}
	}
}
