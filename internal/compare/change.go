package compare

import (
	"math"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// ChangesAt is the end of the last second, since the load began, before the level of
// a trial's throughput changes for good. looked is false where the window is too
// short to tell, at is NaN where no change was found.
func ChangesAt(t *record.Trial) (at float64, looked bool) {
	var ends, tps []float64
	for _, i := range t.Intervals {
		if !i.Warmup && !math.IsNaN(i.Transactions) {
			ends, tps = append(ends, i.End), append(tps, i.Transactions)
		}
	}
	if len(tps) < shortest {
		return math.NaN(), false
	}
	stat, last := stats.SelfNormalised(tps)
	if stat <= stats.SelfNormalised1 || last < 1 || last >= len(ends) {
		return math.NaN(), true
	}
	return ends[last-1], true
}
