package report

import (
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

//go:embed languages/*.json
var languageFiles embed.FS

// Language is all words of one language: one file in languages, English first. A
// text has its slots in braces, so that a translation may order them in its own way;
// "key#form" is the text for a plural form of CLDR ("one", "few", "other").
type Language struct {
	Tag  string `json:"tag"`  // BCP 47
	Name string `json:"name"` // in the language itself
	// Report is what Go writes, Chart what the page's script writes.
	Report map[string]string `json:"report"`
	Chart  map[string]string `json:"chart"`
}

// languages are the languages, English first; their files are part of the program.
var languages = sync.OnceValue(func() []*Language {
	all := []*Language{readLanguage("en.json")}
	files, err := languageFiles.ReadDir("languages")
	for _, f := range files {
		if f.Name() != "en.json" {
			all = append(all, readLanguage(f.Name()))
		}
	}
	if err != nil {
		panic(err)
	}
	return all
})

func readLanguage(file string) *Language {
	b, err := languageFiles.ReadFile("languages/" + file)
	l := &Language{}
	if err == nil {
		err = json.Unmarshal(b, l)
	}
	if err != nil {
		panic(fmt.Sprintf("read languages/%s: %v", file, err))
	}
	return l
}

// slot is a place for a value, with how to write it.
var slot = regexp.MustCompile(`\{(\w+)(?::([^{}]+))?\}`)

// Languages are the tags of all languages, English first.
func Languages() []string {
	var all []string
	for _, l := range languages() {
		all = append(all, l.Tag)
	}
	return all
}

// LanguageFor is the language that serves a reader who asks for tag, as in BCP 47 or
// in a locale ("zh_CN.UTF-8"); "" when none does.
func LanguageFor(tag string) string {
	name, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), ".")
	asked, err := language.Parse(name)
	if err != nil {
		return ""
	}
	base, _ := asked.Base()
	for _, l := range languages() {
		if l.Tag == base.String() {
			return l.Tag
		}
	}
	return ""
}

func english() *Language { return languages()[0] }

// say is the text of a key with its slots filled: name, value, name, value. What Go and
// the script both say stands in Chart. A text that the language lacks is English; a test
// sees to it that none is.
func (l *Language) say(key string, slots ...string) string {
	en := english()
	for _, texts := range []map[string]string{l.Report, l.Chart, en.Report, en.Chart} {
		if text, ok := texts[key]; ok {
			return fill(text, slots)
		}
	}
	return ""
}

func fill(text string, slots []string) string {
	pairs := make([]string, 0, len(slots))
	for i := 0; i+1 < len(slots); i += 2 {
		pairs = append(pairs, "{"+slots[i]+"}", slots[i+1])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// count is a number of things, in the plural form that the language has for it.
func (l *Language) count(n int, what string) string {
	key := what + "#" + l.form(n)
	if _, ok := l.Report[key]; !ok && l.Chart[key] == "" {
		key = what + "#other"
	}
	return l.say(key, "n", grouped(int64(n)))
}

func (l *Language) form(n int) string {
	form := plural.Cardinal.MatchPlural(language.Make(l.Tag), n, 0, 0, 0, 0)
	return [...]string{plural.Other: "other", plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many"}[form]
}

// list joins clauses of one kind ("list", "clauses").
func (l *Language) list(kind string, parts []string) string {
	return strings.Join(parts, l.say("join."+kind))
}

func languageOf(tag string) (*Language, error) {
	i := slices.IndexFunc(languages(), func(l *Language) bool { return l.Tag == tag })
	if i < 0 {
		return nil, fmt.Errorf("no language is called %q; there are %s", tag, strings.Join(Languages(), ", "))
	}
	return languages()[i], nil
}

// Say is a text of the language files with its slots filled: name, value, name, value.
func Say(lang, key string, slots ...string) string {
	l, err := languageOf(lang)
	if err != nil {
		l = english()
	}
	return l.say(key, slots...)
}
