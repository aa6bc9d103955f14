package report

import (
	"math"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
)

// Network is what the network's own measurements say of throughput.
type Network struct {
	Predictions []NetworkPrediction `json:"predictions"`
	Links       []LinkUse           `json:"links"`
}

// NetworkPrediction compares predictors of throughput at one level of the load.
type NetworkPrediction struct {
	Threads    int                `json:"threads"`
	Predictors []NetworkPredictor `json:"predictors"`
	// Alike is the median error of predicting each arm by the median of the others.
	Alike Number `json:"alike_error_percent"`
	// Informs says that a predictor halves that error; without it there are no outliers.
	Informs  bool             `json:"informs"`
	Outliers []NetworkOutlier `json:"outliers"` // of bandwidth
	Sentence string           `json:"sentence"`
}

// NetworkPredictor is a property of the network, with the error of predicting each arm
// from all other arms.
type NetworkPredictor struct {
	Name string `json:"name"` // bandwidth, request-response or network-time
	// Values by arm: bytes per second, requests per second, seconds per transaction.
	Values map[string]Number `json:"values"`
	// Errors by arm: by how many % of its prediction the throughput is above it.
	Errors   map[string]Number `json:"errors_percent"`
	Median   Number            `json:"median_error_percent"`
	Interval *[2]Number        `json:"interval"` // of the median at 95 %; null below 6 arms
	Slope    Number            `json:"slope"`
	BetterP  Number            `json:"better_p"` // sign-flip, compared with bandwidth
	Outliers map[string]Number `json:"outliers"` // p for all arms, by arm
}

// NetworkOutlier is an arm that bandwidth does not predict.
type NetworkOutlier struct {
	Arm            string `json:"arm"`
	Error          Number `json:"error_percent"`
	P              Number `json:"p"`
	Explained      string `json:"explained"` // the predictor that does; "" for none
	ExplainedError Number `json:"explained_error_percent"`
}

// LinkUse is how much of its link an arm used.
type LinkUse struct {
	Arm      string     `json:"arm"`
	Threads  int        `json:"threads"`
	Sent     Number     `json:"sent_bytes_per_s"`
	Received Number     `json:"received_bytes_per_s"`
	Capacity Number     `json:"capacity_bytes_per_s"`
	Source   string     `json:"capacity_source"` // configured, link or measured
	Share    Number     `json:"share"`
	Interval *[2]Number `json:"interval"`
	Limited  string     `json:"limited"` // yes, no or unknown
	IRQ      Number     `json:"irq_ns_per_byte"`
}

// setNetwork leaves the document as it is where nothing was measured.
func (doc *Document) setNetwork(res *compare.Result) {
	if len(res.Predictions)+len(res.LinkUses) == 0 {
		return
	}
	out := &Network{Predictions: []NetworkPrediction{}, Links: []LinkUse{}}
	for _, p := range res.Predictions {
		out.Predictions = append(out.Predictions, networkPrediction(p))
	}
	for _, u := range res.LinkUses {
		out.Links = append(out.Links, LinkUse{
			Arm: text(u.Arm), Threads: u.Threads, Sent: Number(u.Sent), Received: Number(u.Received), Capacity: Number(u.Capacity), Source: u.Source,
			Share: Number(u.Share), Interval: intervalOf(u.Interval), Limited: string(u.Limited), IRQ: Number(u.IRQ),
		})
	}
	doc.Network = out
}

func networkPrediction(p compare.Prediction) NetworkPrediction {
	out := NetworkPrediction{Threads: p.Threads, Predictors: []NetworkPredictor{}, Alike: Number(p.Alike), Informs: p.Informs, Outliers: []NetworkOutlier{}}
	for _, one := range p.Predictors {
		out.Predictors = append(out.Predictors, NetworkPredictor{
			Name: one.Name, Values: numbersOf(one.Values), Errors: numbersOf(one.Errors), Outliers: numbersOf(one.Outliers),
			Median: Number(one.Median), Interval: intervalOf(one.Interval), Slope: Number(one.Slope), BetterP: Number(one.BetterP),
		})
	}
	for _, o := range p.Outliers {
		n := NetworkOutlier{Arm: text(o.Arm), Error: Number(o.Error), P: Number(o.P), Explained: o.Explained, ExplainedError: Unknown()}
		if o.Explained != "" {
			n.ExplainedError = Number(o.ExplainedError)
		}
		out.Outliers = append(out.Outliers, n)
	}
	return out
}

