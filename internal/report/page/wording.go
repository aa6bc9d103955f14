package page

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"strconv"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// Pages are templates whose sentences stand in the language files. A text that a template
// marks with t, or as a label with label, is written in the reader's language; the words
// of all languages travel with the page, for the script that changes it
// (web/src/words.ts).
type Pages struct{ set *template.Template }

// Reader is who a page is for: one of Languages and whether it was chosen. Where it
// was not, the script takes the browser's language.
type Reader struct {
	Lang  string
	Asked bool
}

// NewPages parses templates; more are functions of theirs beside those for words.
func NewPages(files fs.FS, more template.FuncMap, patterns ...string) (*Pages, error) {
	none := func(string) template.HTMLAttr { return "" }
	set, err := template.New("").Funcs(functions(language.English())).Funcs(template.FuncMap{
		"t": none, "label": none, "words": func() template.JS { return "" }, "asset": func(string) any { return "" },
	}).Funcs(more).ParseFS(files, patterns...)
	if err != nil {
		return nil, fmt.Errorf("parse pages: %w", err)
	}
	return &Pages{set}, nil
}

// functions are what a template says with, in a language.
func functions(l *language.Language) template.FuncMap {
	return template.FuncMap{
		"lang": func() string { return l.Tag }, "say": l.Say, "count": l.Count, "verdict": l.Verdict, "word": l.Word,
		// A word of the language files, or the name itself where it has none.
		"named": func(key, name string) string {
			if w := l.Say(key); w != "" {
				return w
			}
			return safe.Name(name)
		},
		"numbers": func(all []int) string {
			words := make([]string, len(all))
			for i, n := range all {
				words[i] = strconv.Itoa(n)
			}
			return l.List("list", words)
		},
		"ended": func(recorded string) string { return report.Ended(l, recorded) },
		"inert": safe.Name, "minus": language.Minus, "long": safe.Sentence, "prose": Prose,
	}
}

// Write lays a template out for a reader. data is what it is laid out with in a language
// and must be of one shape in all of them.
func (p *Pages) Write(w io.Writer, name string, r Reader, data func(lang string) any) error {
	own, err := language.Of(r.Lang)
	if err != nil {
		return err
	}
	return layout{set: p.set, name: name, data: func(l *language.Language) any { return data(l.Tag) }}.write(w, own, r.Asked, nil)
}

// layout is a template with what it is laid out with in each language.
type layout struct {
	set  *template.Template
	name string
	data func(*language.Language) any
	// quoted are texts of the document that the script shows, in a language; nil for none.
	quoted func(*language.Language) map[string]string
	// chart are the words of the charts in a language; nil for those of the language file.
	chart func(*language.Language) map[string]string
}

// write lays it out in its own language and marks its texts. assets are what the template
// embeds beside them, by name: they are many times its size, and are laid out once.
func (p layout) write(out io.Writer, own *language.Language, asked bool, assets map[string]any) error {
	texts, err := p.wordings(own)
	if err != nil {
		return err
	}
	words, err := json.Marshal(texts.forScript(own, asked, p))
	if err != nil {
		return fmt.Errorf("encode words: %w", err)
	}
	next := 0
	mark := func(attribute string) func(string) template.HTMLAttr {
		return func(string) template.HTMLAttr {
			at := texts.index[next]
			next++
			if at < 0 {
				return ""
			}
			return template.HTMLAttr(fmt.Sprintf(` %s="%d"`, attribute, at))
		}
	}
	return p.lay(out, own, template.FuncMap{
		"t": mark("data-t"), "label": mark("data-label"), "asset": func(name string) any { return assets[name] },
		// Go's encoder has escaped <, > and &, so the block cannot be left early.
		"words": func() template.JS { return template.JS(words) },
	})
}

func (p layout) lay(out io.Writer, l *language.Language, marks template.FuncMap) error {
	set, err := p.set.Clone()
	if err == nil {
		err = set.Funcs(functions(l)).Funcs(marks).ExecuteTemplate(out, p.name, p.data(l))
	}
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// wording is the texts of a page in every language. The template is laid out once for
// each; its texts come in the same order, so the n-th of one is the n-th of another.
type wording struct {
	languages []*language.Language
	all       [][]string // by language, then in the order of the page
	// index is the place of a text in what the script gets, -1 where all languages say
	// the same: names and numbers travel once.
	index []int
	kept  []int
}

// wordings lays the page out in every language. One whose layout is another is not
// offered: its texts would stand in the wrong places. That can only be of a document
// whose sentences were written by hand.
func (p layout) wordings(own *language.Language) (*wording, error) {
	w := &wording{}
	first, err := p.texts(own)
	if err != nil {
		return nil, err
	}
	for _, l := range language.All() {
		texts := first
		if l != own {
			if texts, err = p.texts(l); err != nil {
				return nil, err
			}
		}
		if len(texts) == len(first) {
			w.languages, w.all = append(w.languages, l), append(w.all, texts)
		}
	}
	w.number()
	return w, nil
}

func (p layout) texts(l *language.Language) ([]string, error) {
	var texts []string
	keep := func(s string) template.HTMLAttr {
		texts = append(texts, s)
		return ""
	}
	return texts, p.lay(io.Discard, l, template.FuncMap{"t": keep, "label": keep})
}

// number gives every text that is not the same in all languages its place; equal
// texts share one.
func (w *wording) number() {
	seen := map[string]int{}
	for k := range w.all[0] {
		key, same := "", true
		for _, texts := range w.all {
			key, same = key+texts[k]+"\x00", same && texts[k] == w.all[0][k]
		}
		if same {
			w.index = append(w.index, -1)
			continue
		}
		at, ok := seen[key]
		if !ok {
			at = len(w.kept)
			seen[key] = at
			w.kept = append(w.kept, k)
		}
		w.index = append(w.index, at)
	}
}

// scriptWords is what the page's script gets to change the language with.
type scriptWords struct {
	Languages []scriptLanguage `json:"languages"`
	// Now is the page's language; Fixed when somebody asked for it.
	Now   string `json:"now"`
	Fixed bool   `json:"fixed"`
}

type scriptLanguage struct {
	Tag   string            `json:"tag"`
	Name  string            `json:"name"`
	Texts []string          `json:"texts"`
	Chart map[string]string `json:"chart"`
	// Quoted are texts of the document by what the document has.
	Quoted map[string]string `json:"quoted,omitempty"`
}

func (w *wording) forScript(own *language.Language, asked bool, p layout) scriptWords {
	out := scriptWords{Now: own.Tag, Fixed: asked}
	for i, l := range w.languages {
		s := scriptLanguage{Tag: l.Tag, Name: l.Name, Texts: []string{}, Chart: l.Chart}
		if p.quoted != nil {
			s.Quoted = p.quoted(l)
		}
		if p.chart != nil {
			s.Chart = p.chart(l)
		}
		for _, k := range w.kept {
			s.Texts = append(s.Texts, w.all[i][k])
		}
		out.Languages = append(out.Languages, s)
	}
	return out
}
