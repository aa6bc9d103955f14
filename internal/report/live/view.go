package live

// This file is what the report says, in a language.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
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

// present names what is present: what makes the server slower, and what is a risk of its operation, which says
// nothing about why it is slow.
func (v view) present() (slower, risks []string) {
	for _, c := range v.causes() {
		if c.State != presentState {
			continue
		}
		list := &slower
		if rule, _ := diagnose.Find(c.Rule); rule.Risk || c.Rule == "K-STO-01" && v.excluded("C-IO-02") {
			list = &risks
		}
		if named := v.say("watched.named", "cause", c.Title, "rule", c.Rule); !slices.Contains(*list, named) { // two variables can be one cause
			*list = append(*list, named)
		}
	}
	return slower, risks
}

// excluded says whether the counters exclude a cause. An emptyDir is not why a server is slow that hardly waits for its
// disk.
func (v view) excluded(rule string) bool {
	return slices.ContainsFunc(v.Causes, func(c Cause) bool { return c.Rule == rule && c.State == ruledOutState })
}

// answer is the conclusion: which causes are present, on what a transaction spends most of its time, and then which
// risks of its operation the server has.
func (v view) answer() string {
	present, risks := v.present()
	risk := ""
	if len(risks) > 0 {
		risk = v.say("watched.risks", "causes", v.doc.Language().List("clauses", risks))
	}
	return v.said(v.slow(present), risk)
}

// slow is why the server is as slow as it is. Sessions that all wait for a lock come first: a CPU does not help them.
func (v view) slow(present []string) string {
	var few, full, queued, causes string
	if v.Few > 0 || v.FewNone {
		few = v.say("watched.few."+v.Unit, "n", strconv.FormatInt(v.Few, 10), "seconds", fmt.Sprintf("%.1f", v.Seconds))
	}
	if v.CPUs > 0 { // before other causes: whatever else is present, there was no CPU for it
		full = v.full()
	}
	if v.queued() { // most of the server's sessions do nothing meanwhile
		queued = v.said(v.rowLocks(), v.whereLocks())
	}
	switch {
	case len(present) > 0:
		causes = v.say("watched.present-are", "causes", v.doc.Language().List("clauses", present))
	case v.queued(): // they are a cause, though no rule names it
	case v.CPUs > 0:
		causes = v.say("watched.outside")
	default:
		causes = v.say("watched.no-cause")
	}
	if v.MachineUnread && len(present) == 0 {
		causes = v.said(causes, v.say("watched.machine-unread"))
	}
	if v.OwnOnly && !v.locked() && !v.queued() { // others may wait for locks
		causes = v.said(causes, v.say("watched.own-sessions"))
	}
	text := v.said(few, full, queued, causes, v.waiting(), v.mostOf())
	if v.locked() {
		text = v.said(causes, few, queued, v.waiting(), full, v.mostOf())
	}
	if i := v.largest(); !v.queued() && i > 0 && v.Budget[i].Name == compare.SpentLock {
		text = v.said(text, v.whereLocks())
	}
	return text
}

// full says who used the CPUs of a machine without an idle one.
func (v view) full() string {
	others, cpus := fmt.Sprintf("%.1f", v.OthersCPUs), fmt.Sprintf("%.0f", v.CPUs)
	if len(v.OthersBusiest) == 0 {
		return v.say("watched.full", "others", others, "cpus", cpus)
	}
	var names []string
	for _, b := range v.OthersBusiest {
		names = append(names, fmt.Sprintf("%s %.1f", safe.Name(b.Name), b.CPUs))
	}
	return v.say("watched.full-named", "others", others, "cpus", cpus, "names", strings.Join(names, ", "))
}

// whereLocks is where the sessions that wait and those that hold the locks are, "" where C-LOCK-01 names them: which
// statements hold the locks is not in counters.
func (v view) whereLocks() string {
	if v.locked() {
		return ""
	}
	return v.say("watched.locks")
}

// locked says that sessions wait for locks all the time.
func (v view) locked() bool {
	return slices.ContainsFunc(v.causes(), func(c Cause) bool { return c.Rule == "C-LOCK-01" && c.State == presentState })
}

