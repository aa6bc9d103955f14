package report

import (
	"fmt"
	"html/template"
	"io"
)

// wording is the texts of a page in every language. The template is laid out once for
// each; its texts come in the same order, so the n-th of one is the n-th of another.
type wording struct {
	languages []*Language
	all       [][]string // by language, then in the order of the page
	// index is the place of a text in what the script gets, -1 where all languages say
	// the same: names and numbers travel once.
	index []int
	kept  []int
}

// wordings lays the page out in every language. One whose layout is another is not
// offered: its texts would stand in the wrong places. That can only be of a document
// whose sentences were written by hand.
func wordings(t *template.Template, page pageData) (*wording, error) {
	w := &wording{}
	own, err := textsOf(t, page)
	if err != nil {
		return nil, err
	}
	for _, l := range spoken() {
		texts := own
		if l != page.words() {
			if texts, err = textsOf(t, pageOf(page.in(l))); err != nil {
				return nil, err
			}
		}
		if len(texts) == len(own) {
			w.languages, w.all = append(w.languages, l), append(w.all, texts)
		}
	}
	w.number()
	return w, nil
}

func textsOf(t *template.Template, page pageData) ([]string, error) {
	var texts []string
	keep := func(s string) template.HTMLAttr {
		texts = append(texts, s)
		return ""
	}
	return texts, lay(io.Discard, t, page, keep, keep)
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

// write lays the page out in the document's language and marks its texts.
func (w *wording) write(out io.Writer, t *template.Template, page pageData) error {
	next := 0
	mark := func(attribute string) func(string) template.HTMLAttr {
		return func(string) template.HTMLAttr {
			at := w.index[next]
			next++
			if at < 0 {
				return ""
			}
			return template.HTMLAttr(fmt.Sprintf(` %s="%d"`, attribute, at))
		}
	}
	return lay(out, t, page, mark("data-t"), mark("data-label"))
}

func lay(out io.Writer, t *template.Template, page pageData, text, label func(string) template.HTMLAttr) error {
	t, err := t.Clone()
	if err == nil {
		err = t.Funcs(template.FuncMap{"t": text, "label": label, "say": page.say}).Execute(out, page)
	}
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
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
}

func (w *wording) forScript(doc *Document) scriptWords {
	out := scriptWords{Now: doc.words().Tag, Fixed: doc.Translated()}
	for i, l := range w.languages {
		s := scriptLanguage{Tag: l.Tag, Name: l.Name, Texts: []string{}, Chart: l.Chart}
		for _, k := range w.kept {
			s.Texts = append(s.Texts, w.all[i][k])
		}
		out.Languages = append(out.Languages, s)
	}
	return out
}
