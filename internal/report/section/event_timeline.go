package section

import (
	"fmt"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// HasTimeline says whether the throughput around an event is known.
func HasTimeline(d *report.Document) bool {
	for i := range d.Events {
		if d.Events[i].Timeline != nil {
			return true
		}
	}
	return false
}

// EventTitle is whose event it is, and what happens.
func EventTitle(d *report.Document, e *report.Event) string {
	return d.Say("event-title", "arm", d.Label(e.Arm, e.Threads), "event", faultName(d, e))
}

// EventParts are the parts of the longest time without service with their intervals, in one sentence; "" for none.
func EventParts(d *report.Document, e *report.Event) string {
	var parts []string
	for _, p := range e.Parts {
		parts = append(parts, d.Say("event.part", "part", d.Say(partWords()[p.Name]), "seconds", estimated(d, p.Estimate, 2)))
	}
	if len(parts) == 0 {
		return ""
	}
	return d.Say("event.mean-parts", "parts", d.Language().List("list", parts))
}

// courseTable has the longest time without service of every trial, and its parts.
func courseTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.event-rounds"), Head: d.Heads("arm", "event", "round", "without-from", "without-to", "parts")}
	for i := range d.Events {
		e := &d.Events[i]
		if e.Timeline == nil {
			continue
		}
		for _, c := range e.Timeline.Trials {
			from, to := "-", "-"
			var parts []string
			for k, p := range c.Parts {
				if k == 0 {
					from = language.Decimal(float64(p.From), 2)
				}
				to = language.Decimal(float64(p.To), 2)
				parts = append(parts, d.Say("event.part", "part", d.Say(partWords()[p.Name]), "seconds", language.Decimal(float64(p.To-p.From), 2)))
			}
			t.Rows = append(t.Rows, []Cell{
				words(d.Label(e.Arm, e.Threads)), words(faultName(d, e)), number(fmt.Sprint(c.Round)), number(from), number(to), words(d.Language().List("list", parts)),
			})
		}
	}
	return t
}
