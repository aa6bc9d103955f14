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

// Text writes a result for people, in one of Languages.
func Text(w io.Writer, r Result, language string) {
	p := printer{w, language, wordsOf(language)}
	for _, d := range r.Databases {
		if where := d.Where.String(); strings.HasSuffix(d.Title, " "+where) { // a running server is its own place
			fmt.Fprintf(w, "%s%s%s\n", d.Title, p.words.colon, Say(d.Phrases, language))
			continue
		}
		fmt.Fprintf(w, "%s: %s%s%s\n", d.Where, d.Title, p.words.colon, Say(d.Phrases, language))
	}
	for _, f := range r.Findings {
		if f.Found() {
			p.finding(f)
		}
	}
	p.ruledOut(r)
	p.notChecked(r)
	p.notRead(r)
}

type printer struct {
	io.Writer
	language string
	words    pageWords
}

// says is what a finding says in the language.
func (p printer) says(f Finding) string { return Say(f.Phrases, p.language) }

func (p printer) finding(f Finding) {
	label := p.words.severity[f.Severity]
	if f.Verdict == Hint {
		label += p.words.hint
	}
	fmt.Fprintf(p, "\n%s: %s%s%s [%s]\n", f.Where, label, p.words.colon, p.says(f), f.Rule)
	if impact := f.ImpactIn(p.language); impact != "" {
		fmt.Fprintf(p, "  %s%s%s\n", p.words.impact, p.words.colon, impact)
	}
	if f.Fix != "" {
		fmt.Fprintf(p, "  %s%s%s\n", p.words.fix, p.words.colon, f.FixPhrase.In(p.language))
	}
}

func (p printer) ruledOut(r Result) {
	head := "\n" + p.words.ruledOut + "\n"
	for _, f := range r.Findings {
		if f.Verdict == RuledOut {
			fmt.Fprintf(p, "%s  %s%s%s\n", head, f.Rule, p.words.colon, p.says(f))
			head = ""
		}
	}
}

// notChecked gathers what is unknown by its reason.
func (p printer) notChecked(r Result) {
	var reasons []string
	rules := map[string][]string{}
	for _, f := range r.Findings {
		if f.Verdict != Unknown {
			continue
		}
		why := p.says(f)
		if rules[why] == nil {
			reasons = append(reasons, why)
		}
		if !slices.Contains(rules[why], f.Rule) {
			rules[why] = append(rules[why], f.Rule)
		}
	}
	for i, why := range reasons {
		if i == 0 {
			fmt.Fprintln(p, "\n"+p.words.notChecked)
		}
		fmt.Fprintf(p, "  %s%s%s\n", why, p.words.colon, strings.Join(rules[why], " "))
	}
}

// notRead names the documents that may hold a database and were not read.
func (p printer) notRead(r Result) {
	for i, u := range r.Unread {
		if i == 0 {
			fmt.Fprintln(p, "\n"+p.words.notRead)
		}
		fmt.Fprintf(p, "  %s: %s%s%s\n", u.Where, u.Title, p.words.colon, u.Why.In(p.language))
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
	// NotMade is why --fix changes nothing where Fix names a value.
	NotMade string `json:"notMade,omitempty"`
}

type jsonDatabase struct {
	Title string `json:"title"`
	At    place  `json:"at"`
	Says  string `json:"says"`
	// Memory is absent where it is not known.
	Memory *MemoryTaken `json:"memory,omitempty"`
}

type jsonUnread struct {
	Title string `json:"title"`
	At    place  `json:"at"`
	Why   string `json:"why"`
}

// JSON writes a result for programs: databases and findings, unknown ones too.
func JSON(w io.Writer, r Result) error {
	out := struct {
		Databases []jsonDatabase `json:"databases"`
		NotRead   []jsonUnread   `json:"notRead"`
		Findings  []jsonFinding  `json:"findings"`
	}{[]jsonDatabase{}, []jsonUnread{}, []jsonFinding{}}
	for _, u := range r.Unread {
		out.NotRead = append(out.NotRead, jsonUnread{u.Title, placeOf(u.Where), u.Why.String()})
	}
	for _, d := range r.Databases {
		out.Databases = append(out.Databases, jsonDatabase{d.Title, placeOf(d.Where), d.Says, d.Memory})
	}
	for _, f := range r.Findings {
		j := jsonFinding{f.Rule, f.Title, f.Verdict, f.Severity, f.Subject, placeOf(f.Where), f.Says, f.Impact, f.Fix, nil, f.NotMade.String()}
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
