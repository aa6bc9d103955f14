package report_test

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/page"
	"github.com/tarebench/tare/internal/report/text"
)

func sessions(t *testing.T, before, after string) *report.Sessions {
	t.Helper()
	var runs [2]*record.Run
	for i, name := range []string{before, after} {
		r, err := record.Open(filepath.Join("testdata", "runs", name))
		if err != nil {
			t.Fatal(err)
		}
		runs[i] = r
	}
	gate, err := compare.ParseGate("throughput<-3%")
	if err != nil {
		t.Fatal(err)
	}
	s, err := report.BuildSessions(runs[0], runs[1], report.SessionsAsked{Gates: []compare.Gate{gate}}, "test")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSessions: two runs in every format, with numbers, without, and unfinished.
func TestSessions(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "docs", "sessions.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []string{"layers", "starved", "unfinished"} {
		s := sessions(t, "demo", after)
		var plain, comment, json bytes.Buffer
		for _, err := range []error{text.Sessions(&plain, s, text.Options{Width: 80, Unicode: true}), markdown.Sessions(&comment, s), report.SessionsJSON(&json, s)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		golden(t, "sessions-"+after+".txt", plain.Bytes())
		golden(t, "sessions-"+after+".md", comment.Bytes())
		golden(t, "sessions-"+after+".json", json.Bytes())
		v, err := jsonschema.UnmarshalJSON(&json)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", after, err)
		}
	}
	if failed := sessions(t, "demo", "starved").Failed(); len(failed) == 0 {
		t.Error("a gate passed where an arm starved")
	}
}

// sessionsPageOfTest keeps the script out of the goldens, as testPage does.
func sessionsPageOfTest(t *testing.T, s *report.Sessions) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := page.Sessions(&b, s, page.Assets{Script: "/* script */", Style: "/* style */"}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Nothing of a comparison stays English, and no number is lost on the way; the
// comparison itself stays as it was.
func TestSessionsInEveryLanguage(t *testing.T) {
	letters := regexp.MustCompile(`[a-z]{2,}( [a-z]{2,}){3}`)
	number := regexp.MustCompile(`-?[0-9][0-9,.]*[0-9]|[0-9]`)
	for _, after := range []string{"layers", "starved", "unfinished"} {
		en := sessions(t, "demo", after)
		for _, tag := range language.Tags()[1:] {
			s, err := en.In(tag)
			if err != nil {
				t.Fatal(err)
			}
			var plain bytes.Buffer
			if err := text.Sessions(&plain, s, text.Options{Width: 80, Unicode: true}); err != nil {
				t.Fatal(err)
			}
			golden(t, "sessions-"+after+"."+tag+".txt", plain.Bytes())
			for i, c := range s.Contrasts {
				want, got := number.FindAllString(en.Contrasts[i].Sentence, -1), number.FindAllString(c.Sentence, -1)
				slices.Sort(want)
				slices.Sort(got)
				if !slices.Equal(want, got) {
					t.Errorf("%q has the numbers %v, %q has %v", en.Contrasts[i].Sentence, want, c.Sentence, got)
				}
				said, _, _ := strings.Cut(c.Sentence+c.Reason, "（试验") // a target's own words
				if letters.MatchString(said) {
					t.Errorf("%s: %q is not translated", tag, said)
				}
			}
			for i, g := range s.Gates {
				if g.Reason == en.Gates[i].Reason {
					t.Errorf("%s: %q is not translated", tag, g.Reason)
				}
			}
			if s.Warnings[0] == en.Warnings[0] {
				t.Errorf("%s: %q is not translated", tag, s.Warnings[0])
			}
			if back, err := s.In("en"); err != nil || back.Contrasts[0].Sentence != en.Contrasts[0].Sentence {
				t.Errorf("back in English: %v, %q", err, back.Contrasts[0].Sentence)
			}
		}
	}
}

// The page of two runs with hostile names has the elements of one with harmless names.
func TestHostileSessionsMakeNoElements(t *testing.T) {
	page := func(name func(i int) string) []byte {
		before, after := spread(name), spread(name)
		after.Trials[3].Facts[0].Value += name(4)
		s, err := report.BuildSessions(before, after, report.SessionsAsked{}, "test")
		if err != nil {
			t.Fatal(err)
		}
		return sessionsPageOfTest(t, s)
	}
	want := elements(t, page(func(i int) string { return "name" + string(rune('a'+i)) }))
	hostilePage := page(func(i int) string { return hostile()[i] })
	if diff := cmp.Diff(want, elements(t, hostilePage)); diff != "" {
		t.Errorf("elements (-harmless +hostile):\n%s", diff)
	}
	checkInert(t, "html", string(hostilePage[:bytes.Index(hostilePage, []byte(`<script type="application/json"`))]))
}

// TestReanalysis: the same files give the same bytes, in every format.
func TestReanalysis(t *testing.T) {
	for _, name := range names() {
		var first []byte
		for range 2 {
			doc := reopen(t, name)
			var b bytes.Buffer
			for _, err := range []error{
				text.Write(&b, doc, text.Options{Width: 80}), markdown.Write(&b, doc), report.JSON(&b, doc), page.Write(&b, doc, page.Embedded()),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			if first == nil {
				first = b.Bytes()
			} else if !bytes.Equal(first, b.Bytes()) {
				t.Errorf("%s: the same run gave two reports", name)
			}
		}
	}
}
