package live

// This file is what the report says, in a language.

import (
	"fmt"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// view is a report in a language.
type view struct {
	*Report
	doc *report.Document // has the language, and what findings say in it
}

func viewOf(r *Report, l *language.Language) view {
	return view{r, (&report.Document{}).InLanguage(l)}
}

func (v view) say(key string, slots ...string) string { return v.doc.Say(key, slots...) }

func (v view) english() bool { return v.doc.Language() == language.English() }

// seen is the server's version and load.
func (v view) seen(version string) string {
	return v.say("watched.seen", "version", version, "seconds", fmt.Sprintf("%.1f", v.Seconds), "rate", v.perSecond())
}

// perSecond is the load.
func (v view) perSecond() string {
	return v.say("watched.rate."+v.Unit, "n", fmt.Sprintf("%.1f", float64(v.Rate)))
}

// answer is the conclusion: which causes are present, and on what a transaction spends most of its time.
func (v view) answer() string {
	var present []string
	for _, c := range v.causes() {
		if c.State == presentState {
			present = append(present, v.say("watched.named", "cause", c.Title, "rule", c.Rule))
		}
	}
	text := v.say("watched.no-cause")
	if len(present) > 0 {
		text = v.say("watched.present-are", "causes", v.doc.Language().List("clauses", present))
	}
	if v.CPUs > 0 { // before the causes: whatever else is present, there was no CPU for it
		text = v.say("watched.conclusion", "causes", v.say("watched.full", "others", fmt.Sprintf("%.1f", v.OthersCPUs), "cpus", fmt.Sprintf("%.0f", v.CPUs)), "largest", text)
	}
	if i := v.largest(); i > 0 {
		key := "watched.largest."
		if v.Budget[i].Milliseconds > v.Budget[0].Milliseconds { // a thread waits for a CPU before its statement begins, too
			key = "watched.longer."
		}
		text = v.say("watched.conclusion", "causes", text, "largest", v.say(key+v.Unit, "part", v.part(i),
			"ms", fmt.Sprintf("%.3f", float64(v.Budget[i].Milliseconds)), "whole", fmt.Sprintf("%.3f", float64(v.Budget[0].Milliseconds))))
		if v.Budget[i].Name == compare.SpentLock { // no rule names it: which statements hold the locks is not in counters
			text = v.say("watched.conclusion", "causes", text, "largest", v.say("watched.locks"))
		}
	}
	return text
}

// uncosted says what "present" does not: what a cause costs. "" where none is present.
func (v view) uncosted() string {
	if v.Present() == 0 {
		return ""
	}
	return v.say("watched.uncosted")
}

// largest is the largest part of the budget, 0 where there is none.
func (v view) largest() (at int) {
	for i, p := range v.Budget {
		if i > 0 && p.Milliseconds > 0 && (at == 0 || p.Milliseconds > v.Budget[at].Milliseconds) {
			at = i
		}
	}
	return at
}

// took says what the watching has cost.
func (v view) took() string {
	where := v.say("watched.this-machine")
	if v.ProbesOn != "" {
		where = v.say("watched.node", "node", safe.Name(v.ProbesOn))
	}
	return v.say("watched.took", "share", v.share(v.ProbesCPU), "where", where, "time", v.share(v.ServerTime))
}

func (v view) share(n report.Number) string {
	if !n.Known() {
		return v.say("watched.unknown-share")
	}
	return v.say("percent", "x", fmt.Sprintf("%.2f", 100*float64(n)))
}

// noBudget says why there is no budget, "" where there is one.
func (v view) noBudget() string {
	if len(v.Budget) > 0 || v.BudgetUnknown == "" {
		return ""
	}
	why := v.BudgetUnknown
	if !v.english() && v.Untimed != "" {
		why = v.say("watched.untimed."+v.Untimed, "why", v.doc.Ended(v.UntimedWhy))
	}
	return v.say("watched.no-budget", "why", safe.Sentence(why))
}

// gone says that the server has ended, "" if it has not.
func (v view) gone() string {
	if v.Ended == 0 {
		return ""
	}
	return v.say("watched.gone", "seconds", fmt.Sprintf("%.1f", v.Ended))
}

// part is the name of a part of the budget.
func (v view) part(i int) string {
	if i == 0 {
		return v.say("watched.whole." + v.Unit)
	}
	return v.doc.Language().Place(v.Budget[i].Name)
}

// causes are the causes and settings, those that are present first, with texts that are safe to print.
func (v view) causes() []Cause {
	all := v.sorted()
	for i := range all {
		all[i] = v.cause(all[i])
	}
	return all
}

// cause is one of them in the language. State stays: it is a code.
func (v view) cause(c Cause) Cause {
	if !v.english() && c.finding.Rule != "" {
		c.Title, c.Evidence, c.Fix = v.doc.RuleName(c.finding), v.doc.Says(c.finding), v.doc.FixOf(c.finding)
	}
	return Cause{Rule: c.Rule, State: c.State, Title: safe.Name(c.Title), Evidence: safe.Sentence(c.Evidence), Fix: safe.Sentence(c.Fix), Change: safe.Name(c.Change)}
}

// state is the name of a cause's state; in English as JSON has it.
func (v view) state(c Cause) string {
	if v.english() {
		return c.State
	}
	return v.say("watched.state." + c.State)
}
