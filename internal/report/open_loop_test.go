package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/page"
)

// TestOpenLoop: the rate, what became of the arrivals, and every statement's
// response times are in the document, the page and the warnings.
func TestOpenLoop(t *testing.T) {
	run, err := record.Open("testdata/runs/demo")
	if err != nil {
		t.Fatal(err)
	}
	run.Experiment.Load.Rate, run.Experiment.Load.Engine = 500, "tare"
	for _, trial := range run.Trials {
		unsent := 0
		if trial.Header.Arm == "besteffort" {
			unsent = 9
		}
		trial.Facts = append(trial.Facts, record.Fact{Key: "load.arrivals_due", Value: "1000", Phase: "end"},
			record.Fact{Key: "load.arrivals_unsent", Value: fmt.Sprint(unsent), Phase: "end"})
		trial.Window.Statements = []record.Timed{{Name: "commit", Latency: *trial.Window.Latency}}
	}
	doc, err := report.Build(run, "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema(t).Validate(jsonValue(t, doc)); err != nil {
		t.Error(err)
	}
	var whole strings.Builder
	if err := page.Write(&whole, doc, page.Assets{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"500 transactions are scheduled per second", "measured from the scheduled start of the transaction", "Of 18000 scheduled transactions, 54 were not sent",
		"besteffort did not keep up: 54 of 6,000 scheduled transactions", "throughput only shows which arm cannot keep up", "<td>commit</td>",
	} {
		if !strings.Contains(whole.String(), want) {
			t.Errorf("the page lacks %q; warnings %q", want, doc.Warnings)
		}
	}
	if strings.Contains(whole.String(), "closed loop") {
		t.Error("the page speaks of a closed loop")
	}
}
