package compare

// This file asks which property of the network predicts an arm's throughput: bandwidth,
// which iperf3 measures, the rate of requests and responses, or the time that a transaction
// waits for the network by calculation.

import (
	"maps"
	"math"
	"slices"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/stats"
)

// What throughput is predicted from.
const (
	ByBandwidth   = "bandwidth"
	ByExchanges   = "request-response"
	ByNetworkTime = "network-time"
)

// Prediction compares predictors of throughput over the arms at one level of the load.
// Every arm is predicted by a line through all other arms.
type Prediction struct {
	Threads int
	// Arms that are predicted, in their order, and what was measured of the network of these and of
	// those that are replicated otherwise.
	Arms  []string
	Paths map[string]NetworkPath
	// Predictors are ByBandwidth, ByExchanges and ByNetworkTime, each where all values
	// are known and differ.
	Predictors []Predictor
	// Alike is the median error in % when an arm is predicted by the median of the other arms,
	// which knows nothing of the network.
	Alike float64
	// Informs says that a predictor halves the error of Alike, its median or its root mean square:
	// else throughput does not follow the network, and an error of bandwidth says nothing of an arm.
	Informs bool
	// Outliers are the arms that bandwidth does not predict; none unless a predictor informs.
	Outliers []PredictionOutlier
}

// Predictor is one property with its leave-one-out errors.
type Predictor struct {
	Name string
	// Values by arm: bytes per second, requests per second, or seconds of a transaction.
	Values map[string]float64
	// Errors are by how many % of the prediction an arm's throughput is above it.
	Errors map[string]float64
	// Median is the median error in % (the factor between prediction and throughput, minus
	// 1), Interval its 95 % interval over arms such as these; nil below 6 arms.
	Median   float64
	Interval *Interval
	// Slope is how throughput follows over all arms: % for 1 % of a rate; of ByNetworkTime,
	// by how many seconds a transaction takes longer for a second of network time. It is
	// below 1 where a transaction would have waited for something else meanwhile.
	Slope float64
	// BetterP is the sign-flip p for the errors being as large as those of bandwidth;
	// NaN for bandwidth itself.
	BetterP float64
	// Outliers are the arms whose error chance does not explain, by p.
	Outliers map[string]float64
	logs     map[string]float64 // |log| of throughput to prediction
}

// PredictionOutlier is an arm that bandwidth does not predict.
type PredictionOutlier struct {
	Arm   string
	Error float64 // % of the prediction from bandwidth
	P     float64 // for all arms
	// Explained is the predictor that does predict it: its error is at most half, and the arm
	// is not an outlier of it, or of none that halves the error; "" where none does. ExplainedError
	// is its error there.
	Explained      string
	ExplainedError float64
}

const (
	predictLeast = 5 // arms: a line through four others leaves two degrees of freedom
	outlierAlpha = 0.05
)

// predictions are one for each level of a closed loop; an open one, and one with a limit, have the
// throughput that they offer.
func (j comparison) predictions() []Prediction {
	if j.run.Experiment == nil || j.res.Sealed || j.res.Rate > 0 || j.run.Experiment.Load.Limit > 0 || !slices.ContainsFunc(j.run.Experiment.Arms, onNetwork) {
		return nil
	}
	var all []Prediction
	for _, threads := range j.run.Experiment.Load.Threads {
		if p, ok := j.predict(threads); ok {
			all = append(all, p)
		}
	}
	return all
}

// onNetwork is whether the load of an arm crosses a network: with a Unix socket in all arms, what
// their paths differ in is noise.
func onNetwork(a experiment.Arm) bool {
	client, given := a.Setting("client")
	if client == "socket" {
		return a.Has("network") // that of the members of a replicated database
	}
	return given || a.Target == "kubernetes" || a.Target == "external" || a.Has("network") || a.Has("service")
}

