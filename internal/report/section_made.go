package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

func environmentSection() Section {
	return Section{
		ID:       "environment",
		Sentence: func(d *Document) string { return d.Scope },
		Tables: func(d *Document) []Table {
			t := Table{Caption: d.say("caption.environment"), Head: d.heads("fact", "value", "read-from")}
			for _, s := range d.Environment {
				t.Rows = append(t.Rows, []Cell{words(s.Key), words(d.valueOf("", s.Key, s.Value)), words(s.Source)})
			}
			return []Table{t}
		},
	}
}

func madeSection() Section {
	return Section{
		ID:       "made",
		Sentence: madeSentence,
		Tables: func(d *Document) []Table {
			t := Table{Caption: d.say("caption.made"), Head: d.heads("fact", "value"), Open: true}
			for _, s := range madeRows(d) {
				t.Rows = append(t.Rows, []Cell{words(s[0]), words(s[1])})
			}
			tables := []Table{t}
			if d.ExperimentYAML != "" {
				tables = append(tables, Table{Caption: d.say("caption.experiment"), Code: inertText(d.ExperimentYAML)})
			}
			return tables
		},
	}
}

func madeSentence(d *Document) string {
	if d.Run.Imported {
		return d.say("made.imported")
	}
	return d.say("made.sentence")
}

func madeRows(d *Document) [][2]string {
	var rows [][2]string
	add := func(key, value string) { rows = append(rows, [2]string{d.say("made." + key), value}) }
	add("run", d.Run.Name)
	add("by", "tare "+d.Tare)
	add("engine", d.Run.Engine)
	if d.Run.Started != nil {
		add("started", d.Run.Started.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	if d.Run.Started != nil && d.Run.Finished != nil {
		add("took", d.Run.Finished.Sub(*d.Run.Started).Round(time.Second).String())
	}
	if d.Run.Imported {
		return rows
	}
	add("plan", d.Run.PlanHash)
	add("seed", d.Run.Seed)
	add("rounds", d.say("made.rounds.of", "n", fmt.Sprint(d.Run.RoundsComplete), "of", fmt.Sprint(d.Run.RoundsPlanned)))
	add("trials", d.say("made.trials.of", "n", fmt.Sprint(d.Run.TrialsDone), "of", fmt.Sprint(d.Run.TrialsPlanned)))
	add("window", d.say("made.window.of", "warmup", trimmed(d.Run.WarmupSeconds), "measure", trimmed(d.Run.MeasureSeconds)))
	add("workload", d.Run.Workload)
	add("margin", trimmed(d.Run.MarginPercent)+" %")
	if k := kinds(d); k != "" {
		add("interval", k)
	}
	return rows
}

// kinds names the intervals in words.
func kinds(d *Document) string {
	var seen []string
	for _, c := range d.Contrasts {
		family := fmt.Sprint(c.Family)
		name := d.say("interval."+strings.TrimSuffix(c.IntervalKind, "-bonferroni"), "n", family)
		if name != "" && strings.HasSuffix(c.IntervalKind, "-bonferroni") {
			name += d.say("interval.bonferroni", "n", family)
		}
		if name != "" && !slices.Contains(seen, name) {
			seen = append(seen, name)
		}
	}
	return d.words().list("clauses", seen)
}
