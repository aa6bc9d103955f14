package section

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/safe"
)

func environmentSection() Section {
	return Section{
		ID:       "environment",
		Sentence: func(d *report.Document) string { return d.Scope },
		Tables: func(d *report.Document) []Table {
			t := Table{Caption: d.Say("caption.environment"), Head: d.Heads("fact", "value", "read-from")}
			for _, s := range d.Environment {
				t.Rows = append(t.Rows, []Cell{words(s.Key), words(d.ValueOf("", s.Key, s.Value)), words(s.Source)})
			}
			return []Table{t}
		},
	}
}

func madeSection() Section {
	return Section{
		ID:       "made",
		Sentence: madeSentence,
		Tables: func(d *report.Document) []Table {
			t := Table{Caption: d.Say("caption.made"), Head: d.Heads("fact", "value"), Open: true}
			for _, s := range madeRows(d) {
				t.Rows = append(t.Rows, []Cell{words(s[0]), words(s[1])})
			}
			tables := []Table{t}
			if d.ExperimentYAML != "" {
				tables = append(tables, Table{Caption: d.Say("caption.experiment"), Code: safe.Text(d.ExperimentYAML)})
			}
			return tables
		},
	}
}

func madeSentence(d *report.Document) string {
	if d.Run.Imported {
		return d.Say("made.imported")
	}
	return d.Say("made.sentence")
}

func madeRows(d *report.Document) [][2]string {
	var rows [][2]string
	add := func(key, value string) { rows = append(rows, [2]string{d.Say("made." + key), value}) }
	add("run", d.Run.Name)
	add("by", "tare "+d.Tare)
	add("engine", d.Run.Engine)
	if d.Run.Started != nil {
		add("started", d.Run.Started.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	if d.Run.Started != nil && d.Run.Finished != nil {
		add("took", d.Language().Duration(d.Run.Finished.Sub(*d.Run.Started).Round(time.Second)))
	}
	if d.Run.Imported {
		return rows
	}
	add("plan", d.Run.PlanHash)
	add("seed", d.Run.Seed)
	add("rounds", d.Say("made.rounds.of", "n", fmt.Sprint(d.Run.RoundsComplete), "of", fmt.Sprint(d.Run.RoundsPlanned)))
	add("trials", d.Say("made.trials.of", "n", fmt.Sprint(d.Run.TrialsDone), "of", fmt.Sprint(d.Run.TrialsPlanned)))
	add("window", d.Say("made.window.of", "warmup", report.Trimmed(d.Run.WarmupSeconds), "measure", report.Trimmed(d.Run.MeasureSeconds)))
	add("workload", d.Run.Workload)
	add("margin", d.Say("percent", "x", report.Trimmed(d.Run.MarginPercent)))
	if k := kinds(d); k != "" {
		add("interval", k)
	}
	return rows
}

// kinds names the intervals in words.
func kinds(d *report.Document) string {
	var seen []string
	for _, c := range d.Contrasts {
		family := fmt.Sprint(c.FamilySize)
		name := d.Say("interval."+strings.TrimSuffix(c.IntervalKind, "-bonferroni"), "n", family)
		if name != "" && strings.HasSuffix(c.IntervalKind, "-bonferroni") {
			name += d.Say("interval.bonferroni", "n", family)
		}
		if name != "" && !slices.Contains(seen, name) {
			seen = append(seen, name)
		}
	}
	return d.Language().List("clauses", seen)
}