func numbersOf(byArm map[string]float64) map[string]Number {
	out := map[string]Number{}
	for arm, v := range byArm {
		out[text(arm)] = Number(v)
	}
	return out
}

// writeNetwork makes the sentences; a translation has a document of its own.
func (doc *Document) writeNetwork() {
	if doc.Network == nil {
		return
	}
	out := &Network{Links: doc.Network.Links, Predictions: []NetworkPrediction{}}
	for _, p := range doc.Network.Predictions {
		p.Sentence = doc.predictionSentence(p)
		out.Predictions = append(out.Predictions, p)
	}
	doc.Network = out
}

func (doc *Document) predictionSentence(p NetworkPrediction) string {
	var errors, outliers []string
	for _, one := range p.Predictors {
		slots := []string{"predictor", doc.PredictorName(one.Name), "error", language.Decimal(float64(one.Median), 1)}
		key := "network.error.bare"
		if one.Interval != nil {
			key = "network.error"
			slots = append(slots, "lo", language.Decimal(float64(one.Interval[0]), 1), "hi", language.Decimal(float64(one.Interval[1]), 1))
		}
		errors = append(errors, doc.Say(key, slots...))
	}
	for _, o := range p.Outliers {
		outliers = append(outliers, doc.outlierSentence(o)+doc.apartSentence(p, o.Arm))
	}
	key, alike := "network.errors", language.Decimal(float64(p.Alike), 1)
	if !p.Informs {
		key = "network.uninformed"
	}
	s := doc.Say(key, "errors", doc.Language().List("list", errors), "alike", alike)
	if len(outliers) > 0 {
		s += doc.Say("join.sentences") + doc.Language().List("sentences", outliers)
	}
	return s
}

func (doc *Document) outlierSentence(o NetworkOutlier) string {
	slots := []string{"arm", o.Arm, "error", language.Decimal(math.Abs(float64(o.Error)), 0), "p", language.PValue(float64(o.P), 3)}
	key := "network.outlier"
	if o.Error > 0 {
		key = "network.outlier.above"
	}
	if o.Explained == "" {
		return doc.Say(key, slots...) + doc.Say("join.sentences") + doc.Say("network.unexplained")
	}
	return doc.Say(key, slots...) + doc.Say("join.sentences") + doc.Say("network.explained", "predictor", doc.PredictorName(o.Explained), "error", language.Decimal(math.Abs(float64(o.ExplainedError)), 0))
}

// apartSentence names the probe that sets an outlier apart: its requests and responses per
// second, where they are less than half of those of every other arm, or more than double.
func (doc *Document) apartSentence(p NetworkPrediction, arm string) string {
	for _, one := range p.Predictors {
		own, ok := one.Values[arm]
		if one.Name != compare.ByExchanges || !ok || len(one.Values) < 2 {
			continue
		}
		lo, hi := math.Inf(1), math.Inf(-1)
		for name, v := range one.Values {
			if name != arm {
				lo, hi = min(lo, float64(v)), max(hi, float64(v))
			}
		}
		if v := float64(own); v < lo/2 || v > 2*hi {
			return doc.Say("join.sentences") + doc.Say("network.apart", "value", language.Decimal(v, 0), "lo", language.Decimal(lo, 0), "hi", language.Decimal(hi, 0))
		}
	}
	return ""
}

func (doc *Document) PredictorName(name string) string {
	return map[string]string{
		compare.ByBandwidth: doc.Say("predictor.bandwidth"), compare.ByExchanges: doc.Say("predictor.request-response"), compare.ByNetworkTime: doc.Say("predictor.network-time"),
	}[name]
}
