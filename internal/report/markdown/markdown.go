// Package markdown writes reports as comments for pull requests and job summaries.
package markdown

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/report/section"
)

// commentLimit is what GitHub takes as one comment, less some room for what a
// workflow adds around it.
const commentLimit = 65_000

// Mark opens every Markdown report, invisibly, so that a workflow can
// find its own comment and replace it.
const Mark = "<!-- tare:result -->"

// Write writes the report as a comment for a pull request or a job summary.
func Write(w io.Writer, doc *report.Document) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n### tare: %s\n\n", Mark, Escape(doc.Run.Name))
	markdownAnswers(&b, doc)
	if len(doc.Contrasts) > 0 && !doc.Sealed() {
		markdownTable(&b, section.ShortContrasts(doc))
	}
	markdownDetails(&b, doc)
	for _, warning := range doc.Warnings {
		fmt.Fprintf(&b, "- %s\n", Escape(safe.Cut(warning, 600)))
	}
	fmt.Fprintf(&b, "\n%s\n\n", Escape(doc.Scope))
	if details := doc.Details(); len(details) > 0 {
		fmt.Fprintf(&b, "<details><summary>%s</summary>\n\n%s\n\n</details>\n\n", doc.Say("page.details"), Escape(doc.Language().List("sentences", details)))
	}
	left := 0
	for _, s := range section.Sections()[1:] {
		if !s.IsShownIn(doc) {
			continue
		}
		part := markdownSection(doc, s)
		if b.Len()+len(part) > commentLimit {
			left++
			continue
		}
		b.WriteString(part)
	}
	if left > 0 {
		b.WriteString(doc.Say("markdown.left-out", "sections", doc.Count(left, "section")) + "\n")
	}
	if doc.Run.PlanHash != "" {
		fmt.Fprintf(&b, "\n<sub>%s</sub>\n", doc.Say("markdown.plan", "tare", Escape(doc.Tare), "hash", Escape(doc.Run.PlanHash)))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// markdownAnswers is a callout whose kind is that of the gravest verdict.
func markdownAnswers(b *strings.Builder, doc *report.Document) {
	callout := "NOTE"
	rank := len(report.Marks())
	for _, c := range doc.Contrasts {
		for i, m := range report.Marks() {
			if m.Verdict == c.Shown() && i < rank {
				rank, callout = i, callouts(c.Shown())
			}
		}
	}
	fmt.Fprintf(b, "> [!%s]\n", callout)
	for i, a := range section.First(doc) {
		if i > 0 {
			b.WriteString(">\n")
		}
		fmt.Fprintf(b, "> %s\n", said(a))
	}
	b.WriteString("\n")
}

// markdownDetails is what the answers are made of.
func markdownDetails(b *strings.Builder, doc *report.Document) {
	all := slices.Concat(section.Leads(doc), section.Others(doc), section.Asides(doc))
	for _, a := range all {
		fmt.Fprintf(b, "%s\n\n", said(a))
	}
}

func said(a section.Answer) string {
	if a.Word == "" {
		return Escape(a.Sentence)
	}
	return "**" + a.Glyph + " " + a.Word + "** " + Escape(a.Sentence)
}

func callouts(verdict string) string {
	switch verdict {
	case "costs":
		return "CAUTION"
	case "gains":
		return "TIP"
	case "equivalent", "within-margin", "sealed", "early":
		return "NOTE"
	}
	return "WARNING"
}

func markdownSection(doc *report.Document, s section.Section) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<details><summary>%s</summary>\n\n%s\n\n", Escape(s.Question(doc)), Escape(safe.Sentence(s.Sentence(doc))))
	for _, t := range s.TablesIn(doc) {
		if t.Code != "" {
			fence := FenceFor(t.Code)
			fmt.Fprintf(&b, "%syaml\n%s\n%s\n\n", fence, strings.TrimRight(t.Code, "\n"), fence)
			continue
		}
		if len(t.Rows) > 0 {
			markdownTable(&b, t)
		}
	}
	if note := doc.MeansNote(); s.ID == "arms" && note != "" { // its throughputs are of other rounds
		fmt.Fprintf(&b, "%s\n\n", Escape(note))
	}
	b.WriteString("</details>\n")
	return b.String()
}

// FenceFor is longer than any run of backticks within.
func FenceFor(code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence
}

func markdownTable(b *strings.Builder, t section.Table) {
	row := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	head, rule := make([]string, len(t.Head)), make([]string, len(t.Head))
	for i, h := range t.Head {
		head[i], rule[i] = Escape(h), "---"
		if t.NumberColumn(i) {
			rule[i] = "---:"
		}
	}
	row(head)
	row(rule)
	for _, r := range t.Rows {
		cells := make([]string, len(r))
		for i, c := range r {
			cells[i] = Escape(c.Text)
			if c.Verdict != "" {
				cells[i] = report.MarkOf(c.Verdict).Glyph + " " + Escape(c.Text)
			}
		}
		row(cells)
	}
	b.WriteString("\n")
}

// Escape makes text literal in GitHub's Markdown. A mention is broken by a zero-width
// space: an entity would be decoded before GitHub looks for mentions.
// Commands of the language files are code.
func Escape(s string) string {
	var b strings.Builder
	for i, part := range safe.Commands(safe.Visible(s, false)) {
		if i%2 == 1 && !strings.Contains(part, "|") { // which ends a cell, also within code
			part = "`" + part + "`"
		} else {
			part = literal(part)
		}
		b.WriteString(part)
	}
	return b.String()
}

// literal escapes what Markdown would read.
func literal(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch r {
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '@':
			b.WriteString("@\u200b")
		case '\\', '`', '*', '_', '[', ']', '|', '#', '~', '$', '!':
			b.WriteRune('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
