package section

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// eventsSection is what events cost, and whether a write was lost.
func eventsSection() Section {
	return Section{
		ID:       "faults",
		Shown:    HasEvents,
		Sentence: func(d *report.Document) string { return d.Language().List("sentences", EventSentences(d)) },
		Figures:  []Figure{{ID: "fig-events", Chart: "events", Shown: HasTimeline}},
		Tables: func(d *report.Document) []Table {
			var all []Table
			for _, t := range []Table{faultTable(d), figureTable(d), partTable(d), courseTable(d)} {
				if len(t.Rows) > 0 {
					all = append(all, t)
				}
			}
			if len(d.Ledgers) > 0 {
				all = append(all, ledgerTable(d))
			}
			return all
		},
	}
}

// HasEvents says whether something happened to a database, or a ledger was kept.
func HasEvents(d *report.Document) bool { return len(d.Events)+len(d.Ledgers) > 0 }

// EventSentences say what each event cost, and what the ledgers show.
func EventSentences(d *report.Document) (all []string) {
	for i := range d.Events {
		f := &d.Events[i]
		if len(f.Primaries) == 0 && f.Failed == "" && len(f.Figures)+f.Unserved > 0 {
			all = append(all, aloneSentences(d, f)...)
			all = append(all, missedSentences(d, f)...)
			continue
		}
		slots := []string{"arm", d.Label(f.Arm, f.Threads), "fault", faultName(d, f), "lost", estimated(d, f.Lost, 0), "without", withoutOf(d, f, 1)}
		switch {
		case f.Lost.Trials == 0 && f.Failed == "":
			all = append(all, d.Say("fault.nothing", slots...))
		case f.Lost.Trials == 0:
			all = append(all, d.Say("fault.failed", append(slots, "why", d.Ended(f.Failed))...))
		case f.Promoted.Trials == 0 && succeeded(f):
			all = append(all, d.Say("fault.succeeded", append(slots, "primary", successions(d, f))...))
		case f.Promoted.Trials > 0:
			all = append(all, d.Say("fault.promoted", append(slots, "primary", successions(d, f), "after", estimated(d, f.Promoted, 1))...))
		default:
			all = append(all, d.Say("fault.cost", slots...))
		}
		if f.Failed != "" && f.Lost.Trials > 0 {
			all = append(all, d.Say("fault.partly", append(slots, "n", fmt.Sprint(f.Lost.Trials), "trials", d.Count(f.Trials, "trial"), "why", d.Ended(f.Failed))...))
		}
		all = append(all, missedSentences(d, f)...)
		if f.FailoverFailed > 0 {
			all = append(all, d.Say("fault.failover-failed", "arm", d.Label(f.Arm, f.Threads), "fault", faultName(d, f), "trials", d.Count(f.FailoverFailed, "trial"), "why", d.Ended(f.WhyNot)))
		}
	}
	for i := range d.Ledgers {
		all = append(all, ledgerSentence(d, &d.Ledgers[i]))
	}
	return all
}

// missedSentences say what the figures of an event are not of.
func missedSentences(d *report.Document, e *report.Event) (all []string) {
	for _, sentence := range []string{unservedSentence(d, e), unrecoveredSentence(d, e)} {
		if sentence != "" {
			all = append(all, sentence)
		}
	}
	return all
}

// ledgerSentence says that nothing was lost, or on which members.
func ledgerSentence(d *report.Document, l *report.Ledger) string {
	var broken, left []string
	compared, alone := 0, len(l.Members) == 1 // a server without replicas is not a member of anything
	for _, m := range l.Members {
		if m.Whole < m.Compared {
			key := "ledger.broken"
			if alone {
				key = "ledger.broken.one"
			}
			broken = append(broken, d.Say(key, "n", fmt.Sprint(m.Number), "lost", language.Grouped(m.Lost), "doubled", language.Grouped(m.Doubled), "never", language.Grouped(m.NeverSent)))
		}
		if m.Compared < l.Trials {
			left = append(left, fmt.Sprint(m.Number))
		}
		compared += m.Compared
	}
	slots := []string{"arm", d.Label(l.Arm, l.Threads), "acknowledged", language.Grouped(l.Acknowledged), "trials", d.Count(l.Trials, "trial")}
	whole := "ledger.whole"
	if alone {
		whole = "ledger.whole.one"
	}
	s := d.Say(whole, slots...)
	switch {
	case compared == 0:
		s = d.Say("ledger.unknown", slots...)
	case len(broken) > 0:
		s = d.Say("ledger.lost", append(slots, "members", d.Language().List("list", broken))...)
	}
	if len(left) > 0 {
		s += d.Say("join.sentences") + d.Say("ledger.left", "members", d.Language().List("list", left))
	}
	return s
}

// succeeded says whether another member was the primary after the fault in a trial.
func succeeded(f *report.Event) bool {
	return slices.ContainsFunc(f.Primaries, func(p report.Succession) bool { return p.Before != p.After })
}

