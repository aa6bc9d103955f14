package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

func differencesSection() Section {
	return Section{
		ID: "differences", Question: "What exactly was compared?",
		Sentence: (*Document).differencesSentence,
		Tables:   func(d *Document) []Table { return []Table{differenceTable(d)} },
		Reading: "Read from the kernel and from the running servers, before the load. What only tells one start from the next (process numbers, paths, " +
			"ports, identifiers) is left out. A difference of a server variable, of the server's binary or of the data that the experiment does not " +
			"declare makes the comparison invalid.",
	}
}

func (doc *Document) differencesSentence() string {
	n, undeclared := len(doc.Differences), 0
	for _, d := range doc.Differences {
		if !d.Declared {
			undeclared++
		}
	}
	switch {
	case doc.Run.Imported:
		return "Not known: an imported run says nothing of how the servers were set up."
	case n == 0:
		return "No effective difference between the arms is on record."
	case undeclared == 0:
		return fmt.Sprintf("The arms differ in %s, all of them declared by the experiment or following from where the arm runs.", count(n, "setting"))
	}
	return fmt.Sprintf("The arms differ in %s; %d of them the experiment does not declare.", count(n, "setting"), undeclared)
}

func differenceTable(d *Document) Table {
	t := Table{Caption: "Effective differences between the arms", Head: []string{"Setting"}}
	var arms []string
	for _, a := range d.Arms {
		if !slices.Contains(arms, a.Name) {
			arms = append(arms, a.Name)
			t.Head = append(t.Head, inert(a.Name))
		}
	}
	t.Head = append(t.Head, "Declared", "Why")
	for _, x := range d.Differences {
		row := []Cell{words(x.Key)}
		for _, a := range arms {
			v, ok := x.Values[a]
			switch {
			case !ok:
				v = "not known"
			case v == "":
				v = "-"
			}
			row = append(row, words(v))
		}
		declared := words("yes")
		if !x.Declared {
			declared = Cell{Text: "no", Verdict: "invalid"}
			t.Open = true
		}
		t.Rows = append(t.Rows, append(row, declared, words(x.Why)))
	}
	return t
}

func environmentSection() Section {
	return Section{
		ID: "environment", Question: "On what?",
		Sentence: func(d *Document) string { return d.Scope },
		Tables: func(d *Document) []Table {
			t := Table{Caption: "The same in every trial", Head: []string{"Fact", "Value", "Read from"}}
			for _, s := range d.Environment {
				t.Rows = append(t.Rows, []Cell{words(s.Key), words(s.Value), words(s.Source)})
			}
			return []Table{t}
		},
		Reading: "The result holds for this machine, this load and these settings. Another machine is another experiment.",
	}
}

func madeSection() Section {
	return Section{
		ID: "made", Question: "How was this made, and how again?",
		Sentence: madeSentence,
		Tables: func(d *Document) []Table {
			t := Table{Caption: "This run", Head: []string{"Fact", "Value"}, Open: true}
			for _, s := range madeRows(d) {
				t.Rows = append(t.Rows, []Cell{words(s[0]), words(s[1])})
			}
			tables := []Table{t}
			if d.ExperimentYAML != "" {
				tables = append(tables, Table{Caption: "The experiment, exactly as it was read", Code: inertText(d.ExperimentYAML)})
			}
			return tables
		},
		Reading: "The page is a view of one document, which it carries inside; tare report DIR --format json prints the same.",
	}
}

func madeSentence(d *Document) string {
	if d.Run.Imported {
		return "Imported from other people's files; they are named in import.json in the run directory, with their checksums. To get a verdict, measure with tare run."
	}
	return "Order and judgement were fixed before the first trial; the hash below covers both. To do it again: save the experiment below as experiment.yaml and run tare run experiment.yaml --out DIR."
}

func madeRows(d *Document) [][2]string {
	rows := [][2]string{{"Run", d.Run.Name}, {"Reported by", "tare " + d.Tare}, {"Engine", d.Run.Engine}}
	add := func(key, value string) { rows = append(rows, [2]string{key, value}) }
	if d.Run.Started != nil {
		add("Started", d.Run.Started.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	if d.Run.Started != nil && d.Run.Finished != nil {
		add("Took", d.Run.Finished.Sub(*d.Run.Started).Round(time.Second).String())
	}
	if d.Run.Imported {
		return rows
	}
	add("Plan", d.Run.PlanHash)
	add("Seed", d.Run.Seed)
	add("Rounds", fmt.Sprintf("%d complete of %d planned", d.Run.RoundsComplete, d.Run.RoundsPlanned))
	add("Trials", fmt.Sprintf("%d done of %d planned", d.Run.TrialsDone, d.Run.TrialsPlanned))
	add("Warm-up and window", trimmed(d.Run.WarmupSeconds)+" s and "+trimmed(d.Run.MeasureSeconds)+" s per trial")
	add("Workload", d.Run.Workload)
	add("Margin", trimmed(d.Run.MarginPercent)+" %")
	if k := kinds(d); k != "" {
		add("Interval", k)
	}
	return rows
}

// kinds names the intervals in words.
func kinds(d *Document) string {
	var seen []string
	for _, c := range d.Contrasts {
		name := map[string]string{
			"paired-t":     "Student's t over the log-ratios of the rounds",
			"paired-t-max": fmt.Sprintf("max-|t| over the log-ratios of the rounds, for %d arms at once", c.Family),
			"stein-t":      "Stein's two-stage t over the log-ratios of the rounds",
			"looks-t":      "Student's t at the repeated level of a planned look (O'Brien-Fleming)",
			"anytime-t":    "a t confidence sequence, which holds at every round at once",
			"welch":        "Welch's t over log throughputs, unpaired",
		}[strings.TrimSuffix(c.IntervalKind, "-bonferroni")]
		if name != "" && strings.HasSuffix(c.IntervalKind, "-bonferroni") {
			name += fmt.Sprintf(", for %d arms at once (Bonferroni)", c.Family)
		}
		if name != "" && !slices.Contains(seen, name) {
			seen = append(seen, name)
		}
	}
	return strings.Join(seen, "; ")
}
