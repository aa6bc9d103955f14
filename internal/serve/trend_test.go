package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/report"
)

// summary is a finished run of experiment e in which arm a cost as much, in %.
func summary(name string, day int, cost float64) Summary {
	started := time.Date(2026, 5, day, 0, 0, 0, 0, time.UTC)
	return Summary{
		Name: name, State: "finished", Run: report.RunInfo{Name: "e", Started: &started, PlanHash: "0123456789"},
		Intervals: []Interval{{Arm: "a", Threads: 8, Effect: -cost, Bounds: &[2]float64{-cost - 1, -cost + 1}, Verdict: "costs"}},
	}
}

// TestTrend: the runs of one experiment stand from the earliest to the latest, those
// without a result are left out, and an arm that a run lacks leaves its place empty.
func TestTrend(t *testing.T) {
	late, early, other, sealed := summary("late", 9, 30), summary("early", 2, 20), summary("other", 3, 1), summary("sealed", 4, 1)
	other.Run.Name, sealed.State = "f", "unfinished"
	late.Intervals = append(late.Intervals, Interval{Arm: "b", Threads: 8, Effect: 5, Verdict: "inconclusive"})
	runs := []Summary{late, sealed, other, early}
	found := ofExperiment(runs, "e")
	if len(found) != 2 || found[0].Name != "early" || found[1].Name != "late" {
		t.Fatalf("%+v", found)
	}
	got := trendOf(found)
	if len(got.Charts) != 2 || strings.Count(string(got.Charts[0].Picture), "<circle") != 2 || strings.Count(string(got.Charts[1].Picture), "<circle") != 1 {
		t.Errorf("%+v", got.Charts)
	}
	want := [][]trendCell{
		{{"20.0 % [19.0, 21.0]", "costs"}, {}},
		{{"30.0 % [29.0, 31.0]", "costs"}, {"-5.0 %", "inconclusive"}},
	}
	for i, row := range got.Runs {
		if diff := cmp.Diff(want[i], row.Cells); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff(map[string]int{"e": 2}, trendsOf(runs)); diff != "" {
		t.Error(diff)
	}
}

// TestTrendOfOtherBaselines: costs against another baseline or under another workload are a chart of their own.
func TestTrendOfOtherBaselines(t *testing.T) {
	first, second, third := summary("first", 1, 20), summary("second", 2, 30), summary("third", 3, 2)
	third.Intervals[0].Baseline = "another"
	got := trendOf([]Summary{first, second, third})
	if len(got.Charts) != 2 || strings.Count(string(got.Charts[0].Picture), "<circle") != 2 || strings.Count(string(got.Charts[1].Picture), "<circle") != 1 ||
		!strings.Contains(got.Charts[1].Under, "another") {
		t.Errorf("%+v", got.Charts)
	}
}

// TestTrendPage: the list leads to the trend of an experiment that was run twice, the
// page draws both runs, and there is none of an experiment that nobody ran.
func TestTrendPage(t *testing.T) {
	dir := folder(t, "demo", "layers", "unfinished")
	if err := os.CopyFS(filepath.Join(dir, "demo & again"), os.DirFS(filepath.Join(dir, "demo"))); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "fix#12?"), os.DirFS(filepath.Join(dir, "layers"))); err != nil {
		t.Fatal(err)
	}
	s := start(t, Options{Dir: dir})
	_, list, _ := get(t, s.URL+"/")
	if !strings.Contains(list, `<a href="/runs/fix%2312%3F/">`) {
		t.Error("the list has no link to the run fix#12?")
	}
	if n := strings.Count(list, `href="/trend?experiment=qos-on-two-cores"`); n != 2 || strings.Contains(list, "experiment=layers") {
		t.Errorf("%d links to the trend of the demo in\n%s", n, list)
	}
	status, page, _ := get(t, s.URL+"/trend?experiment=qos-on-two-cores")
	for _, want := range []string{"Trend of qos-on-two-cores", `<a href="/runs/demo%20&amp;%20again/">`, "<td class=\"n\">2</td>", "besteffort"} {
		if status != 200 || !strings.Contains(page, want) {
			t.Errorf("status %d, the page lacks %q", status, want)
		}
	}
	for _, path := range []string{"/trend?experiment=nobody", "/trend"} {
		if status, _, _ := get(t, s.URL+path); status != 404 {
			t.Errorf("%s: status %d", path, status)
		}
	}
}

// TestTickedRuns: of two ticked runs the earlier is the one before, in whatever order
// the browser sends them.
func TestTickedRuns(t *testing.T) {
	dir := folder(t, "demo", "layers")
	s := start(t, Options{Dir: dir})
	_, one, _ := get(t, s.URL+"/compare?run=demo&run=layers")
	_, two, _ := get(t, s.URL+"/compare?run=layers&run=demo")
	if one != two || !strings.Contains(one, "compared with") {
		t.Error("the order of the ticks decides which run is the one before")
	}
}