// trialsOf are the trials, and of how many of them the figures are where the fault failed in some.
func trialsOf(f *report.Event) string {
	if f.Lost.Trials == 0 || f.Lost.Trials == f.Trials {
		return fmt.Sprint(f.Trials)
	}
	return fmt.Sprintf("%d/%d", f.Lost.Trials, f.Trials)
}

func faultName(d *report.Document, f *report.Event) string {
	kind := map[string]string{
		"kill": d.Say("fault.kill"), "pause": d.Say("fault.pause"), "cutOff": d.Say("fault.cutOff"), "slowDisk": d.Say("fault.slowDisk"), "slowLink": d.Say("fault.slowLink"), "restart": d.Say("fault.restart"), "delete": d.Say("fault.delete"), "command": d.Say("fault.command"),
	}[f.Kind]
	member := map[string]string{"primary": d.Say("member.primary"), "secondary": d.Say("member.secondary"), "server": d.Say("member.server"), "pod": d.Say("member.pod")}[f.Member]
	if f.Kind == "command" {
		return d.Say("fault.of-command", "kind", kind, "at", report.Trimmed(f.At))
	}
	if member == "" {
		member = d.Say("member.number", "n", f.Member)
	}
	return d.Say("fault.of", "kind", kind, "member", member, "at", report.Trimmed(f.At))
}

// estimated is a mean with its interval, or without one that is not known.
func estimated(d *report.Document, e report.Estimate, digits int) string {
	switch {
	case e.Trials == 0:
		return "-"
	case e.Interval == nil:
		return language.Decimal(float64(e.Mean), digits)
	}
	return d.Say("estimate", "mean", language.Decimal(float64(e.Mean), digits), "lo", language.Decimal(float64(e.Interval[0]), digits), "hi", language.Decimal(float64(e.Interval[1]), digits))
}

// withoutOf is the time without service, at least the one of the trials that were not served again where
// there are no others.
func withoutOf(d *report.Document, e *report.Event, digits int) string {
	if e.Without.Trials > 0 && e.Without.Mean == 0 {
		return withoutService(d, e.Without)
	}
	if e.Without.Trials == 0 && e.Unserved > 0 {
		return d.Say("event.at-least", "seconds", language.Decimal(float64(e.AtLeast), digits))
	}
	return estimated(d, e.Without, digits)
}

func successions(d *report.Document, f *report.Event) string {
	var all []string
	for _, p := range f.Primaries {
		all = append(all, d.Say("fault.succession", "before", fmt.Sprint(p.Before), "after", fmt.Sprint(p.After), "trials", d.Count(p.Trials, "trial")))
	}
	return d.Language().List("list", all)
}

func faultTable(d *report.Document) Table {
	t := Table{Open: true, Caption: d.Say("caption.faults"), Head: d.Heads("arm", "fault", "trials", "fault-for", "fault-lost", "without-service", "primary", "promoted-after", "failover-failed")}
	for i := range d.Events {
		f := &d.Events[i]
		if len(f.Primaries) == 0 && f.Failed == "" && f.Lost.Trials == 0 {
			continue // of a server that is alone, which the next table has
		}
		length := "-"
		if f.For > 0 {
			length = report.Trimmed(f.For)
		}
		t.Rows = append(t.Rows, []Cell{
			words(d.Label(f.Arm, f.Threads)), words(faultName(d, f)), number(trialsOf(f)), number(length), number(estimated(d, f.Lost, 1)),
			number(withoutOf(d, f, 2)), words(successions(d, f)), number(estimated(d, f.Promoted, 2)), number(fmt.Sprint(f.FailoverFailed)),
		})
	}
	return t
}

func ledgerTable(d *report.Document) Table {
	t := Table{Open: true, Caption: d.Say("caption.ledgers"), Head: d.Heads("arm", "member", "compared", "whole", "lost-entries", "doubled", "never-sent", "unanswered", "note")}
	for i := range d.Ledgers {
		l := &d.Ledgers[i]
		for _, m := range l.Members {
			var notes []string
			for _, n := range []string{entries(d, m.Examples), d.Ended(m.Balances), d.Ended(m.Left)} {
				if n != "" {
					notes = append(notes, n)
				}
			}
			t.Rows = append(t.Rows, []Cell{
				words(d.Label(l.Arm, l.Threads)), number(fmt.Sprint(m.Number)), number(fmt.Sprint(m.Compared)), number(fmt.Sprint(m.Whole)), number(language.Grouped(m.Lost)),
				number(language.Grouped(m.Doubled)), number(language.Grouped(m.NeverSent)), number(language.Grouped(m.Unanswered)), words(d.Language().List("clauses", notes)),
			})
		}
	}
	return t
}

// entries are the examples of a record, each of which says what is wrong with an entry.
func entries(d *report.Document, recorded string) string {
	all := strings.Split(recorded, record.BetweenEntries)
	for i, one := range all {
		all[i] = d.Ended(one)
	}
	return d.Language().List("list", all)
}
