package report

import (
	"strings"
	"testing"
)

// TestProbesSentence: the first trials are the watched ones. A second that is 25 % faster means
// that the probes take 20 %.
func TestProbesSentence(t *testing.T) {
	f := NoiseFloor{Rounds: 8, Probes: true, EffectPercent: 25, Interval: &[2]Number{0, 100}}
	doc := &Document{Arms: []Arm{{Name: "bare", Baseline: true}}}
	if got, want := doc.noiseSentence(&f), "Cost of the probes: 20 % [0, 50] of the throughput of bare (95 % interval, 8 rounds). All arms were compared with the probes on."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestAlarmSaysWhichVerdictsStand: the report's first sentence can have a verdict although the baseline differs from
// itself, and the sentence of the check says why.
func TestAlarmSaysWhichVerdictsStand(t *testing.T) {
	f := NoiseFloor{Rounds: 8, Threads: 8, Alarm: true, EffectPercent: -4, Interval: &[2]Number{-5, -3}}
	doc := &Document{Arms: []Arm{{Name: "a", Threads: 8, Baseline: true}, {Name: "b", Threads: 8}}, Contrasts: []Contrast{{Arm: "b", Baseline: "a", Threads: 8, Verdict: "costs", EffectPercent: -30, Interval: &[2]Number{-31, -29}, Interval90: &[2]Number{-31, -29}}}}
	if got, want := doc.noiseSentence(&f), "stands only if its interval lies beyond this difference: that on b does."; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q at the end", got, want)
	}
	doc.Contrasts[0].Verdict = "inconclusive"
	if got, want := doc.noiseSentence(&f), "lies beyond this difference: none does."; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q at the end", got, want)
	}
}

// TestEventsOfOneArm: a run that compares nothing says where its result is, in the list of runs in every language.
func TestEventsOfOneArm(t *testing.T) {
	doc := &Document{Arms: []Arm{{Name: "a"}}, Events: []Event{{Arm: "a"}}}
	said := doc.headline()
	if len(said) != 1 || !strings.Contains(said[0], "its result is what the events cost") {
		t.Fatal(said)
	}
	if zh := Answers(RunInfo{}, said[0], nil)["zh"]; !strings.Contains(zh, "事件") {
		t.Error(zh)
	}
}
