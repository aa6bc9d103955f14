package stats

import (
	"math"
	"testing"
)

// TestLeaveOneOut compares the last of six points with what the other five predict by hand.
func TestLeaveOneOut(t *testing.T) {
	x, y := []float64{1, 2, 3, 4, 5, 6}, []float64{1.1, 1.9, 3.2, 3.9, 5.1, 9}
	all := LeaveOneOut(x, y, nil)
	near(t, "prediction", all[5].Predicted, 6.04, 1e-9)
	// By hand: slope 1, mean 3.04 at 3; residuals .06, -.14, .16, -.14, .06 with a sum of
	// squares of .072; t = 2.96/sqrt(.024*(1+1/5+9/10)).
	near(t, "p", all[5].P, tTwoSided(2.96/math.Sqrt(0.024*2.1), 3), 1e-9)
	equal := []float64{2, 2, 2, 2, 2, 2}
	if got := LeaveOneOut(x, y, equal); math.Abs(got[5].P-all[5].P) > 1e-12 {
		t.Errorf("equal weights change p: %v", got[5])
	}
	if got := LeaveOneOut(x[:3], y[:3], nil); !math.IsNaN(got[0].P) {
		t.Errorf("three points: %v", got)
	}
	if got := LeaveOneOut([]float64{1, 1, 1, 1, 1}, y[:5], nil); !math.IsNaN(got[0].P) || OutlyingPoints([]float64{1, 1, 1, 1, 1}, y[:5], nil, 2, 0.05) != nil {
		t.Errorf("one x: %v", got)
	}
	// Without a line: the mean of the others, 3.04; their squares about it add up to 10.072.
	mean := LeaveOneOut(nil, y, nil)[5]
	near(t, "mean", mean.Predicted, 3.04, 1e-9)
	near(t, "p of the mean", mean.P, tTwoSided(5.96/math.Sqrt(10.072/4*1.2), 4), 1e-9)
	near(t, "slope", LineSlope(x[:5], y[:5], nil), 1, 1e-9)
}

// TestOutlyingPointsHide: of two outliers next to each other, leaving out one finds none.
func TestOutlyingPointsHide(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 9.1}
	y := []float64{1.02, 1.97, 3.04, 3.98, 5.01, 6.03, 6.96, 8.02, 5, 5.1}
	if got := OutlyingPoints(x, y, nil, 1, 0.05); len(got) != 0 {
		t.Errorf("one at a time finds %v: the points are too easy", got)
	}
	got := OutlyingPoints(x, y, nil, 2, 0.05)
	if len(got) != 2 || got[0].Index+got[1].Index != 17 {
		t.Errorf("%v", got)
	}
	if got := OutlyingPoints(x[:8], y[:8], nil, 2, 0.05); len(got) != 0 {
		t.Errorf("on the line: %v", got)
	}
}

// TestMedianInterval compares with the table of the sign test: 6 values need the whole
// range, and of 9 the second smallest and largest cover 96.1 %.
func TestMedianInterval(t *testing.T) {
	x := []float64{3, 1, 2, 6, 5, 4}
	if lo, hi := MedianInterval(x, 0.05); lo != 1 || hi != 6 {
		t.Errorf("of six: %v, %v", lo, hi)
	}
	if lo, hi := MedianInterval(append(x, 9, 8, 7), 0.05); lo != 2 || hi != 8 {
		t.Errorf("of nine: %v, %v", lo, hi)
	}
	if lo, _ := MedianInterval(x[:5], 0.05); !math.IsNaN(lo) {
		t.Errorf("of five values: %v", lo)
	}
	if lo, _ := MedianInterval([]float64{1, 2, math.NaN(), 3, 4, 5, 6}, 0.05); !math.IsNaN(lo) {
		t.Errorf("of what is not known: %v", lo)
	}
}
