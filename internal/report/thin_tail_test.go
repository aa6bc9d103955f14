package report_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// thin is a run of testdata whose trials have so few transactions with a time.
func thin(t *testing.T, name string, transactions int64) *record.Run {
	t.Helper()
	r, err := record.Open(filepath.Join("testdata", "runs", name))
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range r.Trials {
		if w := trial.Window; w != nil && w.Latency != nil && w.Latency.Histogram != nil {
			w.Latency.Histogram.Counts = [][2]int64{{w.Latency.Histogram.Counts[0][0], transactions}}
		}
	}
	return r
}

// TestConditionOnTooFewTransactions: an open condition on a percentile that a trial has too few transactions for says how
// many it needs, how many there were, and how long a trial would have to be; of one run, and of two.
func TestConditionOnTooFewTransactions(t *testing.T) {
	g, err := compare.ParseGate("p99>10%")
	if err != nil {
		t.Fatal(err)
	}
	r := thin(t, "demo", 412)
	res := compare.Run(r)
	said := language.English().Reason(g.OfRun(res, res.Contrasts[0], false).Reasons[0])
	s, err := report.BuildSessions(r, thin(t, "layers", 400), report.SessionsAsked{Gates: []compare.Gate{g}}, "test")
	if err != nil {
		t.Fatal(err)
	}
	for of, c := range map[string]struct{ said, n string }{"one run": {said, "412"}, "two runs": {s.Gates[0].Reason, "400"}} {
		for _, want := range []string{"p99 needs 1,000 transactions in each trial", "had " + c.n + " in ", "s would have enough", "--time"} {
			if !strings.Contains(c.said, want) {
				t.Errorf("%s: no %q in %q", of, want, c.said)
			}
		}
	}
	if !s.Gates[0].Open() {
		t.Errorf("%+v", s.Gates[0])
	}
}
