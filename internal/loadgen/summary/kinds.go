package summary

import (
	"fmt"
	"io"

	"github.com/tarebench/tare/internal/workload"
)

// NewOrdersPerMinute is what a TPC-C result counts: new orders in the window, those
// among them that were rolled back as they should (clause 5.4.2). It is no tpmC,
// which only an audited run with keying and think times may be called. Zero where
// the workload has none.
func (r *Summary) NewOrdersPerMinute() float64 {
	var n int64
	for _, k := range r.Kinds {
		if k.Name == workload.NewOrders || k.Name == workload.NewOrders+workload.RolledBack {
			n += k.Histogram.Total()
		}
	}
	return 60 * float64(n) / max(r.Seconds, 1e-9)
}

// kinds prints each kind of transaction, with its share of all.
func (r *Summary) kinds(w io.Writer) {
	if len(r.Kinds) == 0 {
		return
	}
	all := max(r.Latency.Histogram.Total(), 1)
	fmt.Fprintf(w, "\nTransactions (ms):                        count       p50       p99       max     share\n")
	for _, k := range r.Kinds {
		l := k.Latency.Record()
		if l == nil {
			continue
		}
		n := k.Histogram.Total()
		fmt.Fprintf(w, "    %-32s %10d %9.3f %9.3f %9.3f %7.2f %%\n", k.Name, n, l.Percentiles["50"], l.Percentiles["99"], l.Max, 100*float64(n)/float64(all))
	}
	if n := r.NewOrdersPerMinute(); n > 0 {
		fmt.Fprintf(w, "New orders:                          %.0f per minute\n", n)
	}
}
