package report_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/page"
	"github.com/tarebench/tare/internal/report/text"
)

// TestFirstScreen: the first 24 lines of the text need three of the terms, and begin with what to do, or else with one sentence of conclusion.
// The details of the method are behind everything else.
func TestFirstScreen(t *testing.T) {
	for name, conclusion := range map[string]string{
		"demo":   "guaranteed has 70.4 % [63.6, 77.5] more throughput than besteffort: use it.",
		"layers": "Compared with bare: pod is 10 % slower; container-quota-network is 9.5 % slower.",
	} {
		var out strings.Builder
		if err := text.Write(&out, open(t, name), text.Options{Width: 80, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(out.String(), "\n")
		screen := strings.Join(lines[:24], "\n")
		if !strings.Contains(strings.Join(lines[2:6], " "), conclusion) {
			t.Errorf("%s begins\n%s\nwant %s", name, screen, conclusion)
		}
		for _, term := range []string{"arm", "trial", "turn", "slice", "lead-in", "plan", "gate", "void", "sealed", "contrast", "caveat"} {
			if regexp.MustCompile(`(?i)\b` + term + `s?\b`).MatchString(screen) {
				t.Errorf("%s: the first screen has the term %s\n%s", name, term, screen)
			}
		}
		if at := strings.Index(out.String(), "simulated"); at < len(screen) {
			t.Errorf("%s: details of the method on the first screen", name)
		}
	}
}

// TestNoConclusion: one verdict is its own conclusion, and a run that is not finished has none.
func TestNoConclusion(t *testing.T) {
	for _, name := range []string{"unfinished", "imported"} {
		if said := open(t, name).Conclusion(); said != "" {
			t.Errorf("%s: %s", name, said)
		}
	}
}

// TestPageExplainsTerms: a term of the page is a button, so that keyboard and touch come to it, whose description is
// what `tare explain` says, in every language.
func TestPageExplainsTerms(t *testing.T) {
	for _, l := range language.All() {
		var out strings.Builder
		if err := page.Write(&out, open(t, "layers").InLanguage(l), page.Assets{}); err != nil {
			t.Fatal(err)
		}
		button := regexp.MustCompile(`<button type="button" aria-describedby="([^"]+)"[^>]*>([^<]+)</button><span role="tooltip" id="([^"]+)"[^>]*>([^<]+)</span>`)
		var ids []string
		for _, m := range button.FindAllStringSubmatch(out.String(), -1) {
			name := strings.TrimPrefix(m[1], "term-")
			meaning := l.Term(name) + l.Term(strings.Replace(name, "open-", "open ", 1))
			if name != "open-loop" {
				meaning = l.Term(name)
			}
			if m[1] != m[3] || slices.Contains(ids, m[1]) || meaning == "" || m[4] != meaning {
				t.Errorf("%s: %q", l.Tag, m)
			}
			ids = append(ids, m[1])
		}
		for _, want := range []string{"term-round", "term-interval", "term-margin", "term-layer"} {
			if !slices.Contains(ids, want) {
				t.Errorf("%s: the page does not explain %s; it has %s", l.Tag, want, ids)
			}
		}
	}
}
