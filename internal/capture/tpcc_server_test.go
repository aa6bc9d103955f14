//go:build !race

// TPC-C as production: its five kinds of transaction are found again. Not under the race detector,
// as for the rows that are made first; the Makefile runs it in "filled".
package capture_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/capture"
	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/workload"
)

// tpccTransactions are enough for the history of statements, which holds 10,000, to be read
// several times, and for a kind of 4 % to be seen often.
const tpccTransactions = 3000

// TestCaptureTPCC: the kinds of transaction of TPC-C are recovered from their statements,
// with their weights, though each takes many courses: customers by name or by number, five
// to fifteen lines, one order in a hundred rolled back.
func TestCaptureTPCC(t *testing.T) {
	t.Parallel()
	s := mysqldtest.Start(t, mysqldtest.Flavour(t, mysqld.MySQL), map[string]string{"performance_schema_consumer_events_statements_history_long": "ON"})
	o := workload.Defaults()
	o.Scale, o.Threads = 1, 4
	p, dial := filled(t, s, "tpcc", "tpcc", o)
	var sent *loop.Result
	d, _ := captured(t, s, "tpcc", capture.Options{Name: "tpcc"}, func() {
		var err error
		sent, err = loop.Run(t.Context(), &loop.Job{Program: p, Dial: dial.Dial, Connections: 4, Seed: 1, Events: tpccTransactions, Drain: time.Minute, DialAtOnce: 4,
			Faults: loop.Policy{Ignore: map[uint16]bool{1213: true, 1205: true}, FirstPause: time.Millisecond, LongestPause: time.Second}}, func(loop.Interval) {})
		if err != nil {
			t.Fatal(err)
		}
	})
	// A new order that is rolled back is one kind with the others.
	count := func(kinds ...int) (n float64) {
		for _, k := range kinds {
			n += float64(sent.Window.Kinds[k].Count())
		}
		return n
	}
	want := map[string]float64{"update_district": count(0, 1), "update_warehouse": count(2), "select_customer": count(3), "delete_new_order": count(4), "select_district": count(5)}
	for _, k := range d.Kinds {
		n, is := want[k.Name]
		if !is || math.Abs(k.Share-n/tpccTransactions) > 0.02 || !(k.Mean > 0) {
			t.Errorf("%s is %.1f %% of the transactions, mean %.2f ms; %.0f of %d were sent", k.Name, 100*k.Share, k.Mean, n, tpccTransactions)
		}
	}
	t.Logf("errors by code: %v", sent.Window.Errors)
	if len(d.Kinds) != len(want) || d.CoveredCount < 0.99 || !strings.Contains(string(d.File.Marshal()), "# Coverage: 100.0 % of the statements") {
		t.Errorf("%d kinds, coverage %s: %v", len(d.Kinds), d.Coverage(), d.Kinds)
	}
}
