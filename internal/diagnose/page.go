package diagnose

// This file writes a rule's page: what `tare explain` prints and what stands in
// docs/rules.

import (
	"fmt"
	"strings"
)

// Page is the rule at length, in Markdown.
func (r Rule) Page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n", r.ID, r.Title)
	var needs []string
	if r.Run != nil {
		needs = append(needs, "a run (`tare run`)")
	}
	for _, n := range r.Needs {
		needs = append(needs, n.Help)
	}
	fmt.Fprintf(&b, "Severity: %s. Needs: %s.\n\n", r.Severity, strings.Join(needs, "; "))
	impact := r.Impact
	if impact == "" {
		impact = "No figure is published that could be relied on; measure it (`tare run`)."
	}
	for _, s := range []struct{ head, text string }{{"What happens", r.What}, {"Impact", impact}, {"Fix", r.Fix}} {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", s.head, wrap(s.text))
	}
	b.WriteString("## Sources\n\n")
	for _, s := range r.Sources {
		fmt.Fprintf(&b, "- %s\n", s)
	}
	return b.String()
}

// wrap breaks lines at 90 characters.
func wrap(s string) string {
	var b strings.Builder
	width := 0
	for i, word := range strings.Fields(s) {
		if i > 0 && width+1+len(word) > 90 {
			b.WriteByte('\n')
			width = 0
		} else if i > 0 {
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String()
}

// Index is the table of all rules, in Markdown.
func Index(rules []Rule) string {
	var b strings.Builder
	b.WriteString("# Rules\n\nWhat `tare lint` looks for in files, and `tare remedy` in runs (C). Written by `go test ./internal/diagnose -update` from the rules\nthemselves; `tare explain ID` prints the same pages.\n\n| rule | what | severity |\n|---|---|---|\n")
	for _, r := range rules {
		fmt.Fprintf(&b, "| [%s](rules/%s.md) | %s | %s |\n", r.ID, r.ID, r.Title, r.Severity)
	}
	return b.String()
}
