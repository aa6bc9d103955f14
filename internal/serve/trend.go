// The runs of one experiment, one after another: what every arm cost in each.

package serve

import (
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/report/chart"
)

// trend is the page of an experiment.
type trend struct {
	Version, Experiment string
	Runs                []trendRun
	Charts              []trendChart
}

// trendRun is a row of the table; Cells are in the order of the charts.
type trendRun struct {
	Name, Plan string
	Started    time.Time
	Cells      []trendCell
}

// trendCell is what an arm cost in a run; Text is "" where it was not measured.
type trendCell struct{ Text, Verdict string }

// trendChart is one arm at one level of the load, of runs whose costs can be compared: against the same
// baseline, of the same metric and under the same workload. Where an arm has several charts, Under says
// which it is.
type trendChart struct {
	Arm     string
	Threads int
	Under   string

	baseline, metric, workload string
	Picture                    template.HTML
	points                     []chart.TrendPoint
}

// ofExperiment are the finished runs of an experiment that have an effect, the earliest
// first. Experiments are told by their name: the plan differs with every setting.
func ofExperiment(runs []Summary, name string) []Summary {
	var found []Summary
	for _, s := range runs {
		if s.State == "finished" && s.Run.Name == name && len(s.Intervals) > 0 {
			found = append(found, s)
		}
	}
	slices.SortStableFunc(found, func(a, b Summary) int { return a.Started().Compare(b.Started()) })
	return found
}

// showTrend answers for the experiment that the address names.
func (s *server) showTrend(w http.ResponseWriter, r *http.Request) error {
	runs, err := s.list.runs()
	if err != nil {
		return err
	}
	name := r.URL.Query().Get("experiment")
	found := ofExperiment(runs, name)
	if len(found) == 0 {
		return refused{http.StatusNotFound, "fault.experiment", []string{"experiment", name}}
	}
	t := trendOf(found)
	t.Version, t.Experiment = s.Version, name
	s.page(w, r, http.StatusOK, "trend.tmpl", func(string) any { return t })
	return nil
}

// trendOf lays out runs of one experiment. A run that lacks an arm leaves its place in
// the arm's chart empty, so that a number is the same run in all of them.
func trendOf(runs []Summary) trend {
	var t trend
	margin := 0.0
	for _, s := range runs {
		margin = float64(s.Run.MarginPercent) // that of the latest run
		for _, i := range s.Intervals {
			if !slices.ContainsFunc(t.Charts, func(c trendChart) bool { return c.holds(s, i) }) {
				t.Charts = append(t.Charts, trendChart{Arm: i.Arm, Threads: i.Threads, baseline: i.Baseline, metric: i.Metric, workload: s.Run.Workload})
			}
		}
	}
	for k := range t.Charts {
		t.Charts[k].name(t.Charts)
	}
	for n, s := range runs {
		row := trendRun{Name: s.Name, Plan: s.Run.PlanHash, Started: s.Started()}
		for k := range t.Charts {
			point, cell := t.Charts[k].of(n+1, s)
			t.Charts[k].points = append(t.Charts[k].points, point)
			row.Cells = append(row.Cells, cell)
		}
		t.Runs = append(t.Runs, row)
	}
	for k := range t.Charts {
		c := &t.Charts[k]
		c.Picture = chart.Trend(fmt.Sprintf("%s, %d%s", c.Arm, c.Threads, c.Under), margin, c.points)
	}
	return t
}

// holds says whether a run's interval is a point of the chart.
func (c trendChart) holds(s Summary, i Interval) bool {
	return c.Arm == i.Arm && c.Threads == i.Threads && c.baseline == i.Baseline && c.metric == i.Metric && c.workload == s.Run.Workload
}

// name tells the chart from others of its arm.
func (c *trendChart) name(all []trendChart) {
	alike := 0
	for _, o := range all {
		if o.Arm == c.Arm && o.Threads == c.Threads {
			alike++
		}
	}
	if alike > 1 {
		c.Under = fmt.Sprintf(" (%s, %s, %s)", c.baseline, c.metric, c.workload)
	}
}

// of is the chart's point and the table's cell of a run.
func (c *trendChart) of(number int, s Summary) (chart.TrendPoint, trendCell) {
	at := slices.IndexFunc(s.Intervals, func(i Interval) bool { return c.holds(s, i) })
	if at < 0 {
		return chart.TrendPoint{Cost: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}, trendCell{}
	}
	i := s.Intervals[at]
	lo, hi := i.costBounds()
	text := costText(i)
	return chart.TrendPoint{
		Cost: i.cost(), Lo: lo, Hi: hi, Verdict: i.Verdict,
		Link: "/runs/" + url.PathEscape(s.Name) + "/", Text: fmt.Sprintf("%d. %s: %s", number, s.Name, text),
	}, trendCell{text, i.Verdict}
}
