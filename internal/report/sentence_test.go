package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/report/language"
)

// TestTakenBackIsSaid: where the interval alone would bear a verdict, the sentence does
// not claim that it holds "none", and says what took the verdict back, in every language.
func TestTakenBackIsSaid(t *testing.T) {
	c := Contrast{
		Arm: "pod", Baseline: "bare", Verdict: "inconclusive", Rounds: 9, EffectPercent: -47.8,
		Interval: &[2]Number{-51.1, -44.3}, Interval90: &[2]Number{-50.5, -45}, Reason: "something changed during the run",
	}
	doc := &Document{Run: RunInfo{MarginPercent: 1}, Contrasts: []Contrast{c}}
	for _, l := range language.All() {
		s := doc.InLanguage(l).sentence(&c)
		for _, want := range []string{"44.3", "51.1", c.Reason} {
			if !strings.Contains(s, want) {
				t.Errorf("%q lacks %q", s, want)
			}
		}
	}
	if s := doc.sentence(&c); !strings.Contains(s, "no verdict") || strings.Contains(s, "none") {
		t.Errorf("%q", s)
	}
	c.Interval, c.Interval90 = &[2]Number{-51.1, 2}, &[2]Number{-50.5, 1.5}
	if s := doc.sentence(&c); !strings.Contains(s, "inconclusive") {
		t.Errorf("%q", s)
	}
}

// TestLevelsAreOneSentence: levels of the load with the same verdict are told together, each
// with its cost; one with another verdict, or with a reason of its own, is told alone.
func TestLevelsAreOneSentence(t *testing.T) {
	level := func(arm, verdict string, threads int, effect, half float64) Contrast {
		n := func(x float64) Number { return Number(x) }
		c := Contrast{
			Arm: arm, Baseline: "bare", Threads: threads, Verdict: verdict, Rounds: 9, EffectPercent: n(effect),
			Interval: &[2]Number{n(effect - half), n(effect + half)}, Interval90: &[2]Number{n(effect - 0.8*half), n(effect + 0.8*half)},
			Sentence: "alone",
		}
		if verdict == "inconclusive" {
			c.NewRun = &NewRun{Rounds: 10 * threads, Probability: 0.8, Rounds50: 5 * threads, Rounds95: 20 * threads}
		}
		return c
	}
	doc := &Document{
		Run:  RunInfo{MarginPercent: 5},
		Arms: []Arm{{Name: "bare", Baseline: true, Threads: 4}, {Name: "bare", Baseline: true, Threads: 16}, {Name: "bare", Baseline: true, Threads: 64}},
		Contrasts: []Contrast{
			level("slow", "costs", 4, -20, 2), level("slow", "costs", 16, -30, 3), level("slow", "inconclusive", 64, -4, 10),
			level("fast", "gains", 4, 20, 2), level("fast", "gains", 16, 30, 3), level("fast", "gains", 64, 40, 4),
			level("same", "equivalent", 4, 1, 2), level("same", "equivalent", 64, -1, 2), level("same", "within-margin", 16, -3, 1),
			level("unclear", "inconclusive", 4, -4, 10), level("unclear", "inconclusive", 16, 4, 10),
			level("unsettled", "costs", 4, -6, 2), level("unsettled", "costs", 16, -6, 2),
			level("reason", "inconclusive", 4, -20, 2), level("reason", "inconclusive", 16, -20, 2),
		},
	}
	doc.Contrasts[11].PastMargin, doc.Contrasts[12].PastMargin = "unsettled", "unsettled"
	want := []VerdictSentence{
		{"costs", "slow is slower than bare: 20.0 % (18.0 to 22.0) at 4 threads and 30.0 % (27.0 to 33.0) at 16 threads (95 % intervals, 9 rounds; margin 5 %)."},
		{"inconclusive", "alone"},
		{"gains", "fast is faster than bare: 20.0 % (18.0 to 22.0) at 4 threads, 30.0 % (27.0 to 33.0) at 16 threads and 40.0 % (36.0 to 44.0) at 64 threads (95 % intervals, 9 rounds; margin 5 %)."},
		{"equivalent", "same and bare are equivalent. The cost is -1.0 % (-2.6 to 0.6) at 4 threads and 1.0 % (-0.6 to 2.6) at 64 threads (90 % intervals, 9 rounds), which is within the margin of 5 %."},
		{"within-margin", "alone"},
		{"inconclusive", "unclear compared with bare: inconclusive. The cost is 4 % (-6 to 14) at 4 threads and -4 % (-14 to 6) at 16 threads (95 % intervals, 9 rounds; margin 5 %). For the level that needs most rounds, a new run of 160 rounds gives a verdict with a probability of 80 %. With 80 rounds it is 50 %. For 95 %, 320 rounds are needed."},
		{"costs", "alone"}, {"costs", "alone"},
		{"inconclusive", "alone"}, {"inconclusive", "alone"},
	}
	if diff := cmp.Diff(want, doc.Verdicts()); diff != "" {
		t.Error(diff)
	}
}

