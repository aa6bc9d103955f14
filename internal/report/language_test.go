package report

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
)

// Every language says all that English says and nothing else, with the same slots:
// a number left out of a translation would be a number withheld.
func TestLanguagesAreComplete(t *testing.T) {
	en := english()
	for _, l := range languages() {
		for from, texts := range map[*map[string]string]map[string]string{&en.Report: l.Report, &en.Chart: l.Chart} {
			for key, want := range *from {
				got, ok := texts[key]
				if name, form, plural := strings.Cut(key, "#"); plural && !ok && form != "other" {
					_, ok = texts[name+"#other"] // a form that this language does not have
					got = texts[name+"#other"]
				}
				if !ok || got == "" && want != "" && key != "join.sentences" {
					t.Errorf("%s lacks %q", l.Tag, key)
				} else if !slices.Equal(slots(got), slots(want)) {
					t.Errorf("%s, %q: slots %v, want %v", l.Tag, key, slots(got), slots(want))
				}
			}
			for key := range texts {
				if name, _, _ := strings.Cut(key, "#"); (*from)[key] == "" && (*from)[name+"#other"] == "" {
					t.Errorf("%s has %q, which English does not have", l.Tag, key)
				}
			}
		}
	}
}

func slots(text string) []string {
	var all []string
	for _, m := range slot.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// A key that the program asks for exists, and one that exists is asked for: in the
// program as a whole literal, or built from a part that stands below.
func TestEveryWordIsUsed(t *testing.T) {
	built := []string{"verdict.", "word.", "sentence.", "head.", "made.", "remedy.", "fate.", "gate.", "finding.", "interval.", "outcome.", "outcomes.", "reason.", "seen."}
	source := ""
	var files []string
	for _, where := range []string{"*.go", "page/*.tmpl", "../serve/*.go", "../serve/page/*.tmpl"} {
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
	for _, m := range regexp.MustCompile(`\b[sS]ay\((?:[\w().]*[lL]ang, )?"([^"]+)"[,)]|\bcount\([^"\n]*, "([^"]+)"\)|\bsay "([^"]+)"|\bcount \.\w+ "([^"]+)"|refused\{[\w.]+, "([^"]+)"`).FindAllStringSubmatch(source, -1) {
		key := strings.Join(m[1:], "")
		if en := english(); en.say(key) == "" && en.say(key+"#other") == "" {
			t.Errorf("the program asks for %q, which does not exist", key)
		}
	}
	for _, m := range regexp.MustCompile(`\bheads\("([^()]+)"\)`).FindAllStringSubmatch(source, -1) {
		for _, key := range strings.Split(m[1], `", "`) {
			if english().Report["head."+key] == "" {
				t.Errorf("a table asks for the head %q, which does not exist", key)
			}
		}
	}
	used := map[string]bool{}
	for _, text := range english().Report { // what a reason's slot counts
		for _, m := range slot.FindAllStringSubmatch(text, -1) {
			used[m[2]+"#one"], used[m[2]+"#other"] = true, true
		}
	}
	for _, s := range Sections() {
		used[s.ID+".question"], used[s.ID+".reading"] = true, true
		for _, f := range s.Figures {
			used[f.ID+".caption"] = true
		}
	}
	for key := range english().Report {
		if strings.HasPrefix(key, "reason.") {
			continue // TestEveryReasonHasASentence
		}
		name, _, _ := strings.Cut(key, "#")
		literal := strings.Contains(source, `"`+name+`"`)
		if _, part, ok := strings.Cut(name, "."); ok && slices.ContainsFunc(built, func(p string) bool { return strings.HasPrefix(name, p) }) {
			part, _, _ = strings.Cut(part, ".") // ".faster" is put after it
			literal = literal || strings.Contains(source, part) || slices.ContainsFunc(marks(), func(m mark) bool { return m.verdict == part })
		}
		if part, ok := strings.CutPrefix(name, "join."); ok {
			literal = literal || strings.Contains(source, `list("`+part+`"`)
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
		doc, err := (&Document{}).In(tag)
		if err != nil {
			t.Fatal(err)
		}
		for key, text := range doc.words().Report {
			for _, w := range words {
				if strings.Contains(text, w) {
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
		for _, tag := range Languages() {
			if !strings.Contains(page, `{"tag":"`+tag+`"`) {
				t.Errorf("%s: the page does not offer %s", name, tag)
			}
		}
	}
}

// Every reason that compare gives has a sentence, and every sentence a reason: the codes
// are read from compare's source.
func TestEveryReasonHasASentence(t *testing.T) {
	files, err := filepath.Glob("../compare/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	// Codes that are put together, or chosen, before they become reasons.
	codes := map[string]bool{}
	for _, v := range []string{"costs", "gains", "within-margin", "equivalent", "inconclusive"} {
		codes["rule-"+v] = true
	}
	for _, g := range compare.Gates() {
		codes["gate-"+g] = true
	}
	source := ""
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(f, "_test.go") {
			source += string(b)
		}
	}
	for _, m := range regexp.MustCompile(`\breason\("([a-z0-9-]+)"\)`).FindAllStringSubmatch(source, -1) {
		codes[m[1]] = true
	}
	if len(codes) < 60 {
		t.Fatalf("%d codes: the pattern finds no more", len(codes))
	}
	for code := range codes {
		if english().Report["reason."+code] == "" {
			t.Errorf("reason %q has no sentence", code)
		}
	}
	for key := range english().Report {
		code, ok := strings.CutPrefix(key, "reason.")
		if !ok || codes[code] {
			continue
		}
		code = strings.TrimPrefix(strings.TrimPrefix(code, "who-"), "of-")
		if !strings.Contains(source, `"`+code+`"`) {
			t.Errorf("nothing gives the reason %q", code)
		}
	}
	for _, l := range languages() {
		for key, text := range l.Report {
			for _, m := range slot.FindAllStringSubmatch(text, -1) {
				format := strings.TrimPrefix(m[2], "+")
				switch {
				case format == "" || format == "list" || format == "and" || format == "value" || regexp.MustCompile(`^\.[0-9]f$`).MatchString(format):
				case l.Report[format+"#other"] == "" && l.Chart[format+"#other"] == "":
					t.Errorf("%s, %q: nothing is counted as %q", l.Tag, key, format)
				}
			}
		}
	}
}

// A number in a sentence is written as its slot says, in both languages.
func TestReasonIsWritten(t *testing.T) {
	why := compare.Reason{Code: "trial-said", Numbers: map[string]float64{"trial": 3}, Names: map[string][]string{"text": {"no answer"}}}
	r := compare.Reason{
		Code: "not-ready", Numbers: map[string]float64{"ready": 1, "starved": 0},
		Parts: map[string][]compare.Reason{"who": {{Code: "who-server"}}, "of": {{Code: "of-rounds", Numbers: map[string]float64{"n": 1200}}}, "why": {why}},
	}
	drift := compare.Reason{Code: "drift", Numbers: map[string]float64{"size": 1.25, "lo": -0.04, "hi": 2.5}, Parts: map[string][]compare.Reason{"arm": {{Code: "arm", Names: map[string][]string{"arm": {"pod"}}}}}}
	for tag, want := range map[string][2]string{
		"en": {"the server did not become ready in 1 of 1,200 rounds (trial 3: no answer)", "The throughput of pod drifts by +1.2 % within its windows (99 % interval 0.0 to +2.5). A longer warm-up would show whether it settles."},
		"zh": {"服务器在 1,200 轮中有 1 次未能就绪（试验 3：no answer）", "pod 的吞吐量在窗口内漂移 +1.2%（99% 置信区间 0.0 至 +2.5）。延长预热可以看出它是否会稳定下来。"},
	} {
		l, err := languageOf(tag)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.reason(r); got != want[0] {
			t.Errorf("%q, want %q", got, want[0])
		}
		if got := l.reason(drift); got != want[1] {
			t.Errorf("%q, want %q", got, want[1])
		}
	}
	if got := english().reason(compare.Reason{Code: "of-a-later-version"}); got != "of-a-later-version" {
		t.Error(got)
	}
}

// A translated view has the numbers of the English one, and leaves the document alone.
func TestTranslationsKeepTheNumbers(t *testing.T) {
	number := regexp.MustCompile(`-?[0-9][0-9,.]*[0-9]|[0-9]`)
	for _, name := range names() {
		en := open(t, name)
		var before, after, markdown bytes.Buffer
		zh, err := en.In("zh")
		if err == nil {
			err = JSON(&before, en)
		}
		if err == nil {
			err = JSON(&after, zh)
		}
		if err == nil {
			err = Markdown(&markdown, zh)
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
	for _, name := range []string{"demo", "layers", "unfinished", "voids"} {
		doc, err := open(t, name).In("zh")
		if err != nil {
			t.Fatal(err)
		}
		var text, markdown bytes.Buffer
		if err := Text(&text, doc, TextOptions{Width: 80, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		if err := Markdown(&markdown, doc); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".zh.txt", text.Bytes())
		golden(t, name+".zh.md", markdown.Bytes())
	}
}

func TestLanguageFor(t *testing.T) {
	for tag, want := range map[string]string{
		"zh": "zh", "zh-CN": "zh", "zh_CN.UTF-8": "zh", "zh-Hant-TW": "zh", "en_GB": "en", "de_DE.UTF-8": "", "C": "", "POSIX": "", "": "", "../zh": "",
	} {
		if got := LanguageFor(tag); got != want {
			t.Errorf("%q: %q, want %q", tag, got, want)
		}
	}
	if _, err := (&Document{}).In("tlh"); err == nil || !strings.Contains(err.Error(), "en, zh") {
		t.Errorf("In tlh: %v", err)
	}
}

// Plural forms come from CLDR, not from English.
func TestPlurals(t *testing.T) {
	for n, want := range map[int]string{0: "0 rounds", 1: "1 round", 2: "2 rounds", 1200: "1,200 rounds"} {
		if got := english().count(n, "round"); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
	zh := languages()[slices.Index(Languages(), "zh")]
	if got := zh.count(1, "round"); got != "1 轮" {
		t.Errorf("%q", got)
	}
}
