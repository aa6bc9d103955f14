package diagnose

// This file writes a result as text and as JSON. In text each finding is a line
// that editors jump to, with the impact and the fix below it; what was not
// checked is one line for each reason.

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

// Text writes a result for people.
func Text(w io.Writer, r Result) {
	for _, d := range r.Databases {
		fmt.Fprintf(w, "%s: %s: %s\n", d.Where, d.Title, d.Says)
	}
	for _, f := range r.Findings {
		if f.Found() {
			printFinding(w, f)
		}
	}
	printRuledOut(w, r)
	printNotChecked(w, r)
}

func printFinding(w io.Writer, f Finding) {
	label := string(f.Severity)
	if f.Verdict == Hint {
		label += " (hint)"
	}
	fmt.Fprintf(w, "\n%s: %s: %s [%s]\n", f.Where, label, f.Says, f.Rule)
	if f.Impact != "" {
		fmt.Fprintf(w, "  Impact: %s\n", f.Impact)
	}
	if f.Fix != "" {
		fmt.Fprintf(w, "  Fix: %s\n", f.Fix)
	}
}

func printRuledOut(w io.Writer, r Result) {
	head := "\nRuled out:\n"
	for _, f := range r.Findings {
		if f.Verdict == RuledOut {
			fmt.Fprintf(w, "%s  %s: %s\n", head, f.Rule, f.Says)
			head = ""
		}
	}
}

// printNotChecked gathers what is unknown by its reason.
func printNotChecked(w io.Writer, r Result) {
	var reasons []string
	rules := map[string][]string{}
	for _, f := range r.Findings {
		if f.Verdict != Unknown {
			continue
		}
		if rules[f.Says] == nil {
			reasons = append(reasons, f.Says)
		}
		if !slices.Contains(rules[f.Says], f.Rule) {
			rules[f.Says] = append(rules[f.Says], f.Rule)
		}
	}
	for i, why := range reasons {
		if i == 0 {
			fmt.Fprintln(w, "\nNot checked:")
		}
		fmt.Fprintf(w, "  %s: %s\n", why, strings.Join(rules[why], " "))
	}
}

// place is a spot in JSON.
type place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

func placeOf(s manifest.Spot) place { return place{s.File, s.Line, s.Column} }

type jsonEdit struct {
	At   place  `json:"at"`
	Text string `json:"text"`
}

type jsonFinding struct {
	Rule     string     `json:"rule"`
	Title    string     `json:"title"`
	Verdict  Verdict    `json:"verdict"`
	Severity Severity   `json:"severity"`
	Subject  string     `json:"subject"`
	At       place      `json:"at"`
	Says     string     `json:"says"`
	Impact   string     `json:"impact,omitempty"`
	Fix      string     `json:"fix,omitempty"`
	Edits    []jsonEdit `json:"edits,omitempty"`
}

type jsonDatabase struct {
	Title string `json:"title"`
	At    place  `json:"at"`
	Says  string `json:"says"`
}

// JSON writes a result for programs: databases and findings, unknown ones too.
func JSON(w io.Writer, r Result) error {
	out := struct {
		Databases []jsonDatabase `json:"databases"`
		Findings  []jsonFinding  `json:"findings"`
	}{[]jsonDatabase{}, []jsonFinding{}}
	for _, d := range r.Databases {
		out.Databases = append(out.Databases, jsonDatabase{d.Title, placeOf(d.Where), d.Says})
	}
	for _, f := range r.Findings {
		j := jsonFinding{f.Rule, f.Title, f.Verdict, f.Severity, f.Subject, placeOf(f.Where), f.Says, f.Impact, f.Fix, nil}
		for _, e := range f.Edits {
			j.Edits = append(j.Edits, jsonEdit{placeOf(e.At), e.Text})
		}
		out.Findings = append(out.Findings, j)
	}
	return encode(w, out)
}

// encode writes JSON as both formats have it: indented, and < and > as they are.
func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(v)
}
