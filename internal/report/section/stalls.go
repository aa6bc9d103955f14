package section

import (
	"fmt"

	"github.com/tarebench/tare/internal/report"
)

func stallsSection() Section {
	return Section{
		ID:       "stalls",
		Shown:    func(d *report.Document) bool { return len(d.Stalls) > 0 },
		Sentence: (*report.Document).StallsSentence,
		Tables:   func(d *report.Document) []Table { return []Table{stallsTable(d)} },
	}
}

// stallsTable has every stall with the counters that moved.
func stallsTable(d *report.Document) Table {
	t := Table{Open: true, Caption: d.Say("caption.stalls"), Head: d.Heads("arm", "trial", "stall-start", "stall-length", "throughput", "moved")}
	for _, s := range d.Stalls {
		var all []string
		for _, m := range s.Moved {
			key := "stalls.moved"
			if m.Member > 0 {
				key = "stalls.moved.member"
			}
			all = append(all, d.Say(key, "metric", m.Metric, "rate", dash(m.Rate, 1), "before", dash(m.Before, 1), "member", fmt.Sprint(m.Member)))
		}
		said := d.Language().List("clauses", all)
		if len(all) == 0 {
			said = d.Say("stalls.nothing")
		}
		t.Rows = append(t.Rows, []Cell{
			words(d.Label(s.Arm, s.Threads)), number(fmt.Sprint(s.Trial)), number(dash(s.Start, 1)), number(dash(s.Seconds, 1)), number(dash(s.Throughput, 1)), words(said),
		})
	}
	return t
}
