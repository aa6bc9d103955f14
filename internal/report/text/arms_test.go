package text

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report"
)

// TestTurnsAreNotCalledSeconds: the slowest point of a series is a turn in a run of slices, and
// the latencies of all arms begin in one column.
func TestTurnsAreNotCalledSeconds(t *testing.T) {
	doc := &report.Document{Protocol: report.Protocol{Kind: "slices"}, Arms: []report.Arm{
		{Name: "bare", Trials: 1, Outcomes: map[string]int{"measured": 1}, ThroughputMean: 2092, ThroughputMin: 1225, ThroughputMax: 2390, Latency: &report.Latency{Percentiles: map[string]report.Number{"95": 5.9}}},
		{Name: "busy", Trials: 1, Outcomes: map[string]int{"measured": 1}, ThroughputMean: 51, ThroughputMin: 0, ThroughputMax: 60, Latency: &report.Latency{Percentiles: map[string]report.Number{"95": 8.8}}},
	}}
	out := newScreen(Options{Width: 100})
	textArms(out, doc)
	var columns []int
	for line := range strings.Lines(out.out.String()) {
		if i := strings.Index(line, "p95 "); i > 0 && strings.Contains(line, " ms") {
			columns = append(columns, i)
		}
	}
	if !strings.Contains(out.out.String(), "slowest to fastest turn") || len(columns) != 2 || columns[0] != columns[1] {
		t.Errorf("the lines of the arms:\n%s", out.out.String())
	}
}

// TestNoMeanOfAnotherLoad: a mean at a fixed rate is not printed beside the throughput of a closed loop.
func TestNoMeanOfAnotherLoad(t *testing.T) {
	a := &report.Arm{Name: "a", Threads: 8, Latency: &report.Latency{Mean: 11.3}}
	for rate, want := range map[float64]bool{0: true, 4.5: false} {
		doc := &report.Document{Arms: []report.Arm{*a}}
		doc.Run.LatencyRate = rate
		if got := tailText(doc, a); strings.Contains(got, "11.3") != want {
			t.Errorf("rate %g: %q", rate, got)
		}
	}
}
