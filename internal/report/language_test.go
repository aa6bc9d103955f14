package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/section"
	"github.com/tarebench/tare/internal/report/text"
)

// A key that the program asks for exists, and one that exists is asked for: in the
// program as a whole literal, or built from a part that stands below.
func TestEveryWordIsUsed(t *testing.T) {
	built := []string{"verdict.", "word.", "sentence.", "head.", "made.", "remedy.", "fate.", "gate.", "finding.", "interval.", "outcome.", "outcomes.", "reason.", "seen.", "protocol.", "memory.", "owner.", "expect.", "hypothesis.", "levels.", "confidence.", "unit.", "explained.", "span.", "neighbour.own.", "neighbour.takes.", "neighbour.apart.", "conclusion.", "term.",
		"watched.rate.", "watched.budget.", "watched.budget-title.", "watched.few.", "watched.whole.", "watched.largest.", "watched.exceed.", "watched.at-most.", "watched.state.", "watched.untimed."}
	built = append(built, "answer.")
	source := ""
	var files []string
	for _, where := range []string{"*.go", "*/*.go", "page/*.tmpl", "live/live.html", "../serve/*.go", "../serve/page/*.tmpl", "../../cmd/tare/protocol.go", "../layer/memory.go", "../benchlog/*.go", "../observe/observe.go", "../compare/parameters.go", "../compare/hypotheses.go", "../compare/family.go", "../diagnose/state.go", "../experiment/hypothesis.go"} {
		found, err := filepath.Glob(where)
		if err != nil || len(found) == 0 {
			t.Fatal(where, err)
		}
		files = append(files, found...)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(f, "_test.go") {
			source += string(b)
		}
	}
	slot := regexp.MustCompile(`\{(\w+)(?::([^{}]+))?\}`)
	for _, m := range regexp.MustCompile(`\b[sS]ay\((?:[\w().]*[lL]ang, )?"([^"]+)"[,)]|\b[cC]ount\([^"\n]*, "([^"]+)"\)|\bsay "([^"]+)"|\bcount \.\w+ "([^"]+)"|refused\{[\w.]+, "([^"]+)"`).FindAllStringSubmatch(source, -1) {
		key := strings.Join(m[1:], "")
		if en := language.English(); en.Say(key) == "" && en.Say(key+"#other") == "" {
			t.Errorf("the program asks for %q, which does not exist", key)
		}
	}
	for _, m := range regexp.MustCompile(`\b[hH]eads\("([^()]+)"\)`).FindAllStringSubmatch(source, -1) {
		for _, key := range strings.Split(m[1], `", "`) {
			if language.English().Report["head."+key] == "" {
				t.Errorf("a table asks for the head %q, which does not exist", key)
			}
		}
	}
	used := map[string]bool{}
	for _, text := range language.English().Report { // what a reason's slot counts
		for _, m := range slot.FindAllStringSubmatch(text, -1) {
			used[m[2]+"#one"], used[m[2]+"#other"] = true, true
		}
	}
	for _, s := range section.Sections() {
		used[s.ID+".question"], used[s.ID+".reading"] = true, true
		for _, f := range s.Figures {
			used[f.ID+".caption"] = true
		}
	}
	for key := range language.English().Report {
		if strings.HasPrefix(key, "reason.") {
			continue // TestEveryReasonHasASentence
		}
		name, _, _ := strings.Cut(key, "#")
		literal := strings.Contains(source, `"`+name+`"`)
		if i := slices.IndexFunc(built, func(p string) bool { return strings.HasPrefix(name, p) }); i >= 0 {
			part, _, _ := strings.Cut(strings.TrimPrefix(name, built[i]), ".") // ".faster" is put after it
			literal = literal || strings.Contains(source, part) || slices.ContainsFunc(report.Marks(), func(m report.Mark) bool { return m.Verdict == part })
		}
		if part, ok := strings.CutPrefix(name, "join."); ok {
			literal = literal || strings.Contains(source, `ist("`+part+`"`)
		}
		if !literal && !used[key] {
			t.Errorf("nothing asks for %q", key)
		}
	}
}

// Words that claim more than an interval can (docs/method.md).
func TestNoWordPromisesTooMuch(t *testing.T) {
	for tag, words := range map[string][]string{
		"en": {"significant", "no difference", "roughly the same", " up to "},
		"zh": {"显著", "没有差异", "基本一致", "最高可达", "证明"},
	} {
		doc, err := (&report.Document{}).In(tag)
		if err != nil {
			t.Fatal(err)
		}
		for key, text := range doc.Language().Report {
			for _, w := range words {
				// Of the rates that a search has tried, the last is known.
				if strings.Contains(text, w) && key != "reason.ended-limit-kept" {
					t.Errorf("%s, %q: %q", tag, key, w)
				}
			}
		}
	}
}

// The page carries every language: one whose layout differs would be left out.
func TestPageOffersEveryLanguage(t *testing.T) {
	pages := map[string]string{"sessions": string(sessionsPageOfTest(t, sessions(t, "demo", "starved")))}
	for _, name := range names() {
		pages[name] = string(testPage(t, open(t, name)))
	}
	for name, page := range pages {
		for _, tag := range language.Tags() {
			if !strings.Contains(page, `{"tag":"`+tag+`"`) {
				t.Errorf("%s: the page does not offer %s", name, tag)
			}
		}
	}
}

// A translated view has the numbers of the English one, and leaves the document alone.
func TestTranslationsKeepTheNumbers(t *testing.T) {
	number := regexp.MustCompile(`-?[0-9][0-9,.]*[0-9]|[0-9]`)
	for _, name := range names() {
		en := open(t, name)
		var before, after, comment bytes.Buffer
		zh, err := en.In("zh")
		if err == nil {
			err = report.JSON(&before, en)
		}
		if err == nil {
			err = report.JSON(&after, zh)
		}
		if err == nil {
			err = markdown.Write(&comment, zh)
		}
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(before.Bytes(), after.Bytes()) {
			t.Errorf("%s: the JSON of a translation is another", name)
		}
		for i, h := range en.Headline {
			want, got := number.FindAllString(h, -1), number.FindAllString(zh.Headline[i], -1)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) {
				t.Errorf("%s: %q has the numbers %v, %q has %v", name, h, want, zh.Headline[i], got)
			}
		}
	}
}

func TestGoldenInChinese(t *testing.T) {
	for _, name := range []string{"demo", "layers", "unfinished", "voids", "busy"} {
		doc, err := open(t, name).In("zh")
		if err != nil {
			t.Fatal(err)
		}
		var plain, comment bytes.Buffer
		if err := text.Write(&plain, doc, text.Options{Width: 80, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		if err := markdown.Write(&comment, doc); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".zh.txt", plain.Bytes())
		golden(t, name+".zh.md", comment.Bytes())
	}
}
