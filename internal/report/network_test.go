package report_test

import (
	"math"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// predicted is a study with an outlier of bandwidth that round trips predict, one that
// nothing does, and two arms with a link.
func predicted() *compare.Result {
	values := map[string]float64{"bare": 1.2e9, "pod\xff": 1.1e9}
	return &compare.Result{
		Predictions: []compare.Prediction{{
			Threads: 8, Alike: 21.4, Informs: true,
			Predictors: []compare.Predictor{
				{Name: compare.ByBandwidth, Values: values, Errors: map[string]float64{"bare": 2, "pod\xff": -48.2}, Median: 9.4, Interval: &compare.Interval{Lo: 2, Hi: 41}, BetterP: math.NaN(), Outliers: map[string]float64{"pod\xff": 0.0004}},
				{Name: compare.ByExchanges, Values: values, Errors: map[string]float64{"bare": 1, "pod\xff": -1.6}, Median: 1.5, BetterP: 0.01, Outliers: map[string]float64{}},
			},
			Outliers: []compare.PredictionOutlier{
				{Arm: "pod\xff", Error: -48.2, P: 0.0004, Explained: compare.ByExchanges, ExplainedError: -1.6},
				{Arm: "other", Error: 60, P: 0.02},
			},
		}},
		LinkUses: []compare.LinkUse{
			{Arm: "bare", Threads: 8, Sent: 1e8, Received: 1e7, Capacity: 1.25e9, Source: "configured", Share: 0.08, Interval: &compare.Interval{Lo: 0.07, Hi: 0.09}, Limited: compare.No, IRQ: math.NaN()},
		},
	}
}

// TestNetworkSection: errors, outliers with what predicts them, and how full the link is.
func TestNetworkSection(t *testing.T) {
	doc := reopen(t, "demo")
	res := predicted()
	report.SetNetwork(doc, res)
	report.WriteSentences(doc)
	if err := schema(t).Validate(any(jsonValue(t, doc))); err != nil {
		t.Error(err)
	}
	s := sectionOf("network")
	said := s.Sentence(doc)
	for _, want := range []string{
		"bandwidth 9.4 % (2.0 to 41.0), request-response rate 1.5 %; taking the median throughput of the other arms, without any figure of the network, errs by 21.4 %.",
		"is an outlier: its throughput is 48 % below the prediction from bandwidth (p <0.001 for all arms). The request-response rate predicts it with an error of 2 %.",
		"other is an outlier: its throughput is 60 % above", "No other measured property of the network predicts it.",
		"Bandwidth limits no arm: bare uses the most of its link, 8.0 % (7.0 to 9.0).",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q lacks %q", said, want)
		}
	}
	if strings.Contains(said, "those of the other arms") {
		t.Errorf("rates that do not differ by half are named: %s", said)
	}
	res.Predictions[0].Informs = false
	report.SetNetwork(doc, res)
	report.WriteSentences(doc)
	if said := s.Sentence(doc); !strings.Contains(said, "No measured property of the network predicts the throughput of the arms: ") {
		t.Error(said)
	}
	res.Predictions[0].Informs = true
	res.Predictions[0].Predictors[1].Values = map[string]float64{"bare": 4000, "pod\xff": 120}
	report.SetNetwork(doc, res)
	report.WriteSentences(doc)
	if said := s.Sentence(doc); !strings.Contains(said, "Its request-response rate is 120 per second; those of the other arms are 4,000 to 4,000.") {
		t.Error(said)
	}
	if tables := s.Tables(doc); len(tables) != 2 || len(tables[0].Head) != 5 || len(tables[1].Rows) != 1 {
		t.Errorf("tables: %+v", tables)
	}
	for _, l := range language.All() {
		if said := s.Sentence(doc.InLanguage(l)); strings.ContainsAny(said, "{}") {
			t.Errorf("%s: %q has an empty slot", l.Tag, said)
		}
	}
	res.LinkUses[0].Limited = compare.NotSure
	report.SetNetwork(doc, res)
	if said := s.Sentence(doc); !strings.Contains(said, "bare uses the most of its link, 8.0 % (7.0 to 9.0): it is unknown whether bandwidth limits it") {
		t.Error(said)
	}
	res.LinkUses[0].Limited = compare.Yes
	report.SetNetwork(doc, res)
	report.WriteSentences(doc)
	if said := s.Sentence(doc); !strings.Contains(said, "Bandwidth can limit arms that use more than 60 % of their link: bare 8.0 %") {
		t.Error(said)
	}
	if s.IsShownIn(reopen(t, "demo")) {
		t.Error("nothing was measured, and there is a section")
	}
}