// TestLevelsOfTwoRunsAreOneSentence: as TestLevelsAreOneSentence, in a comparison of two runs.
func TestLevelsOfTwoRunsAreOneSentence(t *testing.T) {
	level := func(arm, verdict string, threads int, effect, half float64) Contrast {
		lo, hi := Number(effect-half), Number(effect+half)
		return Contrast{Arm: arm, Threads: threads, Verdict: verdict, Rounds: 6, EffectPercent: Number(effect), Interval: &[2]Number{lo, hi}, Interval90: &[2]Number{lo, hi}, Sentence: "alone"}
	}
	s := &Sessions{MarginPercent: 5, Contrasts: []Contrast{
		level("pod", "costs", 4, -20, 2), level("pod", "costs", 16, -30, 3), level("pod", "inconclusive", 64, -4, 10),
		level("bare", "gains", 4, 20, 2), level("bare", "gains", 16, 30, 3),
		level("same", "equivalent", 4, 1, 2), level("same", "equivalent", 16, -1, 2),
		level("within", "costs", 4, -6, 2), level("within", "within-margin", 16, -3, 1),
		{Arm: "none", Threads: 4, Verdict: "invalid", Sentence: "alone"}, {Arm: "none", Threads: 16, Verdict: "invalid", Sentence: "alone"},
	}}
	want := []VerdictSentence{
		{"costs", "pod: the later run is slower: 20.0 % (18.0 to 22.0) at 4 threads and 30.0 % (27.0 to 33.0) at 16 threads (95 % intervals, at least 6 trials each)."},
		{"inconclusive", "alone"},
		{"gains", "bare: the later run is faster: 20.0 % (18.0 to 22.0) at 4 threads and 30.0 % (27.0 to 33.0) at 16 threads (95 % intervals, at least 6 trials each)."},
		{"equivalent", "same: equivalent within 5 %. The cost of the later run is -1.0 % (-3.0 to 1.0) at 4 threads and 1.0 % (-1.0 to 3.0) at 16 threads (90 % intervals, at least 6 trials each)."},
		{"costs", "alone"}, {"within-margin", "alone"},
		{"invalid", "alone"}, {"invalid", "alone"},
	}
	if diff := cmp.Diff(want, s.Verdicts()); diff != "" {
		t.Error(diff)
	}
}

// TestBusyMachineIsSaid: the first screen says what others used of the machine, from a twentieth on.
func TestBusyMachineIsSaid(t *testing.T) {
	for _, c := range []struct {
		others *OthersCPU
		want   []string
	}{
		{nil, nil},
		{&OthersCPU{Processes: 0.049, Steal: Unknown()}, nil},
		{&OthersCPU{Processes: 0.73, Steal: Unknown()}, []string{"Other processes used 73 %"}},
		{&OthersCPU{Processes: 0.05, Steal: 0.2}, []string{"Other processes used 5 %", "gave 20 %"}},
	} {
		doc := &Document{Run: RunInfo{OthersCPU: c.others}, Contrasts: []Contrast{{Verdict: "costs", Sentence: "the verdict"}}}
		lines := doc.headline()[1:]
		if len(lines) != len(c.want) {
			t.Fatalf("%+v: %q", c.others, lines)
		}
		for i, want := range c.want {
			if !strings.Contains(lines[i], want) {
				t.Errorf("%q lacks %q", lines[i], want)
			}
		}
	}
}

// TestGainWithoutInterval: more throughput is said to be faster, not to be a cost below zero.
func TestGainWithoutInterval(t *testing.T) {
	c := Contrast{Arm: "pod", Baseline: "bare", Threads: 1, Verdict: "inconclusive", Rounds: 2, EffectPercent: 105.9, Reason: "2 rounds are too few"}
	doc := &Document{
		Run: RunInfo{MarginPercent: 1}, Contrasts: []Contrast{c},
		Arms: []Arm{{Name: "bare", Threads: 1, ThroughputMean: 500}, {Name: "pod", Threads: 1, ThroughputMean: 1000}},
	}
	if s := doc.sentence(&c); !strings.Contains(s, "105.9 % faster in 2 rounds, without an interval") {
		t.Errorf("%q", s)
	}
	if s := doc.InLanguage(language.All()[1]).sentence(&c); !strings.Contains(s, "快 105.9%") {
		t.Errorf("%q", s)
	}
	// An arm may be slower by the rounds of both and faster over its own: what is shown with a cost are the figures that give it.
	c.EffectPercent, c.ArmThroughput, c.BaselineThroughput, c.Rounds = -20, 800, 1000, 3
	doc.Arms[0].ThroughputMean, doc.Arms[1].ThroughputMean = 1391, 1443
	if s := doc.sentence(&c); !strings.HasPrefix(s, "pod: 800.0 transactions/s; bare: 1,000 transactions/s (in the rounds compared); cost 20.0 % in 3 rounds, without an interval") {
		t.Errorf("%q", s)
	}
}

// TestRoundsOfTheFamily: a verdict of one of six contrasts needs as many rounds as the sign-flip test of six.
func TestRoundsOfTheFamily(t *testing.T) {
	c := Contrast{
		Arm: "pod", Baseline: "bare", Threads: 1, Verdict: "inconclusive", Rounds: 2, Joint: joint("throughput", 6), EffectPercent: -84.2, IntervalKind: "paired-t-bonferroni",
		Interval: &[2]Number{-84.6, -83.8}, Interval90: &[2]Number{-84.5, -83.9},
	}
	doc := &Document{Run: RunInfo{MarginPercent: 1}, Contrasts: []Contrast{c}}
	if s := doc.sentence(&c); !strings.Contains(s, "a verdict needs 8 rounds") {
		t.Errorf("%q", s)
	}
}
