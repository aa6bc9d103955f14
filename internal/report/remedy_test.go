package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/page"
	"github.com/tarebench/tare/internal/report/text"
)

// remedied is a run whose arms are remedies: one that helps, one that costs, one
// that does nothing, one that cannot be told.
func remedied(t *testing.T) *report.Document {
	t.Helper()
	yaml := fmt.Sprintf(head, "remedies", "8", 8, "  bare: {target: process}\n") + "remedies:\n"
	for _, name := range []string{"gains", "costs", "equivalent", "unclear"} {
		yaml += fmt.Sprintf("  %s: {rule: M-IO-02, finding: \"<b>%s</b> | of %s\", change: {config: {innodb_%s: 1}}}\n", name, name, name, name)
	}
	dir := t.TempDir() + "/run"
	fixture{name: "remedies", yaml: yaml, level: verdictLevel, facts: func(string) []record.Fact { return hostFacts() }}.write(t, dir)
	run, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := report.Build(run, "test")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// Every view says of each remedy what becomes of it and by which interval, and
// the document follows its schema.
func TestRemedies(t *testing.T) {
	doc := remedied(t)
	got := map[string]string{}
	for _, m := range doc.Remedies {
		got[m.Arm] = m.Decision
		if !strings.Contains(m.Sentence, language.English().Say("remedy."+m.Decision)+"; cost ") || !strings.Contains(m.Sentence, "[") {
			t.Errorf("%s: %s", m.Arm, m.Sentence)
		}
	}
	want := map[string]string{"gains": "kept", "costs": "rejected", "equivalent": "rejected", "unclear": "undecided"}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
	if err := schema(t).Validate(any(jsonValue(t, doc))); err != nil {
		t.Error(err)
	}
	var plain, md, whole bytes.Buffer
	for _, err := range []error{text.Write(&plain, doc, text.Options{Width: 100}), markdown.Write(&md, doc), page.Write(&whole, doc, page.Assets{Script: "/* */"})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, view := range map[string]string{"text": plain.String(), "markdown": md.String(), "page": whole.String()} {
		if !strings.Contains(strings.Join(strings.Fields(view), " "), "Remedy gains (M-IO-02") {
			t.Errorf("%s says nothing of the remedies", name)
		}
		if name != "text" && !strings.Contains(view, "Measured remedies") {
			t.Errorf("%s lacks the section", name)
		}
		if rendered, _, _ := strings.Cut(view, "apiVersion:"); strings.Contains(rendered, "<b>gains") {
			t.Errorf("%s lets a finding speak its own language", name)
		}
	}
}

// A sealed run says no more of remedies than of anything else.
func TestSealedRemedies(t *testing.T) {
	doc := remedied(t)
	for i := range doc.Contrasts {
		doc.Contrasts[i].Verdict = "sealed"
	}
	if lines := report.Headline(doc); len(lines) != 1 {
		t.Errorf("%q", lines)
	}
}
