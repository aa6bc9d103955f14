package section

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

func scalingSection() Section {
	return Section{
		ID:       "scaling",
		Shown:    func(d *report.Document) bool { return len(d.Levels()) > 1 && !d.Sealed() },
		Sentence: scalingSentence,
		Figures: []Figure{{
			ID: "fig-scaling", Chart: "scaling",
			Shown: func(d *report.Document) bool { return report.Highest(d) > 0 },
		}},
		Tables: func(d *report.Document) []Table { return []Table{levelTable(d), scalingTable(d)} },
	}
}

func scalingSentence(d *report.Document) string {
	var parts []string
	for _, s := range d.Scalings {
		switch {
		case s.Misfit:
			parts = append(parts, d.Say("scaling.misfit", "arm", s.Arm, "threads", d.Count(s.WorstThreads, "thread"), "rounds", d.Count(s.Rounds, "round"), "size", language.Decimal(math.Abs(float64(s.WorstPercent)), 0)))
		case s.PeakThreads.Known():
			parts = append(parts, d.Say("scaling.peak", "arm", s.Arm, "n", language.Decimal(float64(s.PeakThreads), 0), "rounds", d.Count(s.Rounds, "round")))
		default:
			parts = append(parts, d.Say("scaling.grows", "arm", s.Arm))
		}
	}
	if len(parts) == 0 {
		return d.Say("scaling.few", "levels", d.Count(len(d.Levels()), "level"))
	}
	return d.Language().List("clauses", append(parts, kneeClauses(d)...)) + d.Say("end")
}

// Knees are sentences about the saturation of the arms, one each; none in a run with fewer levels than the USL needs.
func Knees(d *report.Document) (all []string) {
	for _, clause := range kneeClauses(d) {
		all = append(all, clause+d.Say("end"))
	}
	return all
}

func kneeClauses(d *report.Document) (all []string) {
	for _, s := range d.Scalings {
		slots := []string{"arm", s.Arm, "rounds", d.Count(s.Rounds, "round")}
		switch k := s.Knee; {
		case k.State == string(compare.KneeFound):
			all = append(all, d.Say("scaling.knee", append(slots, "n", language.Significant(float64(k.Threads)), "in", kneeSpan(d, k))...))
		case k.State == string(compare.KneeNotReached):
			all = append(all, d.Say("scaling.knee-not-reached", append(slots, "threads", d.Count(slices.Max(s.Levels), "thread"))...))
		case k.Why == string(compare.KneePlateau):
			all = append(all, d.Say("scaling.knee-plateau", append(slots, "threads", d.Count(slices.Max(s.Levels), "thread"))...))
		case k.Why == string(compare.KneeQueued):
			all = append(all, d.Say("scaling.knee-queued", append(slots, "threads", d.Count(slices.Min(s.Levels), "thread"))...))
		default:
			all = append(all, d.Say("scaling.knee-rounds", slots...))
		}
	}
	return all
}

// kneeCell is what the table has of a knee.
func kneeCell(d *report.Document, k report.Knee) string {
	switch k.State {
	case string(compare.KneeFound):
		return language.Significant(float64(k.Threads))
	case string(compare.KneeNotReached):
		return d.Say("cell.not-reached")
	}
	return d.Say("cell.not-determined")
}

func kneeSpan(d *report.Document, k report.Knee) string {
	if k.Interval == nil {
		return "-"
	}
	return d.Language().Between(language.Significant(float64(k.Interval[0])), language.Significant(float64(k.Interval[1])))
}

// levelTable is what the chart draws.
func levelTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.levels"), Head: d.Heads("arm", "threads", "mean-unit", "p99", "cost", "in95", "rounds")}
	for i := range d.Arms {
		a := &d.Arms[i]
		mid, in, p99, rounds := "-", "-", "-", "-"
		for k := range d.Contrasts {
			if c := &d.Contrasts[k]; c.Arm == a.Name && c.Threads == a.Threads {
				mid, in, _ = report.CostCells(d.Language(), c)
				rounds = fmt.Sprint(c.Rounds)
			}
		}
		if l := cmp.Or(a.Closed, a.Latency); l != nil { // of the load that the level is
			p99 = dash(l.Percentiles["99"], 2)
		}
		t.Rows = append(t.Rows, []Cell{words(a.Name), number(fmt.Sprint(a.Threads)), number(orDash(a.ThroughputMean)), number(p99), number(mid), number(in), number(rounds)})
	}
	return t
}

func scalingTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.scaling"), Open: true, Head: d.Heads("arm", "one-thread", "sigma", "in95", "kappa", "in95", "peak", "knee", "in95", "rounds", "follows")}
	for _, s := range d.Scalings {
		follows := d.Say("cell.yes")
		if s.Misfit {
			follows = d.Say("cell.off", "size", language.Decimal(float64(s.WorstPercent), 1), "n", fmt.Sprint(s.WorstThreads))
		}
		t.Rows = append(t.Rows, []Cell{
			words(s.Arm), number(report.Rate(s.Lambda)), number(dash(s.Sigma, 4)), number(spanOf(d, s.SigmaInterval, 4)),
			number(dash(s.Kappa, 6)), number(spanOf(d, s.KappaInterval, 6)), number(dash(s.PeakThreads, 0)), number(kneeCell(d, s.Knee)), number(kneeSpan(d, s.Knee)), number(fmt.Sprint(s.Rounds)), words(follows),
		})
	}
	return t
}