func (j comparison) predict(threads int) (Prediction, bool) {
	var arms []*Arm
	for i := range j.res.Arms {
		if a := &j.res.Arms[i]; a.Threads == threads && len(a.firsts()) > 0 && !j.forbidden(a, a) {
			arms = append(arms, a)
		}
	}
	p := Prediction{Threads: threads, Paths: map[string]NetworkPath{}}
	var found []*Arm
	bandwidth := bandwidthOf(arms)
	for _, a := range arms {
		if path, ok := a.networkPath(bandwidth); ok {
			p.Paths[a.Name], found = path, append(found, a)
		}
	}
	if found = alikeReplicated(found); len(found) < predictLeast {
		return p, false
	}
	p.Arms = nil
	for _, a := range found {
		p.Arms = append(p.Arms, a.Name)
	}
	predictors := []string{ByBandwidth, ByExchanges, ByNetworkTime}
	if j.run.Experiment.Load.Find != nil { // connections are idle, so that their number and the throughput give no time
		predictors = predictors[:2]
	}
	for _, name := range predictors {
		if one, ok := p.predictor(name, found); ok {
			p.Predictors = append(p.Predictors, one)
		}
	}
	p.compareWithAlike(found)
	p.compareWithBandwidth()
	return p, len(p.Predictors) > 0
}

// alikeReplicated are the arms with the mode of replication that most arms have: an arm that waits
// for no other member is not predicted by the network of those that do, nor they by its. Where two
// modes have as many, the one of the arm that comes first.
func alikeReplicated(arms []*Arm) []*Arm {
	mode := func(a *Arm) (mode string) {
		for _, f := range a.firsts()[0].Facts {
			if f.Key == keys.ReplicationMode {
				mode = f.Value
			}
		}
		return mode
	}
	var most []*Arm
	for _, a := range arms {
		alike := slices.DeleteFunc(slices.Clone(arms), func(b *Arm) bool { return mode(b) != mode(a) })
		if len(alike) > len(most) {
			most = alike
		}
	}
	return most
}

// bandwidthOf is the fact that all arms have: with several streams, one whose window is too
// small for the delay does not hide the link's bandwidth.
func bandwidthOf(arms []*Arm) string {
	for _, key := range []string{keys.NetworkStreamsBytesPerS, keys.ClientStreamsBytesPerS} {
		lacks := func(a *Arm) bool { _, ok := a.pathMean(key); return !ok }
		if !slices.ContainsFunc(arms, lacks) {
			return key
		}
	}
	return keys.ClientBytesPerS
}

// compareWithAlike looks at the median, which an outlier does not change, and at the root mean
// square, which is that of one arm whose network differs from that of many equal ones.
func (p *Prediction) compareWithAlike(arms []*Arm) {
	var y, alike []float64
	for _, a := range arms {
		y = append(y, stats.Mean(logs(a)))
	}
	for i := range y {
		others := slices.Delete(slices.Clone(y), i, i+1)
		alike = append(alike, math.Abs(y[i]-stats.Median(others)))
	}
	p.Alike = stats.Percent(stats.Median(alike))
	enough := rootMeanSquare(alike) / 2
	for _, one := range p.Predictors {
		var sizes []float64 // in one order: a sum of floats depends on it
		for _, arm := range p.Arms {
			sizes = append(sizes, one.logs[arm])
		}
		p.Informs = p.Informs || one.Median <= p.Alike/2 || rootMeanSquare(sizes) <= enough
	}
}

func rootMeanSquare(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum / float64(len(v)))
}

