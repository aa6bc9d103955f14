package serve

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPicture: a slower arm lies to the right of zero as in every chart, on a scale that
// the widest interval fills, and the text says what is drawn.
func TestPicture(t *testing.T) {
	s := Summary{Intervals: []Interval{
		{Arm: "besteffort", Threads: 8, Effect: -45, Bounds: &[2]float64{-50, -40}, Verdict: "costs"},
		{Arm: "guaranteed", Threads: 8, Effect: 5, Verdict: "inconclusive"},
		{Arm: "besteffort", Threads: 64, Effect: 0, Bounds: &[2]float64{-1, 1}, Verdict: "equivalent"},
	}}
	want := &picture{Height: 24, Zero: 60, Text: "besteffort +45.0 % [+40.0, +50.0]; guaranteed -5.0 %; besteffort +0.0 % [-1.0, +1.0]", Rows: []pictureLine{
		{From: 104.8, To: 116, At: 110.4, Y: 4, Verdict: "costs"},
		{From: 54.4, To: 54.4, At: 54.4, Y: 12, Verdict: "inconclusive"},
		{From: 58.9, To: 61.1, At: 60, Y: 20, Verdict: "equivalent"},
	}}
	if diff := cmp.Diff(want, pictureOf(s)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"besteffort", "guaranteed"}, s.Arms()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{8, 64}, s.Levels()); diff != "" {
		t.Error(diff)
	}
	if p := pictureOf(Summary{}); p != nil {
		t.Errorf("a picture of nothing: %+v", p)
	}
}
