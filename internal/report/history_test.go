package report_test

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/text"
)

// TestHistoryFollowsItsSchema, which has teeth: another schema and an unknown field
// are refused. Text and JSON hold the same change.
func TestHistoryFollowsItsSchema(t *testing.T) {
	h := report.BuildHistory([]compare.Series{{
		Arm: "pod", Threads: 8, Unit: "transactions/s",
		Points:  []compare.Point{{Run: "one", Started: time.Unix(1e9, 0).UTC(), Throughput: 900, Half: 0.4, Interval: &compare.Interval{Lo: 896.4, Hi: 903.6}}, {Run: "two", Started: time.Unix(16e8, 0).UTC(), Throughput: 850, Half: math.NaN()}},
		LeftOut: []compare.LeftOut{{Run: "three", Started: time.Unix(15e8, 0).UTC(), Why: compare.Reason{Code: "client-saturated", Numbers: map[string]float64{"n": 1, "of": 2}, Names: map[string][]string{"arm": {"pod"}}}}},
		Shifts:  []compare.Shift{{Run: "two", Change: -5.5, Before: 1, After: 1}, {Run: "six", Change: 7, Interval: &compare.Interval{Lo: 6, Hi: 8}, Before: 3, After: 2}},
	}}, "test")
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "docs", "history.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	check := func() error {
		var b bytes.Buffer
		if err := report.HistoryJSON(&b, h); err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(v)
	}
	if err := check(); err != nil {
		t.Error(err)
	}
	var plain bytes.Buffer
	if err := text.History(&plain, h, language.English()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"from two on: -5.5 % (no interval, 1 run before and 1 after)", "from six on: 7.0 % (95 % interval 6.0 to 8.0, 3 runs before and 2 after)",
		"3 runs, 1 without a figure; oldest run first; in brackets the\n95 % interval\n  one    2001-09-09 01:46  900.0 [896.4, 903.6]\n  three  2017-07-14 02:40  no figure: the load generator could not keep up in 1 of 2 trials of pod",
		"\n  two    2020-09-13 12:26  850.0\n"} {
		if !strings.Contains(plain.String(), want) {
			t.Errorf("want %q in\n%s", want, plain.String())
		}
	}
	h.Series = append(h.Series, report.Series{Arm: "pod", Threads: 8, Unit: "new orders/min", Experiment: "nightly", Points: []report.Point{{Run: "ten", Throughput: 20.5, HalfPercent: 484.2, Interval: &[2]report.Number{0.1, 2500}}}})
	plain.Reset()
	if err := text.History(&plain, h, language.English()); err != nil || !strings.Contains(plain.String(), "pod with 8 threads, transactions/s, oldest run one: 3 runs") ||
		!strings.Contains(plain.String(), "pod with 8 threads, new orders/min, experiment nightly, oldest run ten: 1 run\n") {
		t.Errorf("%v\n%s", err, plain.String())
	}
	if !strings.Contains(plain.String(), "  ten  20.5, interval not determined\n") {
		t.Errorf("an interval that is no interval:\n%s", plain.String())
	}
	for line := range strings.Lines(plain.String()) {
		if len(line) > 101 {
			t.Errorf("wider than 100 columns: %q", line)
		}
	}
	h.Series = append(h.Series, report.Series{
		Arm: "pod", Threads: 8, Unit: "new orders/min", Experiment: "weekly", Points: []report.Point{{Run: "nine", Started: new(time.Unix(16e8, 0)), Throughput: 20, OthersPercent: 14}},
		LeftOut: []report.LeftOut{{Run: "eight", Started: new(time.Unix(15e8, 0)), Why: compare.Reason{Code: compare.BusyMachine}}},
	})
	plain.Reset()
	if err := text.History(&plain, h, language.English()); err != nil || !strings.Contains(plain.String(), "experiment weekly, oldest run eight: 2 runs, 1 without a figure;\noldest run") {
		t.Errorf("the oldest run has no figure: %v\n%s", err, plain.String())
	}
	h.Series = h.Series[:1]
	h.Series[0].Points[1].OthersPercent = 14
	if err := check(); err != nil {
		t.Error(err)
	}
	h.Schema = "tare.result/v1"
	if check() == nil {
		t.Error("another document passes")
	}
}
