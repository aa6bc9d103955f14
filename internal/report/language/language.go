// Package language holds the texts of all reports in every language, and writes numbers and
// units as people read them.
package language

import (
	"cmp"
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

//go:embed *.json
var languageFiles embed.FS

// Language is all words of one language: one file beside this one, English first. A
// text has its slots in braces, so that a translation may order them in its own way;
// "key#form" is the text for a plural form of CLDR ("one", "few", "other").
type Language struct {
	Tag  string `json:"tag"`  // BCP 47
	Name string `json:"name"` // in the language itself
	// Report is what Go writes, Chart what the page's script writes.
	Report map[string]string `json:"report"`
	Chart  map[string]string `json:"chart"`
	// Metrics describe the metrics of the probes, by name; English is the probes' own.
	Metrics map[string]string `json:"metrics,omitempty"`
	// Terms are the words of reports that have a meaning of their own, with it: those of docs/report.md.
	Terms map[string]string `json:"terms"`
	// TermWords are further words for terms, with the English name of each; those of page terms are in Report, as term.NAME.
	TermWords map[string]string `json:"termWords"`
}

// Term is what a word of the reports means, by its name in any language, in English also in the plural; "" if it has no
// meaning of its own.
func (l *Language) Term(word string) string {
	word = strings.ToLower(word)
	if word == "" {
		return ""
	}
	if meaning, ok := l.Terms[word]; ok {
		return meaning
	}
	for _, of := range All() {
		if name, ok := of.TermWords[word]; ok {
			return l.Terms[name]
		}
		for name := range l.Terms {
			if of.Report["term."+name] == word {
				return l.Terms[name]
			}
		}
	}
	return cmp.Or(l.Terms[strings.TrimSuffix(word, "s")], l.Terms[strings.TrimSuffix(word, " test")])
}

// All are the languages, English first; their files are part of the program.
var All = sync.OnceValue(func() []*Language {
	all := []*Language{readLanguage("en.json")}
	files, err := languageFiles.ReadDir(".")
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
	b, err := languageFiles.ReadFile(file)
	l := &Language{}
	if err == nil {
		err = json.Unmarshal(b, l)
	}
	if err != nil {
		panic(fmt.Sprintf("read %s: %v", file, err))
	}
	return l
}

// slot is a place for a value, with how to write it.
var slot = regexp.MustCompile(`\{(\w+)(?::([^{}]+))?\}`)

// Tags are the tags of all languages, English first.
func Tags() []string {
	var all []string
	for _, l := range All() {
		all = append(all, l.Tag)
	}
	return all
}

// For is the language that serves a reader who asks for tag, as in BCP 47 or
// in a locale ("zh_CN.UTF-8"); "" when none does.
func For(tag string) string {
	name, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), ".")
	asked, err := language.Parse(name)
	if err != nil {
		return ""
	}
	base, _ := asked.Base()
	for _, l := range All() {
		if l.Tag == base.String() {
			return l.Tag
		}
	}
	return ""
}

// Metric is what a metric is; help is the description of the record.
func (l *Language) Metric(name, help string) string {
	if said, ok := l.Metrics[name]; ok {
		return said
	}
	return help
}

// English is the language of documents and of texts that no other language has.
func English() *Language { return All()[0] }

// Say is the text of a key with its slots filled: name, value, name, value. What Go and
// the script both say stands in Chart. A text that the language lacks is English; a test
// sees to it that none is.
func (l *Language) Say(key string, slots ...string) string {
	en := English()
	for _, texts := range []map[string]string{l.Report, l.Chart, en.Report, en.Chart} {
		if text, ok := texts[key]; ok {
			return l.fill(text, slots)
		}
	}
	return ""
}

// Count is a number of things, in the plural form that the language has for it.
func (l *Language) Count(n int, what string) string {
	if n == 0 && what == "thread" { // of a log that does not say it: no load has none
		return l.Say("thread.unknown")
	}
	key := what + "#" + l.form(n)
	if _, ok := l.Report[key]; !ok && l.Chart[key] == "" {
		key = what + "#other"
	}
	return l.Say(key, "n", Grouped(int64(n)))
}

func (l *Language) form(n int) string {
	form := plural.Cardinal.MatchPlural(language.Make(l.Tag), n, 0, 0, 0, 0)
	return [...]string{plural.Other: "other", plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many"}[form]
}

// List joins clauses of one kind ("list", "clauses").
func (l *Language) List(kind string, parts []string) string {
	return strings.Join(parts, l.Say("join."+kind))
}

// Enumerate joins words for a sentence: "4, 16 and 64".
func (l *Language) Enumerate(words []string) string {
	return l.enumerate(words, l.Say("join.list"), l.Say("join.and"))
}

// EnumerateLevels joins what is said of several levels of the load.
func (l *Language) EnumerateLevels(parts []string) string {
	return l.enumerate(parts, l.Say("join.levels"), l.Say("join.last-level"))
}

// Level is an effect in %, with its interval, at a number of threads.
func (l *Language) Level(threads int, mid, lo, hi float64, digits int) string {
	return l.Say("levels.one", "size", Decimal(mid, digits), "interval", l.Interval(lo, hi, digits), "threads", l.Count(threads, "thread"))
}

func (l *Language) enumerate(parts []string, between, last string) string {
	n := len(parts)
	if n < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:n-1], between) + last + parts[n-1]
}

// Of is the language of a tag; an error names the languages that there are.
func Of(tag string) (*Language, error) {
	i := slices.IndexFunc(All(), func(l *Language) bool { return l.Tag == tag })
	if i < 0 {
		return nil, fmt.Errorf("unknown language %q; the languages are %s", tag, strings.Join(Tags(), ", "))
	}
	return All()[i], nil
}

// Say is a text of the language files with its slots filled: name, value, name, value.
func Say(lang, key string, slots ...string) string {
	l, err := Of(lang)
	if err != nil {
		l = English()
	}
	return l.Say(key, slots...)
}
