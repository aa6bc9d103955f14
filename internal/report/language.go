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
	// Said translates what compare says in English, pattern by pattern: {x} stands for
	// anything, or for nothing, as the s of a plural. What no pattern knows stays as it is.
	Said map[string]string `json:"said"`

	patterns []translation
}

// translation is a pattern of Said, ready to be matched with a text.
type translation struct {
	pattern *regexp.Regexp
	text    string
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
	for from, to := range l.Said {
		l.patterns = append(l.patterns, translation{patternOf(from), to})
	}
	// The longest first: it is the one that says most.
	slices.SortFunc(l.patterns, func(a, b translation) int { return len(b.pattern.String()) - len(a.pattern.String()) })
	return l
}

var slot = regexp.MustCompile(`\{(\w+)\}`)

// patternOf turns "{n} of {all}" into an expression with named groups.
func patternOf(text string) *regexp.Regexp {
	var b strings.Builder
	end := 0
	for _, m := range slot.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(regexp.QuoteMeta(text[end:m[0]]) + `(?P<` + text[m[2]:m[3]] + `>.*?)`)
		end = m[1]
	}
	return regexp.MustCompile(`(?s)^` + b.String() + regexp.QuoteMeta(text[end:]) + `$`)
}

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

// translate is what compare said, in this language as far as its patterns go: the whole,
// else each of its clauses.
func (l *Language) translate(text string) string {
	if len(l.patterns) == 0 || text == "" {
		return text
	}
	if said, ok := l.known(text); ok {
		return said
	}
	parts := strings.Split(text, "; ")
	for i, p := range parts {
		if said, ok := l.known(p); ok {
			parts[i] = said
		}
	}
	return l.list("clauses", parts)
}

func (l *Language) known(text string) (string, bool) {
	if text == "" {
		return "", false
	}
	for _, h := range l.patterns {
		m := h.pattern.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		var slots []string
		for i, name := range h.pattern.SubexpNames() {
			if name != "" {
				slots = append(slots, name, l.inner(m[i]))
			}
		}
		return fill(h.text, slots), true
	}
	return text, false
}

// inner is what stands in a slot: clauses that are all known, or the whole. Clauses come
// first, because a pattern for one of them may take several for one. A name stays as it is.
func (l *Language) inner(text string) string {
	parts := strings.Split(text, "; ")
	for i, p := range parts {
		said, ok := l.known(p)
		if !ok {
			whole, _ := l.known(text)
			return whole
		}
		parts[i] = said
	}
	return l.list("clauses", parts)
}

// In is the document with its sentences in another language; facts, names and
// numbers stay. It is meant for views: the document of a run is English.
func (doc *Document) In(tag string) (*Document, error) {
	l, err := languageOf(tag)
	if err != nil {
		return nil, err
	}
	return doc.in(l), nil
}

func languageOf(tag string) (*Language, error) {
	i := slices.IndexFunc(languages(), func(l *Language) bool { return l.Tag == tag })
	if i < 0 {
		return nil, fmt.Errorf("no language is called %q; there are %s", tag, strings.Join(Languages(), ", "))
	}
	return languages()[i], nil
}

func (doc *Document) in(l *Language) *Document {
	out := *doc.original()
	out.language, out.source = l, doc.original()
	if l == english() {
		return &out // as it was written
	}
	doc = out.source
	out.Contrasts, out.NoiseFloors, out.Attributions = slices.Clone(doc.Contrasts), slices.Clone(doc.NoiseFloors), slices.Clone(doc.Attributions)
	out.Remedies, out.Correlations, out.Warnings = slices.Clone(doc.Remedies), slices.Clone(doc.Correlations), slices.Clone(doc.Warnings)
	for i := range out.Contrasts {
		c := &out.Contrasts[i]
		c.Reason, c.Variants = l.translate(c.Reason), slices.Clone(c.Variants)
		for k := range c.Variants {
			c.Variants[k].Variant = l.translate(c.Variants[k].Variant)
		}
	}
	for i := range out.Attributions {
		out.Attributions[i].Reason = l.translate(out.Attributions[i].Reason)
	}
	for i, w := range out.Warnings {
		out.Warnings[i] = l.translate(w)
	}
	out.writeSentences()
	// A document whose sentences were written by hand keeps as many.
	if len(out.Headline) != len(doc.Headline) {
		out.Headline = doc.Headline
	}
	if len(out.Next) != len(doc.Next) {
		out.Next = doc.Next
	}
	return &out
}

// Translated says whether In has put the document into a language.
func (doc *Document) Translated() bool { return doc.language != nil }

// original is the document of the run, which is English.
func (doc *Document) original() *Document {
	if doc.source != nil {
		return doc.source
	}
	return doc
}

// words is the language of the view that is being written.
func (doc *Document) words() *Language {
	if doc.language == nil {
		return english()
	}
	return doc.language
}

func (doc *Document) say(key string, slots ...string) string { return doc.words().say(key, slots...) }

func (doc *Document) count(n int, what string) string { return doc.words().count(n, what) }

// heads are the heads of a table's columns.
func (doc *Document) heads(keys ...string) []string {
	all := make([]string, len(keys))
	for i, k := range keys {
		all[i] = doc.say("head." + k)
	}
	return all
}
