package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/text"
)

// TestHypotheses: every claim of the experiment has its result, with the interval that decides
// it, on the terminal and in each language; a run that is not finished judges none.
func TestHypotheses(t *testing.T) {
	doc := open(t, "verdicts")
	var got []string
	for _, h := range doc.Hypotheses {
		got = append(got, h.Support)
	}
	if strings.Join(got, " ") != "supported contradicted open" {
		t.Fatalf("%v", got)
	}
	var b bytes.Buffer
	if err := text.Write(&b, doc, text.Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Supported: costs slower (cost of costs: +", "Contradicted: within faster (cost of within: ", "Inconclusive: unclear alike (cost of unclear: "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	for _, l := range language.All() {
		if said := sectionOf("hypotheses").Sentence(doc.InLanguage(l)); strings.ContainsAny(said, "{}") {
			t.Errorf("%s: %q has an empty slot", l.Tag, said)
		}
	}
	if sectionOf("hypotheses").Shown(open(t, "demo")) {
		t.Error("an experiment without a claim has a section about claims")
	}
}

// TestSentencesAreWhole: what a run shows is longer than a name may be, and is not cut.
func TestSentencesAreWhole(t *testing.T) {
	doc := *open(t, "verdicts")
	long := strings.Repeat("no interval at 4 threads (inconclusive); ", 8) + "and at 64 threads neither."
	doc.Hypotheses = []report.Hypothesis{{Sentence: long}}
	var b bytes.Buffer
	if err := text.Write(&b, &doc, text.Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(said, long) {
		t.Errorf("%q is not in\n%s", long, b.String())
	}
}
