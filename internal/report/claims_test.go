package report_test

// This file tests that no sentence claims more than the test that was made: a difference, that there is none, or a
// cause.

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// claimWords are words for the absence of a difference, and for causes. Both need a test of their own.
var claimWords = regexp.MustCompile(`(?i)\b(equivalent|no difference|costs? nothing|takes? nothing|no effect|no cost|not cost|not affect\w*|unaffected|as fast as|as slow as|identical|caused by|causes (?:the|a|an|its)|because of|due to|owing to|thanks to|proved?|proves|explains?|recovers?)\b`)

// claimed are the patterns that may claim so, with what decides that they are printed. A key that ends with a dot
// stands for those that begin with it.
func claimed() map[string]string {
	return map[string]string{
		"sentence.equivalent": "verdict equivalent", "levels.equivalent": "verdict equivalent", "sessions.equivalent": "verdict equivalent",
		"sessions.levels.equivalent": "verdict equivalent", "combined.equivalent": "verdict equivalent", "neighbour.": "verdict of the change",
		"word.equivalent": "verdict", "verdict.equivalent": "verdict", "expect.": "the claim of the experiment",
		"attribution.returns": "the interval of the return excludes zero (mostReturned)", "next.off.why": "the same",
		"explained.": "the state of the finding", "finding.": "the state of the finding", "noise.alarm": "the servers of the A/A check have the same files",
		"sentence.inconclusive": "says that both are possible",
	}
}

// TestClaimsHaveATest: a sentence that is written later and claims the absence of a difference, or a cause, has to name
// what decides it.
func TestClaimsHaveATest(t *testing.T) {
	used := map[string]bool{}
	slots := regexp.MustCompile(`\{[^}]*\}|by more than chance explains|than chance explains`)
	for key, text := range language.English().Report {
		text = slots.ReplaceAllString(text, "x")
		if !claimWords.MatchString(text) || notAboutArms(key) {
			continue
		}
		found := false
		for prefix := range claimed() {
			if strings.HasPrefix(key, prefix) {
				found, used[prefix] = true, true
			}
		}
		if !found {
			t.Errorf("%q claims %q; what decides it? %s", key, claimWords.FindString(text), text)
		}
	}
	for prefix := range claimed() {
		if !used[prefix] {
			t.Errorf("no text of %q claims anything", prefix)
		}
	}
}

// notAboutArms are texts about the program, the machine, files and methods, and not about what a run found.
func notAboutArms(key string) bool {
	for _, prefix := range []string{"reason.ended-", "protocol.", "head.", "page.", "figure.", "help.", "unit"} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return strings.HasSuffix(key, ".reading") || strings.HasSuffix(key, ".question") || strings.HasSuffix(key, ".caption")
}

var (
	saysDifference = regexp.MustCompile(`% (slower|faster|longer|shorter)\b`)
	saysEquivalent = regexp.MustCompile(`\bequivalent\b`)
)

// verbs fails t where a sentence claims what its verdict does not.
func verbs(t *testing.T, verdict, sentence string) {
	t.Helper()
	first, _, _ := strings.Cut(sentence, " Its p") // tails have verdicts of their own
	first, _, _ = strings.Cut(first, " At ")
	for _, busy := range []string{" beside that load: between ", " on the same busy machine: between "} { // what was seen, without a verdict
		first, _, _ = strings.Cut(first, busy)
	}
	first, _, _ = strings.Cut(first, "had another level")
	if saysDifference.MatchString(first) && !slices.Contains([]string{"costs", "gains", "within-margin"}, verdict) {
		t.Errorf("verdict %s: %s", verdict, sentence)
	}
	if saysEquivalent.MatchString(first) && verdict != "equivalent" {
		t.Errorf("verdict %s: %s", verdict, sentence)
	}
}

// TestVerbsFollowVerdicts: in every fixture, no sentence says of a contrast what its verdict does not, and no finding
// explains a cost that is not established.
func TestVerbsFollowVerdicts(t *testing.T) {
	for _, name := range names() {
		doc := open(t, name)
		costly := map[string]bool{}
		for _, c := range doc.Contrasts {
			verbs(t, c.Verdict, c.Sentence)
			costly[c.Arm] = costly[c.Arm] || c.Verdict == "costs"
		}
		for _, a := range doc.Arms {
			for _, p := range a.Tails {
				costly[a.Name] = costly[a.Name] || p.Verdict == "costs"
			}
		}
		for _, e := range doc.Explained {
			for _, f := range e.Findings {
				if (f.State == "explains" || f.State == "proved") && !costly[e.Arm] {
					t.Errorf("%s: %s %s of %s, whose cost is not established", name, f.Rule, f.State, e.Arm)
				}
			}
		}
	}
	for _, after := range []string{"layers", "starved", "unfinished"} {
		s := sessions(t, "demo", after)
		for _, v := range s.Verdicts() {
			verbs(t, v.Verdict, v.Sentence)
		}
	}
	for _, runs := range fleets(t) {
		for _, e := range combined(t, runs).Effects {
			verbs(t, e.Verdict, e.Sentence)
		}
	}
}

// The test above can fail: it sees a cost in the sentence of a contrast that is inconclusive.
func TestVerbsOfAnInconclusiveContrast(t *testing.T) {
	doc := open(t, "demo")
	c := doc.Contrasts[slices.IndexFunc(doc.Contrasts, func(c report.Contrast) bool { return c.Verdict == "costs" })]
	if !saysDifference.MatchString(c.Sentence) {
		t.Errorf("%q says no difference", c.Sentence)
	}
}
