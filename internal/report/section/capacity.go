package section

import (
	"fmt"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

func capacitySection() Section {
	return Section{
		ID:       "capacity",
		Shown:    func(d *report.Document) bool { return d.Run.Find != nil },
		Sentence: capacityAnswer,
		Tables: func(d *report.Document) []Table {
			return []Table{capacityTable(d), beyondTable(d), stepTable(d)}
		},
	}
}

// capacityAnswer is every arm's capacity.
func capacityAnswer(d *report.Document) string {
	if d.Sealed() {
		return d.SealedSentence()
	}
	var all []string
	for _, c := range d.Capacities {
		all = append(all, c.Sentence)
	}
	if len(all) == 0 {
		return d.NoCapacity()
	}
	return d.Language().List("sentences", all)
}

func capacityTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.capacity", "limit", d.Limit()), Open: true, Head: d.Heads("arm", "found-capacity", "in95", "trials", "kept-below", "missed-from", "windows-kept")}
	for _, c := range d.Capacities {
		in := "-"
		if c.Interval != nil {
			in = d.Language().Between(report.Rate(c.Interval[0]), report.Rate(c.Interval[1]))
		}
		t.Rows = append(t.Rows, []Cell{
			words(d.Label(c.Arm, c.Threads)), number(report.Rate(c.Rate)), number(in), number(fmt.Sprint(c.Trials)),
			number(orDash(c.Low)), number(orDash(c.High)), number(fmt.Sprint(c.WindowsKept)),
		})
	}
	return t
}

// beyondTable is what the servers did above their capacity.
func beyondTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.beyond"), Open: true, Head: d.Heads("arm", "overload", "completed-share", "in95", "waiting", "latency-ms", "trials", "servers-lost")}
	for _, c := range d.Capacities {
		b := c.Beyond
		if b == nil {
			continue
		}
		share, in := "-", "-"
		if b.CompletedPercent.Known() {
			share = language.Decimal(float64(b.CompletedPercent), 1)
		}
		if b.Interval != nil {
			in = d.Language().Between(language.Decimal(float64(b.Interval[0]), 1), language.Decimal(float64(b.Interval[1]), 1))
		}
		t.Rows = append(t.Rows, []Cell{
			words(d.Label(c.Arm, c.Threads)), number(fmt.Sprintf("%.0f", 100*b.Load)), number(share), number(in),
			number(orDash(b.WaitingPerSecond)), number(msOrDash(b.LatencyMS)), number(fmt.Sprint(b.Trials)), number(fmt.Sprint(b.Lost)),
		})
	}
	return t
}

// stepTable is folded away: every rate that was offered.
func stepTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.steps"), Head: d.Heads("arm", "round", "step", "offered", "completed", "latency-ms", "limit-kept")}
	for _, s := range d.CapacitySteps {
		t.Rows = append(t.Rows, []Cell{
			words(d.Label(s.Arm, s.Threads)), number(fmt.Sprint(s.Round)), number(fmt.Sprint(s.Step)), number(orDash(s.Rate)),
			number(orDash(s.Completed)), number(msOrDash(s.LatencyMS)), words(keptCell(d, s)),
		})
	}
	return t
}

func keptCell(doc *report.Document, s report.CapacityStep) string {
	switch {
	case s.Purpose == record.StepClosed:
		return doc.Say("step.closed")
	case s.Purpose == record.StepBeyond:
		return doc.Say("step.beyond")
	case s.Kept:
		return doc.Say("cell.yes")
	}
	return doc.Say("cell.no")
}
