package report

import "testing"

// TestProbesSentence: the first trials are the watched ones. A second that is 25 % faster means
// that the probes take 20 %.
func TestProbesSentence(t *testing.T) {
	f := NoiseFloor{Rounds: 8, Probes: true, EffectPercent: 25, Interval: &[2]Number{0, 100}}
	doc := &Document{Arms: []Arm{{Name: "bare", Baseline: true}}}
	if got, want := doc.noiseSentence(&f), "Cost of the probes: 20 % [0, 50] of the throughput of bare (95 % interval, 8 rounds). All arms were compared with the probes on."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
