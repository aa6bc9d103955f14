// Package live writes what a running server showed while another program loaded it, as
// text, JSON and Markdown, and as a page.
package live

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/safe"
)

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
	// Unit is what Rate counts and Budget divides: a transaction, or a statement where the
	// server does not time transactions.
	Unit   string         `json:"unit"`
	Rate   report.Number  `json:"per_second"`
	Budget []report.Spent `json:"budget"`
	// BudgetUnknown says why there is no budget; "" if there is one.
	BudgetUnknown string  `json:"budget_unknown,omitempty"`
	Causes        []Cause `json:"causes"`
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
	// Again is the command that watches the server.
	Again string `json:"-"`
}

// Cause is what one rule says. State is "confirmed", "hint", "ruled-out" or "unknown".
type Cause struct {
	Rule     string `json:"rule"`
	Title    string `json:"title"`
	State    string `json:"state"`
	Evidence string `json:"evidence"`
	Fix      string `json:"fix,omitempty"`
	// Change is a merge patch (RFC 7386) of an arm's settings, as YAML, that a run can
	// measure; "" where no arm can show it.
	Change string `json:"change,omitempty"`
}

// ConfirmedState is the State of a cause that the counters show.
const ConfirmedState = "confirmed"

// CauseOf is a finding of a running server.
func CauseOf(f diagnose.Finding) Cause {
	state := string(f.Verdict)
	if f.Verdict == diagnose.RuledOut {
		state = "ruled-out"
	}
	return Cause{f.Rule, f.Title, state, f.Says, f.Fix, f.Change}
}

// Confirmed is the number of causes that are confirmed.
func (r *Report) Confirmed() (n int) {
	for _, c := range r.Causes {
		if c.State == ConfirmedState {
			n++
		}
	}
	return n
}

// Formats are the formats of Write.
func Formats() []string { return []string{"text", "md", "json", "html"} }

// Write prints the report in one of Formats.
func (r *Report) Write(w io.Writer, format string) error {
	switch format {
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", " ")
		return enc.Encode(r)
	case "md":
		return r.markdown(w)
	case "html":
		return r.html(w)
	}
	return r.text(w)
}

// took says what the watching has cost.
func (r *Report) took() string {
	where := "this machine"
	if r.ProbesOn != "" {
		where = "node " + r.ProbesOn
	}
	return fmt.Sprintf("Watching took %s of one CPU on %s. The server worked on tare's queries for %s of the time.", share(r.ProbesCPU), safe.Name(where), share(r.ServerTime))
}

// noBudget says why there is no budget.
func (r *Report) noBudget() string {
	if len(r.Budget) > 0 || r.BudgetUnknown == "" {
		return ""
	}
	return "Time budget unknown: " + safe.Name(r.BudgetUnknown) + "."
}

// gone says that the server has ended.
func (r *Report) gone() string {
	if r.Ended == 0 {
		return ""
	}
	return fmt.Sprintf("The server ended or stopped answering %.1f s after the beginning. The report covers the time before.", r.Ended)
}

func share(n report.Number) string {
	if !n.Known() {
		return "an unknown share"
	}
	return fmt.Sprintf("%.2f %%", 100*float64(n))
}

// sorted are the causes and the findings for settings, the confirmed ones first.
func (r *Report) sorted() []Cause {
	all := append(slices.Clone(r.Causes), r.Settings...)
	order := []string{ConfirmedState, "hint", "ruled-out", "unknown"}
	slices.SortStableFunc(all, func(a, b Cause) int { return slices.Index(order, a.State) - slices.Index(order, b.State) })
	return all
}

// tries are the causes for which a run can measure a change.
func (r *Report) tries() (all []Cause) {
	for _, c := range r.sorted() {
		if c.State == ConfirmedState && c.Change != "" {
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
	return r.Again + " --experiment try.yaml"
}

func (r *Report) text(w io.Writer) error {
	fmt.Fprintf(w, "%s, %s, watched for %.1f s: %.1f %ss/s\n", safe.Name(r.Server), safe.Name(r.Version), r.Seconds, float64(r.Rate), r.Unit)
	if r.Ended > 0 {
		fmt.Fprintln(w, r.gone())
	}
	fmt.Fprintf(w, "%s\n\n", r.took())
	if len(r.Budget) > 0 {
		fmt.Fprintf(w, "time budget of an average %s\n", r.Unit)
		columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, p := range r.Budget {
			fmt.Fprintf(columns, "  %s\t%.3f ms\t\n", p.Name, float64(p.Milliseconds))
		}
		if err := columns.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if why := r.noBudget(); why != "" {
		fmt.Fprintf(w, "%s\n\n", why)
	}
	for _, c := range r.sorted() {
		fmt.Fprintf(w, "%s: %s: %s\n  %s\n", c.State, c.Rule, safe.Name(c.Title), safe.Name(c.Evidence))
		if c.Fix != "" {
			fmt.Fprintf(w, "  Fix: %s\n", safe.Name(c.Fix))
		}
	}
	if len(r.tries()) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nchanges to measure")
	for _, c := range r.tries() {
		fmt.Fprintf(w, "  %s: %s\n", c.Rule, safe.Name(c.Change))
	}
	_, err := fmt.Fprintf(w, "  Measure them with: %s\n", safe.Name(r.proof()))
	return err
}

func (r *Report) markdown(w io.Writer) error {
	fmt.Fprintf(w, "### tare: %s\n\n%s, watched for %.1f s: %.1f %ss/s. %s\n", markdown.Escape(r.Server), markdown.Escape(r.Version), r.Seconds, float64(r.Rate), r.Unit, markdown.Escape(r.took()))
	if r.Ended > 0 {
		fmt.Fprintf(w, "\n**%s**\n", r.gone())
	}
	if len(r.Budget) > 0 {
		fmt.Fprintf(w, "\n| time budget of an average %s | ms |\n|---|---:|\n", r.Unit)
		for _, p := range r.Budget {
			fmt.Fprintf(w, "| %s | %.3f |\n", markdown.Escape(p.Name), float64(p.Milliseconds))
		}
	}
	if why := r.noBudget(); why != "" {
		fmt.Fprintf(w, "\n%s\n", markdown.Escape(why))
	}
	fmt.Fprint(w, "\n| state | rule | cause | evidence | fix |\n|---|---|---|---|---|\n")
	for _, c := range r.sorted() {
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", c.State, c.Rule, markdown.Escape(c.Title), markdown.Escape(c.Evidence), markdown.Escape(c.Fix))
	}
	if len(r.tries()) == 0 {
		return nil
	}
	fmt.Fprint(w, "\nChanges to measure:\n\n")
	for _, c := range r.tries() {
		fmt.Fprintf(w, "- %s: `%s`\n", c.Rule, safe.Name(c.Change))
	}
	fence := markdown.FenceFor(r.proof())
	_, err := fmt.Fprintf(w, "\n%ssh\n%s\n%s\n", fence, safe.Name(r.proof()), fence)
	return err
}
