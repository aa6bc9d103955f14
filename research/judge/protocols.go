package main

// This file compares runs by slices with runs by windows (research/protocols.sh).

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/stats"
)

// measuredBy is what the runs of one protocol measured: log-ratios of the rounds by arm, and the seconds that a round
// and an arm took, of each run.
type measuredBy struct {
	logs    map[string][]float64
	seconds []float64
}

func (m *measuredBy) add(doc *report.Document) error {
	for _, c := range doc.Contrasts {
		m.logs[c.Arm] = append(m.logs[c.Arm], logRatios(c)...)
	}
	if doc.Run.Started == nil || doc.Run.Finished == nil || doc.Run.RoundsComplete == 0 {
		return fmt.Errorf("run %s is not finished", doc.Run.Name)
	}
	m.seconds = append(m.seconds, doc.Run.Finished.Sub(*doc.Run.Started).Seconds()/float64(doc.Run.RoundsComplete)/float64(len(doc.Arms)))
	return nil
}

// protocols: the protocols agree, and a quota without a lead-in comes out wrong by more than ten points.
func protocols(out io.Writer, dir string) (bool, error) {
	by := map[string]*measuredBy{}
	for _, kind := range []string{"slices", "windows"} {
		runs, err := results(dir, "*-"+kind+"-*.json")
		if err != nil {
			return false, err
		}
		by[kind] = &measuredBy{logs: map[string][]float64{}}
		for _, doc := range runs {
			if err := by[kind].add(doc); err != nil {
				return false, err
			}
		}
	}
	shown := true
	var s, w spread
	for _, arm := range slices.Sorted(maps.Keys(by["slices"].logs)) {
		x, y := by["slices"].logs[arm], by["windows"].logs[arm]
		if len(x) < 2 || len(y) < 2 {
			fmt.Fprintf(out, "%s: not measured by both\n", arm)
			continue
		}
		s.add(x)
		w.add(y)
		d := welch(x, y, 1)
		shown = shown && d.agrees()
		fmt.Fprintf(out, "%s: slices %s, SD of a round %.1f %%; windows %s, SD of a round %.1f %%; difference %s %s\n", arm, estimate(x), 100*stats.SD(x),
			estimate(y), 100*stats.SD(y), d, either(d.agrees(), "agree within 10 %", "NOT SHOWN TO AGREE within 10 %"))
	}
	wrong, err := withoutLeadIn(out, dir, by["slices"].logs["quota"])
	if err != nil {
		return false, err
	}
	machineTime(out, s, w, by)
	return shown && wrong, nil
}

// withoutLeadIn compares the quota of runs without a lead-in with that of the others.
func withoutLeadIn(out io.Writer, dir string, with []float64) (wrong bool, err error) {
	runs, err := results(dir, "*-no-lead-in.json")
	if err != nil {
		return false, err
	}
	wrong = true
	for _, doc := range runs {
		for _, c := range doc.Contrasts {
			if c.Arm != "quota" || len(with) == 0 {
				continue
			}
			without := stats.Percent(stats.Mean(logRatios(c)))
			off := without - stats.Percent(stats.Mean(with))
			fmt.Fprintf(out, "quota without a lead-in: %.1f %%, %.1f points off; more than 10 expected\n", without, off)
			wrong = wrong && math.Abs(off) > 10
		}
	}
	return wrong, nil
}

// spread is a variance that is pooled over arms, with its degrees of freedom.
type spread struct{ sum, df float64 }

func (s *spread) add(x []float64) {
	df := float64(len(x) - 1)
	s.sum, s.df = s.sum+stats.Variance(x)*df, s.df+df
}

func (s spread) variance() float64 { return s.sum / s.df }

// machineTime prints what windows need for an interval of ±1 %, as a multiple of what slices need: rounds grow with the
// variance. Its interval is that of a ratio of variances (F distribution).
func machineTime(out io.Writer, s, w spread, by map[string]*measuredBy) {
	if s.df == 0 || w.df == 0 {
		return
	}
	long, short := stats.Mean(by["windows"].seconds), stats.Mean(by["slices"].seconds)
	ratio := w.variance() * long / (s.variance() * short)
	f := distuv.F{D1: s.df, D2: w.df}
	fmt.Fprintf(out, "machine time to ±1 %%, windows by slices: %.1f [%.1f, %.1f] (%.0f and %.0f degrees of freedom; %.1f s and %.1f s an arm and round)\n",
		ratio, ratio*f.Quantile(0.025), ratio*f.Quantile(0.975), s.df, w.df, short, long)
}
