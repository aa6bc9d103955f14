package compare

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestOneServerNeedsNoVerdict: more rounds of one running server against itself lead to no verdict that anybody waits for;
// two servers with the same figures get the number of rounds that would.
func TestOneServerNeedsNoVerdict(t *testing.T) {
	for second, promised := range map[string]bool{"a": false, "b": true} {
		rng := rand.New(rand.NewPCG(7, 5))
		run := fill(planned(t, spec(8, "1%", "bare: {target: external, host: a}", "pod: {target: external, host: "+second+"}")), func(string, int) float64 {
			return 1000 * math.Exp(0.03*rng.NormFloat64())
		})
		res := Run(run)
		if c := res.Contrasts[0]; c.Verdict != Inconclusive || (c.NewRun() != nil) != promised {
			t.Errorf("second server %s: %s, a new run %+v", second, c.Verdict, c.NewRun())
		}
	}
}
