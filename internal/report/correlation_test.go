package report_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/page"
)

// together is what goes along with throughput: a factor that the experiment asks about,
// with an outlier, a counter that stands clear of chance, and one that does not.
func together() []compare.Correlation {
	values := map[string]float64{"bare": 9.8, "pod\xff": 10}
	return []compare.Correlation{
		{Factor: "asked_gbps", Declared: true, Threads: 8, Arms: 7, Rho: 0.25, P: 0.6, FamilyP: 0.9, Screened: 3, WorstP: 0.9,
			Outlier: "pod\xff", RhoWithout: 1, PWithout: 0.003, Slope: 3, SlopeLo: 1, SlopeHi: 4, Values: values},
		{Factor: "clear per transaction", Threads: 8, Arms: 7, Rho: -1, P: 0.001, FamilyP: 0.01, Screened: 3, WorstP: 0.003, RhoWithout: math.NaN(), PWithout: math.NaN(), Values: values},
		{Factor: "chance per transaction", Threads: 8, Arms: 7, Rho: -0.9, P: 0.006, FamilyP: 0.04, Screened: 3, WorstP: 0.06, RhoWithout: math.NaN(), PWithout: math.NaN(), Values: values},
	}
}

// What was asked, and what chance and one arm leave standing, is said and drawn; all
// that was looked at is in the table.
func TestCorrelationSection(t *testing.T) {
	doc := reopen(t, "demo")
	report.SetCorrelations(doc, together())
	report.WriteSentences(doc)
	if err := schema(t).Validate(any(jsonValue(t, doc))); err != nil {
		t.Error(err)
	}
	if v := doc.Correlations[0].Values; v["bare"] != 9.8 || v["pod\uFFFD"] != 10 {
		t.Errorf("values: %v", v)
	}
	s := sectionOf("correlation")
	said := s.Sentence(doc)
	for _, want := range []string{"asked_gbps", "is an outlier: 1.00 without it", "clear per transaction"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q lacks %q", said, want)
		}
	}
	if strings.Contains(said, "chance per") || !s.Figures[0].Shown(doc) || len(s.Tables(doc)[0].Rows) != 3 {
		t.Errorf("%q, %d rows", said, len(s.Tables(doc)[0].Rows))
	}
	var whole bytes.Buffer
	if err := page.Write(&whole, doc, page.Assets{Script: "/* */"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<section id="correlation"`, `data-chart="correlation"`, `href="#correlation"`} {
		if strings.Count(whole.String(), want) != 1 {
			t.Errorf("the page has %d times %q", strings.Count(whole.String(), want), want)
		}
	}
	report.SetCorrelations(doc, together()[2:])
	if said := s.Sentence(doc); !strings.HasPrefix(said, "Of 1 factor ") || s.Figures[0].Shown(doc) {
		t.Errorf("%q", said)
	}
	report.SetCorrelations(doc, nil)
	if s.IsShownIn(doc) {
		t.Error("nothing was looked at, and there is a section")
	}
}