// said are sentences one after the other, without the empty ones.
func (v view) said(all ...string) (text string) {
	for _, s := range all {
		switch {
		case text == "":
			text = s
		case s != "":
			text = v.say("watched.conclusion", "causes", text, "largest", s)
		}
	}
	return text
}

// mostOf is the largest part of the budget, or why none is named; "" where there is no budget.
func (v view) mostOf() string {
	whole := func(i int) string { return fmt.Sprintf("%.3f", float64(v.Budget[i].Milliseconds)) }
	i := v.largest()
	switch sum := v.sum(); {
	case i == 0:
		return ""
	case sum > overlapping*float64(v.Budget[0].Milliseconds):
		slots := []string{"sum", fmt.Sprintf("%.3f", sum), "whole", whole(0)}
		said := v.say("watched.exceed."+v.Unit, slots...)
		if v.PerConnection.Known() && float64(v.PerConnection) > float64(v.Budget[0].Milliseconds) {
			said = v.say("watched.conclusion", "causes", said, "largest", v.say("watched.at-most."+v.Unit, "ms", fmt.Sprintf("%.3f", float64(v.PerConnection))))
		}
		return said
	}
	if v.unknownPart() && float64(v.Budget[0].Milliseconds)-v.sum() > float64(v.Budget[i].Milliseconds) {
		return "" // what is not known may be the largest
	}
	return v.say("watched.largest."+v.Unit, "part", v.part(i), "ms", whole(i), "whole", whole(0))
}

// overlapping is how much longer than the whole the parts are together where they are no parts of it: below, the two
// windows end at different moments.
const overlapping = 1.02

// unknownPart says that a part of the budget is not known.
func (v view) unknownPart() bool {
	return slices.ContainsFunc(v.Budget, func(p report.Spent) bool { return !p.Milliseconds.Known() })
}

// overlap is how to read the parts of the budget.
func (v view) overlap() string {
	unknown := ""
	if v.unknownPart() {
		unknown = v.say("watched.part-unknown")
	}
	return v.said(v.say("watched.overlap"), unknown)
}

// sum is what the parts of the budget come to.
func (v view) sum() (ms float64) {
	for _, p := range v.Budget[min(1, len(v.Budget)):] {
		if p.Milliseconds.Known() {
			ms += float64(p.Milliseconds)
		}
	}
	return ms
}

// queued says that sessions waited for row locks all the time.
func (v view) queued() bool { return v.rowLocks() != "" && v.LockSessions >= diagnose.QueuedFrom }

// rowLocks says how many sessions waited for row locks, "" where none did or where that is not known.
func (v view) rowLocks() string {
	if !v.LockWaits.Known() || !v.LockSessions.Known() || v.LockWaits <= 0 {
		return ""
	}
	return v.say("watched.row-locks", "sessions", fmt.Sprintf("%.2f", float64(v.LockSessions)), "waits", fmt.Sprintf("%.1f", float64(v.LockWaits)))
}

// fewLocks is rowLocks where the answer has not got it.
func (v view) fewLocks() string {
	if v.queued() {
		return ""
	}
	return v.rowLocks()
}

// waiting says in which state most of the sessions are that do something, "" where fewer than two are in one, and where
// the server does its work and fewer than half of all its sessions wait.
func (v view) waiting() string {
	all, most := 0, State{}
	for _, s := range v.Sessions {
		all += s.Sessions
		if s.State != "" && s.Sessions > most.Sessions {
			most = s
		}
	}
	few := v.Few > 0 || v.FewNone
	if most.Sessions < 2 || !few && (2*most.Sessions < all || !strings.HasPrefix(strings.ToLower(most.State), "waiting")) {
		return ""
	}
	return v.say("watched.sessions", "n", strconv.Itoa(most.Sessions), "all", strconv.Itoa(all), "state", safe.Name(most.State))
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

// spent is the time of a part of the budget.
func (v view) spent(i int, unit string) string {
	if ms := v.Budget[i].Milliseconds; ms.Known() {
		return fmt.Sprintf("%.3f%s", float64(ms), unit)
	}
	return v.say("watched.state.unknown")
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
