package section

import (
	"fmt"
	"math"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// eventWords are the keys of what happened to a server that is alone, by kind.
func eventWords() map[string]string {
	return map[string]string{"kill": "event.kill", "restart": "event.restart", "pause": "event.pause", "delete": "event.delete", "command": "event.command"}
}

// verdictWords are those of a difference that is established.
func verdictWords() map[string]string {
	return map[string]string{string(compare.Costs): "event.costs", string(compare.Gains): "event.gains"}
}

// partWords are those of the parts of an outage.
func partWords() map[string]string {
	return map[string]string{
		compare.PartEvent: "event-part.event", compare.PartShutdown: "event-part.shutdown", compare.PartContainer: "event-part.container", compare.PartStart: "event-part.start", compare.PartDetection: "event-part.detection", compare.PartFailover: "event-part.failover",
		compare.PartRouting: "event-part.routing", compare.PartReconnect: "event-part.reconnect", compare.PartFirst: "event-part.first", compare.PartUnknown: "event-part.unknown",
	}
}

// figureWords are those of what clients saw.
func figureWords() map[string]string {
	return map[string]string{
		compare.WithoutService: "event-figure.without_service_s", compare.ToHalf: "event-figure.to_half_s", compare.ToMost: "event-figure.to_95_percent_s",
		compare.FailedAttempts: "event-figure.failed_attempts", compare.Broken: "event-figure.broken_connections", compare.P99: "event-figure.p99_ms", compare.LostWrites: "event-figure.lost_writes",
	}
}

// aloneSentences say what an event of a server that is alone cost: the time without service with its parts,
// and whether an acknowledged write was lost.
func aloneSentences(d *report.Document, e *report.Event) (all []string) {
	arm := d.Label(e.Arm, e.Threads)
	if without := e.Figure(compare.WithoutService); without != nil {
		all = append(all, d.Say("event.cost", "arm", arm, "event", d.Say(eventWords()[e.Kind], "for", report.Trimmed(e.For)), "without", withoutService(d, without.Estimate), "parts", partsOf(d, e))+d.Say("join.sentences")+lostOf(d, e))
		if c := without.Against; c != nil && verdictWords()[c.Verdict] != "" {
			all = append(all, d.Say(verdictWords()[c.Verdict], "arm", arm, "base", d.Label(d.Baseline(), e.Threads), "difference", difference(d, c, 2)))
		}
	}
	return all
}

// unservedSentence says in how many trials the database did not come back, and within what time; "" for none.
func unservedSentence(d *report.Document, e *report.Event) string {
	if e.Unserved == 0 {
		return ""
	}
	return d.Say("event.unserved", "arm", d.Label(e.Arm, e.Threads), "event", faultName(d, e), "n", fmt.Sprint(e.Unserved), "trials", d.Count(e.Trials, "trial"), "without", language.Decimal(float64(e.AtLeast), 1))
}

// unrecoveredSentence says in how many trials the throughput did not become what it was; "" for none.
func unrecoveredSentence(d *report.Document, e *report.Event) string {
	if e.Unrecovered == 0 {
		return ""
	}
	return d.Say("event.unrecovered", "arm", d.Label(e.Arm, e.Threads), "event", faultName(d, e), "n", fmt.Sprint(e.Unrecovered), "trials", d.Count(e.Trials, "trial"))
}

// partsOf are the parts of an outage in a sentence; "" for none. They are those of its longest stretch, which it says where
// they are less than all of the time without service.
func partsOf(d *report.Document, e *report.Event) string {
	var parts []string
	sum := 0.0
	for _, p := range e.Parts {
		sum += float64(p.Mean)
		parts = append(parts, d.Say("event.part", "part", d.Say(partWords()[p.Name]), "seconds", language.Decimal(float64(p.Mean), 2)))
	}
	if len(parts) == 0 {
		return ""
	}
	key := "event.parts"
	if without := e.Figure(compare.WithoutService); without == nil || math.Abs(float64(without.Mean)-sum) >= 0.005*float64(len(parts)+1) {
		key = "event.parts-longest"
	}
	return d.Say(key, "parts", d.Language().List("list", parts))
}

// lostOf says whether acknowledged writes were lost.
func lostOf(d *report.Document, e *report.Event) string {
	lost := e.Figure(compare.LostWrites)
	switch {
	case lost == nil:
		return d.Say("event.no-ledger")
	case lost.Mean == 0:
		return d.Say("event.nothing-lost")
	}
	return d.Say("event.lost", "n", estimated(d, lost.Estimate, 1))
}

// difference is that from the baseline with its sign and its interval.
func difference(d *report.Document, c *report.EventContrast, digits int) string {
	return estimated(d, report.Estimate{Mean: c.Difference, Interval: c.Interval, Trials: c.Rounds}, digits)
}

// withoutService is a time without service. One that no trial has had is not known to be 0: what is shorter than a
// stall is not counted.
func withoutService(d *report.Document, e report.Estimate) string {
	if e.Trials > 0 && e.Mean == 0 {
		return d.Say("event.below", "seconds", language.Decimal(compare.ShortestOutage, 1))
	}
	return estimated(d, e, 2)
}

// figureText is what clients saw, with its interval.
func figureText(d *report.Document, f *report.EventFigure) string {
	if f.Name == compare.WithoutService {
		return withoutService(d, f.Estimate)
	}
	return estimated(d, f.Estimate, figureDigits(f.Name))
}

// figureDigits are how many digits each figure has.
func figureDigits(name string) int {
	switch name {
	case compare.WithoutService, compare.ToHalf, compare.ToMost:
		return 2
	case compare.P99:
		return 0
	}
	return 1
}

func figureTable(d *report.Document) Table {
	t := Table{Open: true, Caption: d.Say("caption.event-figures"), Head: d.Heads("arm", "event", "figure", "mean-interval", "trials", "from-baseline", "rounds", "verdict")}
	for i := range d.Events {
		e := &d.Events[i]
		for _, f := range e.Figures {
			row := []Cell{words(d.Label(e.Arm, e.Threads)), words(faultName(d, e)), words(d.Say(figureWords()[f.Name])), number(figureText(d, &f)), number(fmt.Sprint(f.Trials))}
			if f.Against == nil {
				row = append(row, number("-"), number("-"), words("-"))
			} else {
				row = append(row, number(difference(d, f.Against, figureDigits(f.Name))), number(fmt.Sprint(f.Against.Rounds)), verdictCell(d.Language(), f.Against.Verdict))
			}
			t.Rows = append(t.Rows, row)
		}
		if e.Unserved > 0 {
			t.Rows = append(t.Rows, unservedRow(d, e))
		}
	}
	return t
}

// unservedRow is what is known of the trials in which nothing was served again: the least that it can be.
func unservedRow(d *report.Document, e *report.Event) []Cell {
	atLeast := d.Say("event.at-least", "seconds", language.Decimal(float64(e.AtLeast), figureDigits(compare.WithoutService)))
	return []Cell{
		words(d.Label(e.Arm, e.Threads)), words(faultName(d, e)), words(d.Say(figureWords()[compare.WithoutService])), number(atLeast), number(fmt.Sprint(e.Unserved)),
		number("-"), number("-"), words("-"),
	}
}

func partTable(d *report.Document) Table {
	t := Table{Open: true, Caption: d.Say("caption.event-parts"), Head: d.Heads("arm", "event", "part", "mean-interval", "trials")}
	for i := range d.Events {
		e := &d.Events[i]
		for _, p := range e.Parts {
			t.Rows = append(t.Rows, []Cell{words(d.Label(e.Arm, e.Threads)), words(faultName(d, e)), words(d.Say(partWords()[p.Name])), number(estimated(d, p.Estimate, 2)), number(fmt.Sprint(p.Trials))})
		}
	}
	return t
}
