package report

import (
	"fmt"
	"io"
	"strings"
)

// commentLimit is what GitHub takes as one comment, less some room for what a
// workflow adds around it.
const commentLimit = 65_000

// MarkdownMark opens every Markdown report, invisibly, so that a workflow can
// find its own comment and replace it.
const MarkdownMark = "<!-- tare:result -->"

// Markdown writes the report as a comment for a pull request or a job summary.
func Markdown(w io.Writer, doc *Document) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n### tare: %s\n\n", MarkdownMark, md(doc.Run.Name))
	markdownAnswers(&b, doc)
	if len(doc.Contrasts) > 0 && !doc.sealed() {
		markdownTable(&b, shortContrastTable(doc))
	}
	for _, warning := range doc.Warnings {
		fmt.Fprintf(&b, "- %s\n", md(cut(warning, 600)))
	}
	fmt.Fprintf(&b, "\n%s\n\n", md(doc.Scope))
	left := 0
	for _, s := range Sections()[1:] {
		if !s.isShownIn(doc) {
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
		b.WriteString(doc.say("markdown.left-out", "sections", doc.count(left, "section")) + "\n")
	}
	if doc.Run.PlanHash != "" {
		fmt.Fprintf(&b, "\n<sub>%s</sub>\n", doc.say("markdown.plan", "tare", md(doc.Tare), "hash", md(doc.Run.PlanHash)))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// markdownAnswers is a callout whose kind is that of the gravest verdict.
func markdownAnswers(b *strings.Builder, doc *Document) {
	callout := "NOTE"
	rank := len(marks())
	for _, c := range doc.Contrasts {
		for i, m := range marks() {
			if m.verdict == c.Verdict && i < rank {
				rank, callout = i, callouts(c.Verdict)
			}
		}
	}
	fmt.Fprintf(b, "> [!%s]\n", callout)
	for i, a := range answers(doc) {
		if i > 0 {
			b.WriteString(">\n")
		}
		word := ""
		if a.Word != "" {
			word = "**" + a.Glyph + " " + a.Word + "** "
		}
		fmt.Fprintf(b, "> %s%s\n", word, md(a.Sentence))
	}
	b.WriteString("\n")
}

func callouts(verdict string) string {
	switch verdict {
	case "costs":
		return "CAUTION"
	case "gains":
		return "TIP"
	case "equivalent", "within-margin", "sealed":
		return "NOTE"
	}
	return "WARNING"
}

// shortContrastTable has the columns that a reviewer reads.
func shortContrastTable(doc *Document) Table {
	t := Table{Head: doc.heads("arm", "baseline-unit", "arm-unit", "cost", "in95", "rounds", "verdict")}
	if doc.Run.Imported {
		t.Head[5] = doc.say("head.trials")
	}
	for i := range doc.Contrasts {
		c := &doc.Contrasts[i]
		mid, in95, _ := doc.words().costCells(c)
		t.Rows = append(t.Rows, []Cell{
			words(doc.label(c.Arm, c.Threads)), number(doc.meanOf(c.Baseline, c.Threads)), number(doc.meanOf(c.Arm, c.Threads)),
			number(mid), number(in95), number(fmt.Sprint(c.Rounds)), doc.words().verdictCell(c.Verdict),
		})
	}
	return t
}

func (doc *Document) meanOf(arm string, threads int) string {
	if a := doc.arm(arm, threads); a != nil {
		return orDash(a.ThroughputMean)
	}
	return "-"
}

func markdownSection(doc *Document, s Section) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<details><summary>%s</summary>\n\n%s\n\n", md(s.question(doc)), md(long(s.Sentence(doc))))
	for _, t := range s.Tables(doc) {
		if t.Code != "" {
			fence := fenceFor(t.Code)
			fmt.Fprintf(&b, "%syaml\n%s\n%s\n\n", fence, strings.TrimRight(t.Code, "\n"), fence)
			continue
		}
		if len(t.Rows) > 0 {
			markdownTable(&b, t)
		}
	}
	b.WriteString("</details>\n")
	return b.String()
}

// fenceFor is longer than any run of backticks within.
func fenceFor(code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence
}

func markdownTable(b *strings.Builder, t Table) {
	row := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	head, rule := make([]string, len(t.Head)), make([]string, len(t.Head))
	for i, h := range t.Head {
		head[i], rule[i] = md(h), "---"
		if t.NumberColumn(i) {
			rule[i] = "---:"
		}
	}
	row(head)
	row(rule)
	for _, r := range t.Rows {
		cells := make([]string, len(r))
		for i, c := range r {
			cells[i] = md(c.Text)
			if c.Verdict != "" {
				cells[i] = markOf(c.Verdict).glyph + " " + md(c.Text)
			}
		}
		row(cells)
	}
	b.WriteString("\n")
}

// md makes text literal in GitHub's Markdown. A mention is broken by a zero-width
// space: an entity would be decoded before GitHub looks for mentions.
func md(s string) string {
	s = visible(s, false)
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
