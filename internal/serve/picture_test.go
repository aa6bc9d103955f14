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
	want := &picture{Height: 42, Zero: 70, Text: "besteffort 45.0 % [40.0, 50.0]; guaranteed -5.0 %; besteffort 0.0 % [-1.0, 1.0]", Rows: []pictureLine{
		{From: 122.8, To: 136, At: 129.4, Y: 7, Verdict: "costs"},
		{From: 63.4, To: 63.4, At: 63.4, Y: 21, Verdict: "inconclusive"},
		{From: 68.7, To: 71.3, At: 70, Y: 35, Verdict: "equivalent"},
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