// predictor fits logarithms of rates, which makes errors ratios. The time of a transaction
// adds up: the network's by calculation, and the rest, which is taken to be that of the other
// arms. Nothing else is fitted to it, so that it can predict an arm whose network is slower
// than any other's; weights make its errors ratios as well.
func (p Prediction) predictor(name string, arms []*Arm) (Predictor, bool) {
	one := Predictor{Name: name, Values: map[string]float64{}, Errors: map[string]float64{}, Outliers: map[string]float64{}, logs: map[string]float64{}, BetterP: math.NaN()}
	var x, y []float64
	for _, a := range arms {
		path, logTPS := p.Paths[a.Name], stats.Mean(logs(a))
		switch name {
		case ByBandwidth:
			one.Values[a.Name] = path.Bandwidth
		case ByExchanges:
			one.Values[a.Name] = path.Exchanges
		default:
			one.Values[a.Name] = path.Time()
			x, y = append(x, path.Time()), append(y, float64(p.Threads)/math.Exp(logTPS))
			continue
		}
		x, y = append(x, math.Log(one.Values[a.Name])), append(y, logTPS)
	}
	if slices.Min(x) == slices.Max(x) {
		return one, false
	}
	if name == ByNetworkTime {
		return one, one.judgeTime(arms, x, y)
	}
	one.Slope = stats.LineSlope(x, y, nil)
	return one, one.judge(arms, x, y, nil, func(i int, predicted float64) float64 { return y[i] - predicted })
}

// judgeTime predicts the time of a transaction, took, by that of the network.
func (one *Predictor) judgeTime(arms []*Arm, network, took []float64) bool {
	rest, w := make([]float64, len(took)), make([]float64, len(took))
	for i := range took {
		rest[i], w[i] = took[i]-network[i], 1/(took[i]*took[i])
	}
	one.Slope = stats.LineSlope(network, took, w)
	return one.judge(arms, nil, rest, w, func(i int, predicted float64) float64 { return math.Log((network[i] + predicted) / took[i]) })
}

// judge is false where a prediction is not a positive time or rate. off is by how much the
// log of an arm's throughput is above its prediction.
func (one *Predictor) judge(arms []*Arm, x, y, w []float64, off func(i int, predicted float64) float64) bool {
	var sizes []float64
	for i, l := range stats.LeaveOneOut(x, y, w) {
		e := off(i, l.Predicted)
		if math.IsNaN(e) || math.IsInf(e, 0) {
			return false
		}
		one.logs[arms[i].Name] = math.Abs(e)
		one.Errors[arms[i].Name] = stats.Percent(e)
		sizes = append(sizes, math.Abs(e))
	}
	one.Median = stats.Percent(stats.Median(sizes))
	if lo, hi := stats.MedianInterval(sizes, 0.05); !math.IsNaN(lo) {
		one.Interval = &Interval{Lo: stats.Percent(lo), Hi: stats.Percent(hi)}
	}
	for _, o := range stats.OutlyingPoints(x, y, w, max(1, (len(y)-5)/3), outlierAlpha) {
		one.Outliers[arms[o.Index].Name] = o.P
	}
	return true
}

// compareWithBandwidth names the outliers of bandwidth and the predictor that explains each.
func (p *Prediction) compareWithBandwidth() {
	if len(p.Predictors) == 0 || p.Predictors[0].Name != ByBandwidth {
		return
	}
	base := &p.Predictors[0]
	for i := range p.Predictors[1:] {
		other := &p.Predictors[i+1]
		var d []float64
		for _, arm := range p.Arms {
			d = append(d, base.logs[arm]-other.logs[arm])
		}
		other.BetterP = stats.SignFlipP(d)
	}
	if !p.Informs {
		return
	}
	for _, arm := range slices.Sorted(maps.Keys(base.Outliers)) {
		o := PredictionOutlier{Arm: arm, Error: base.Errors[arm], P: base.Outliers[arm]}
		known := false
		for _, other := range p.Predictors[1:] {
			_, outlying := other.Outliers[arm]
			if other.logs[arm] <= base.logs[arm]/2 && (o.Explained == "" || !known && !outlying) {
				o.Explained, o.ExplainedError, known = other.Name, other.Errors[arm], !outlying
			}
		}
		p.Outliers = append(p.Outliers, o)
	}
}
