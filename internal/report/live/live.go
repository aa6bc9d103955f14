// Package live writes what a running server showed while another program loaded it, as
// text, JSON and Markdown, and as a page.
package live

import (
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// Busy is what all processes of a name used of the machine's CPUs.
type Busy struct {
	Name string  `json:"name"`
	CPUs float64 `json:"cpus"`
}

// Report is what a running server showed.
type Report struct {
	Server string `json:"server"`
	// ProbesOn is the node of a cluster on which the probes read; "" for this machine.
	ProbesOn string  `json:"probes_on,omitempty"`
	Version  string  `json:"version"`
	Seconds  float64 `json:"seconds"`
	// Ended is how many seconds after the beginning the server ended or stopped answering; 0
	// if it did not.
	Ended float64 `json:"ended_after_s,omitempty"`
	// OthersCPUs is what everything but the server used of the machine's CPUs, where the machine had no idle CPU; both
	// are 0 where it had, or where that is not known.
	OthersCPUs float64 `json:"others_cpus,omitempty"`
	CPUs       float64 `json:"cpus,omitempty"`
	// OthersBusiest are the processes that used most of OthersCPUs, by name; empty where the server runs elsewhere.
	OthersBusiest []Busy `json:"others_busiest,omitempty"`
	// Unit is what Rate counts and Budget divides: a transaction, or a statement where the
	// server does not time transactions.
	Unit   string         `json:"unit"`
	Rate   report.Number  `json:"per_second"`
	Budget []report.Spent `json:"budget"`
	// PerConnection is the time from one unit to the next on a connection, in ms: the most that a client waited for
	// one. It is the connections by the rate.
	PerConnection report.Number `json:"ms_per_connection"`
	// LockWaits is how many waits for row locks began a second, LockSessions is how many sessions waited for one on average.
	LockWaits    report.Number `json:"row_lock_waits_per_second"`
	LockSessions report.Number `json:"row_lock_sessions"`
	// BudgetUnknown says why there is no budget; "" if there is one.
	BudgetUnknown string `json:"budget_unknown,omitempty"`
	// Few is how many were completed where they are too few for a budget; 0 where they are not, and where FewNone says
	// that none was.
	Few     int64 `json:"completed,omitempty"`
	FewNone bool  `json:"completed_none,omitempty"`
	// Sessions are those of clients at the end, by what they do; SessionsUnknown says why they are not known.
	Sessions        []State `json:"sessions,omitempty"`
	SessionsUnknown string  `json:"sessions_unknown,omitempty"`
	// MachineUnread: nothing was read of the server's machine, which is another one, or where this user may not read the process.
	MachineUnread bool `json:"machine_unread,omitempty"`
	// OwnOnly: the account lacks PROCESS and sees its own sessions only.
	OwnOnly bool `json:"own_sessions_only,omitempty"`
	// Untimed is the code of that reason (observe.Untimed), and UntimedWhy what its sentence quotes.
	Untimed, UntimedWhy string  `json:"-"`
	Causes              []Cause `json:"causes"`
	// Settings are the findings of lint for the server's variables and limits.
	Settings []Cause `json:"settings"`
	// ProbesCPU is the CPU time that watching took on the machine where the probes read: the
	// server's, or this one if nothing reads there. It is a share of one CPU.
	ProbesCPU report.Number `json:"probes_cpu"`
	// ServerTime is the time that the server worked on tare's queries, as a share of the
	// watched time.
	ServerTime report.Number `json:"server_time"`
	// Experiment is the file that measures the changes; "" where none was written.
	Experiment string `json:"experiment,omitempty"`
	// Writes is the command that writes an experiment with the changes.
	Writes string `json:"-"`
}

// Cause is what one rule says. State is "present", "hint", "ruled-out" or "unknown". It is never
// "explains" or "proved" (diagnose.State): a span has no baseline, so that no cost is established.
type Cause struct {
	Rule     string `json:"rule"`
	Title    string `json:"title"`
	State    string `json:"state"`
	Evidence string `json:"evidence"`
	Fix      string `json:"fix,omitempty"`
	// Change is a merge patch (RFC 7386) of an arm's settings, as YAML, that a run can
	// measure; "" where no arm can show it.
	Change string `json:"change,omitempty"`
	// finding is what other languages are written from.
	finding report.Finding
}

// presentState is the State of a cause that the counters show, ruledOutState of one that they exclude, unknownState
// of one of which they say nothing.
const (
	presentState  = string(diagnose.Present)
	ruledOutState = "ruled-out"
	unknownState  = string(diagnose.Unknown)
)

// CauseOf is a finding of a running server.
func CauseOf(f diagnose.Finding) Cause {
	state := string(f.Verdict)
	switch f.Verdict {
	case diagnose.Confirmed:
		state = presentState
	case diagnose.RuledOut:
		state = ruledOutState
	}
	return Cause{f.Rule, f.Title, state, f.Says, f.Fix, f.Change, report.FindingOf(f)}
}

// Present is the number of causes that the counters or the settings show: those that the report names as present.
func (r *Report) Present() (n int) {
	for _, c := range slices.Concat(r.Causes, r.Settings) {
		if c.State == presentState {
			n++
		}
	}
	return n
}

// Formats are the formats of Write.
func Formats() []string { return []string{"text", "md", "json", "html"} }

// Write prints the report in one of Formats and one of the languages; JSON is English.
func (r *Report) Write(w io.Writer, format string, l *language.Language) error {
	v := viewOf(r, l)
	switch format {
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", " ")
		return enc.Encode(r)
	case "md":
		return v.markdown(w)
	case "html":
		return v.html(w)
	}
	return v.text(w)
}

// State is a number of sessions that the server lists in one state; "" are those that wait for their client.
type State struct {
	State    string `json:"state"`
	Sessions int    `json:"sessions"`
}

// TooFew drops the budget: what the server has completed is too little for an average. What the server does not time, or
// the account may not read, stays the reason: it can be changed, and a longer span does not help before.
func (r *Report) TooFew(completed int64) {
	r.Few, r.FewNone, r.Budget = completed, completed == 0, []report.Spent{}
	if !slices.Contains([]string{"userstat-off", "schema-off", "denied"}, r.Untimed) {
		r.NoBudget("few", strconv.FormatInt(completed, 10))
	}
}

// SetBudget takes the budget. Its whole has the name of the unit, as in text.
func (r *Report) SetBudget(budget []report.Spent) {
	r.Budget = slices.Clone(budget)
	if len(r.Budget) > 0 {
		r.Budget[0].Name = "a " + r.Unit
	}
	r.withoutRest()
}

// withoutRest makes what is left over unknown where nothing is left: the other parts have counted a wait that belongs to it,
// such as the wait for a CPU of a session that commits. 0 ms would say that commits take no time, and what is left of the
// whole for the network and the client has their time.
func (r *Report) withoutRest() {
	rest := []string{compare.SpentRest, compare.SpentLogRest, compare.SpentRestNetwork}
	if !slices.ContainsFunc(r.Budget, func(p report.Spent) bool { return slices.Contains(rest, p.Name) && p.Milliseconds == 0 }) {
		return
	}
	for i := range r.Budget {
		if p := &r.Budget[i]; p.Name == compare.SpentLog || p.Name == compare.SpentNetwork || slices.Contains(rest, p.Name) {
			p.Milliseconds = report.Unknown()
		}
	}
}

// NoBudget notes why there is no budget: a reason of observe.Untimed.
func (r *Report) NoBudget(code, why string) {
	r.Untimed, r.UntimedWhy = code, why
	r.BudgetUnknown = language.English().Say("watched.untimed."+code, "why", why)
}

// sorted are the causes and the findings for settings: those that are present first, those that are ruled out last.
// A rule that the settings decide is not unknown because a counter is.
func (r *Report) sorted() []Cause {
	all := append(slices.Clone(r.Causes), r.Settings...)
	all = slices.DeleteFunc(all, func(c Cause) bool {
		return c.State == unknownState && slices.ContainsFunc(all, func(o Cause) bool { return o.Rule == c.Rule && o.State != unknownState })
	})
	order := []string{presentState, "hint", unknownState, ruledOutState}
	slices.SortStableFunc(all, func(a, b Cause) int { return slices.Index(order, a.State) - slices.Index(order, b.State) })
	return all
}

// tries are the causes for which a run can measure a change.
func (r *Report) tries() (all []Cause) {
	for _, c := range r.sorted() {
		if c.State == presentState && c.Change != "" {
			all = append(all, c)
		}
	}
	return all
}

// proof says how to measure the changes.
func (r *Report) proof() string {
	if r.Experiment != "" {
		return "tare run " + r.Experiment
	}
	return r.Writes
}
