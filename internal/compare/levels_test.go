package compare

import (
	"math"
	"testing"
)

// TestQueriesOfAnArm: the queries of an arm are as many for each of its transactions as every trial had, whose throughputs
// differ much: a reader divides one figure by the other.
func TestQueriesOfAnArm(t *testing.T) {
	r := fill(planned(t, spec(8, "1%", "bare: {target: process}", "pod: {target: container}")), func(arm string, round int) float64 { return 200 * float64(1+round%5) })
	for _, trial := range r.Trials {
		c := &trial.Window.Counts
		c.Reads, c.Writes, c.Other = 14*c.Transactions, 4*c.Transactions, 2*c.Transactions
	}
	r.Trials[3].Window = nil // its round is not complete
	for _, a := range Run(r).Arms {
		if per := a.Queries / a.Mean; math.Abs(per-20) > 1e-6 {
			t.Errorf("%s: %g queries/s and %g transactions/s, %g queries a transaction", a.Name, a.Queries, a.Mean, per)
		}
	}
}
