package section

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

func probesSection() Section {
	return Section{
		ID:       "probes",
		Shown:    func(d *report.Document) bool { return len(d.Probes.Series) > 0 },
		Sentence: probesSentence,
		Figures:  []Figure{{ID: "fig-probes", Chart: "probes"}},
		Tables:   func(d *report.Document) []Table { return []Table{probesTable(d)} },
	}
}

func probesSentence(d *report.Document) string {
	metrics := map[string]bool{}
	for _, s := range d.Probes.Series {
		metrics[s.Metric] = true
	}
	said := d.Say("probes.sentence", "metrics", d.Count(len(metrics), "metric"))
	if names := differingMetrics(d); len(names) > 0 {
		most := d.Language().List("list", names[:min(len(names), mostNamed)])
		said += d.Say("join.sentences") + d.Say("probes.differing", "metrics", d.Count(len(names), "metric"), "names", most)
	} else if len(d.Contrasts) > 0 {
		said += d.Say("join.sentences") + d.Say("probes.alike")
	}
	return said
}

// mostNamed of the metrics that differ are named; the page draws as many unasked.
const mostNamed = 3

// differingMetrics are the names of the metrics that differ in any arm, in their order.
func differingMetrics(doc *report.Document) []string {
	var names []string
	for _, p := range doc.Probes.Differing {
		if name := safe.Name(p.Metric); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// probesTable is every metric in the measured windows, a row for each.
func probesTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.probes"), Head: d.Heads("metric", "unit", "help")}
	column := map[[2]string]int{}
	for i := range d.Arms {
		a := &d.Arms[i]
		column[[2]string{a.Name, fmt.Sprint(a.Threads)}] = len(t.Head)
		t.Head = append(t.Head, safe.Name(d.Label(a.Name, a.Threads)))
	}
	row := map[string]int{}
	for _, s := range d.Probes.Series {
		k, seen := row[s.Metric]
		if !seen {
			k = len(t.Rows)
			row[s.Metric] = k
			cells := []Cell{words(s.Metric), words(d.Language().Unit(s.DisplayUnit)), words(d.Language().Metric(s.Metric, s.Help))}
			for range d.Arms {
				cells = append(cells, number("-"))
			}
			t.Rows = append(t.Rows, cells)
		}
		if i, ok := column[[2]string{s.Arm, fmt.Sprint(s.Threads)}]; ok {
			t.Rows[k][i] = number(windowCell(s))
		}
	}
	return t
}

// windowCell is a metric of one arm, or that it is not known.
func windowCell(s report.ProbeSeries) string {
	if !s.Window.Known() {
		return language.UnknownNumber
	}
	return language.Rounded(float64(s.Window) / cmp.Or(s.DisplayPer, 1))
}
