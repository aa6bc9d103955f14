package report_test

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
)

// secondsOf is a trial of so many seconds that answers n requests of a millisecond in
// each, and one of a second in second slow.
func secondsOf(seconds, n, slow int) *record.Trial {
	t := &record.Trial{Header: record.Header{Arm: "pod", Threads: 8}}
	for s := 1; s <= seconds; s++ {
		var counts [record.CoarseBuckets]int64
		counts[record.CoarseBucket(1e6)] = int64(n)
		if s == slow {
			counts[record.CoarseBucket(1e9)] = 1
		}
		t.Intervals = append(t.Intervals, record.Interval{End: float64(s), Length: 1, Warmup: s <= 5, Coarse: record.NewCoarse(counts[:])})
	}
	return t
}

func totalOf(a report.HeatArm) (n int64) {
	for _, c := range a.Columns {
		if c != nil {
			for _, v := range c.Counts {
				n += v
			}
		}
	}
	return n
}

// However long a trial is, every request of it is in a column, and one slow request
// among thousands stands where it was.
func TestHeatKeepsEveryRequest(t *testing.T) {
	for _, seconds := range []int{1, 25, report.MostColumns, report.MostColumns + 1, 1000, 86_400} {
		slow := seconds/2 + 1
		res := &compare.Result{Arms: []compare.Arm{{Name: "pod", Threads: 8, Trials: []*record.Trial{secondsOf(seconds, 20, slow), secondsOf(seconds, 20, 0)}}}}
		h := report.HeatOf(res)
		if len(h.Arms) != 1 || len(h.Ends) > report.MostColumns || len(h.Arms[0].Columns) != len(h.Ends) {
			t.Fatalf("%d seconds: %d arms, %d columns", seconds, len(h.Arms), len(h.Ends))
		}
		if got, want := totalOf(h.Arms[0]), int64(2*20*seconds+1); got != want {
			t.Errorf("%d seconds: %d requests, want %d", seconds, got, want)
		}
		if last := h.Ends[len(h.Ends)-1]; float64(last) < float64(seconds) {
			t.Errorf("%d seconds: the columns end at %v", seconds, last)
		}
		for k, c := range h.Arms[0].Columns {
			from, to := 0.0, float64(h.Ends[k])
			if k > 0 {
				from = float64(h.Ends[k-1])
			}
			has := c.First+len(c.Counts)-1 == record.CoarseBucket(1e9)
			if want := float64(slow) > from && float64(slow) <= to; has != want {
				t.Errorf("%d seconds: column %v to %v has the slow request: %v", seconds, from, to, has)
			}
		}
		if seconds > 5 && h.Warmup != 5 {
			t.Errorf("%d seconds: the warm-up ends at %v", seconds, h.Warmup)
		}
	}
}

// Older records and other engines do not tell; a sealed run must not.
func TestHeatWithoutCounts(t *testing.T) {
	for _, name := range []string{"layers", "imported", "unfinished"} {
		if h := open(t, name).Heat; len(h.Arms) > 0 {
			t.Errorf("%s: %d arms", name, len(h.Arms))
		}
	}
	res := &compare.Result{Sealed: true, Arms: []compare.Arm{{Name: "pod", Trials: []*record.Trial{secondsOf(9, 1, 0)}}}}
	if h := report.HeatOf(res); len(h.Arms) > 0 {
		t.Error("a sealed run shows its arms")
	}
}

func TestHeatTable(t *testing.T) {
	res := &compare.Result{Arms: []compare.Arm{{Name: "pod", Threads: 8, Trials: []*record.Trial{secondsOf(20, 2000, 20)}}}}
	doc := &report.Document{Heat: report.HeatOf(res), Arms: []report.Arm{{Name: "pod", Threads: 8, Baseline: true}}}
	tables := sectionOf("latency").Tables(doc)
	table := tables[len(tables)-1]
	if len(table.Rows) != 9 { // the warm-up, and 15 seconds in twos
		t.Fatalf("%d rows", len(table.Rows))
	}
	// Ends of buckets of a quarter of an octave: at most, not about.
	for row, want := range map[int]string{
		0: "pod, 0 to 5, 10,000, 1.05, 1.05, 1.05",
		1: "pod, 5 to 7, 4,000, 1.05, 1.05, 1.05",
		8: "pod, 19 to 20, 2,001, 1.05, 1.05, 1,074",
	} {
		var got []string
		for _, c := range table.Rows[row] {
			got = append(got, c.Text)
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("row %d is %s, want %s", row, s, want)
		}
	}
}
