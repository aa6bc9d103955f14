package report

import (
	"strings"
	"testing"
)

// TestTailSentence: an arm whose throughput is equivalent and whose p95 doubles is not said to need
// nothing: its sentence has the percentile. A tail without a verdict, and one of too few rounds, is not
// in it, and neither is one that throughput has said already.
func TestTailSentence(t *testing.T) {
	tail := func(verdict string, cost float64) Tail {
		return Tail{Percentile: "95", CostPercent: Number(cost), CostInterval: &[2]Number{Number(cost - 9), Number(cost + 9)}, Verdict: verdict}
	}
	for name, c := range map[string]struct {
		verdict     string
		exploratory bool
		tail        Tail
		want        string
	}{
		"doubles":           {"equivalent", false, tail("costs", 100), " Its p95 latency is 100.0 % longer (95 % interval 91.0 to 109.0)."},
		"halves":            {"inconclusive", false, tail("gains", -50), " Its p95 latency is 50.0 % shorter (95 % interval 41.0 to 59.0)."},
		"inconclusive":      {"equivalent", false, tail("inconclusive", 5), ""},
		"too few rounds":    {"equivalent", true, tail("costs", 100), ""},
		"costs as well":     {"costs", false, tail("costs", 100), ""},
		"costs, p95 better": {"costs", false, tail("gains", -50), " Its p95 latency is 50.0 % shorter (95 % interval 41.0 to 59.0)."},
	} {
		doc := &Document{Arms: []Arm{{Name: "pod", Threads: 8, Tails: []Tail{c.tail}}}}
		contrast := Contrast{Arm: "pod", Threads: 8, Verdict: c.verdict, Exploratory: c.exploratory, Interval: &[2]Number{-1, 1}}
		if got := doc.tailSentence(&contrast); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if got := doc.slowerTail(&contrast); got != (c.tail.Verdict == "costs" && !c.exploratory) {
			t.Errorf("%s: slower %v", name, got)
		}
	}
}

// TestVerbs: only a change with the verdict costs is said to cost or to take something.
func TestVerbs(t *testing.T) {
	doc := &Document{}
	for _, verdict := range []string{"costs", "gains", "within-margin", "equivalent", "inconclusive"} {
		for _, key := range []string{"neighbour.own", "neighbour.takes", "neighbour.apart"} {
			c := Change95{EffectPercent: -2, Interval: [2]Number{-4.7, 0.8}, Verdict: verdict}
			said := doc.changed(key, &c, "alone", "pod", "base", "bare", "arm", "pod", "peer", "bare")
			if said == "" || strings.Contains(said, "{") {
				t.Errorf("%s, %s: %q", key, verdict, said)
			}
			if claims := strings.Contains(said, " costs ") || strings.Contains(said, " takes "); claims != (verdict == "costs") {
				t.Errorf("%s, %s: %q", key, verdict, said)
			}
		}
	}
}
