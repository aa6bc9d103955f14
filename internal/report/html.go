package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page/page.js
var pageScript string

//go:embed page/page.css
var pageStyle string

//go:embed page/*.tmpl
var pageTemplates embed.FS

// Assets are what a page is made of beside the document.
type Assets struct{ Script, Style string }

// Embedded are the assets that belong to this version.
func Embedded() Assets { return Assets{Script: pageScript, Style: pageStyle} }

// HTML writes the page: one file that fetches nothing, says everything in text
// and tables without scripts, and lets nothing run but the script whose checksum
// stands in its policy. It is written in the document's language and carries the
// words of the others; the script shows the reader's own where doc has not been put
// into one by In.
func HTML(w io.Writer, doc *Document, assets Assets) error {
	own := pageOf(doc) // as it was written
	return writePage(w, doc.words(), doc.Translated(), doc.original(), assets, "page.tmpl", func(l *Language) any {
		if l == doc.words() {
			return own
		}
		return pageOf(doc.translated(l))
	})
}

// writePage writes a page that fetches nothing, with the document that it shows.
func writePage(w io.Writer, own *Language, asked bool, doc any, assets Assets, name string, show func(*Language) any) error {
	data, err := json.Marshal(doc)
	if err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	pages, err := NewPages(pageTemplates, nil, "page/*.tmpl")
	if err != nil {
		return err
	}
	script, style := neutral(assets.Script), neutral(assets.Style)
	var b bytes.Buffer
	err = layout{pages.set, name, show}.write(&b, own, asked, map[string]any{
		// Go's encoder has escaped <, > and &, so the block cannot be left early.
		"data": template.JS(data), "policy": policy(script, style), "script": template.JS(script), "style": template.CSS(style),
	})
	if err != nil {
		return err
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// pageData is what the template lays out.
type pageData struct {
	*Document
	Footer   string
	Sections []laidOut
	Opening  opening
	Meta     []string
}

func pageOf(doc *Document) pageData {
	plan := ""
	if doc.Run.PlanHash != "" {
		plan = doc.say("page.footer.plan", "hash", inert(doc.Run.PlanHash))
	}
	return pageData{
		Document: doc, Sections: layOut(doc), Opening: openingOf(doc), Meta: append(meta(doc), started(doc)...),
		Footer: doc.say("page.footer", "tare", inert(doc.Tare), "plan", plan),
	}
}

// neutral takes out of an asset what would end its element or start a comment.
func neutral(s string) string {
	return strings.NewReplacer("</script", `<\/script`, "</SCRIPT", `<\/SCRIPT`, "</style", `<\/style`, "<!--", `<\!--`).Replace(s)
}

// policy lets this script and this style in and nothing else: no network, no
// inline handler, no form.
func policy(script, style string) string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(style) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}

// laidOut is a section with its parts evaluated.
type laidOut struct {
	ID, Question, Sentence, Reading string
	Figures                         []drawn
	Tables                          []Table
}

type drawn struct {
	ID, Chart, Caption string
	Static             template.HTML
}

// statics are the charts that are drawn without a script too.
func statics() map[string]func(*Document) template.HTML {
	return map[string]func(*Document) template.HTML{
		"intervals": staticIntervals, "attribution": staticAttribution, "rounds": staticRounds, "series": staticSeries, "calendar": staticCalendar,
	}
}

func layOut(doc *Document) []laidOut {
	var all []laidOut
	for _, s := range Sections() {
		if !s.isShownIn(doc) {
			continue
		}
		l := laidOut{ID: s.ID, Question: s.question(doc), Sentence: long(s.Sentence(doc)), Reading: doc.say(s.ID + ".reading")}
		if s.Also != nil {
			if also := s.Also(doc); also != "" {
				l.Reading += doc.say("join.sentences") + also
			}
		}
		for _, f := range s.Figures {
			if f.Shown != nil && !f.Shown(doc) {
				continue
			}
			d := drawn{ID: f.ID, Chart: f.Chart, Caption: doc.say(f.ID+".caption", "unit", doc.say("unit"))}
			if draw, ok := statics()[f.Chart]; ok {
				d.Static = draw(doc)
			}
			l.Figures = append(l.Figures, d)
		}
		for _, t := range s.Tables(doc) {
			if len(t.Rows) > 0 || t.Code != "" {
				l.Tables = append(l.Tables, t)
			}
		}
		all = append(all, l)
	}
	return all
}

func started(doc *Document) []string {
	if doc.Run.Started == nil {
		return nil
	}
	return []string{doc.Run.Started.UTC().Format("2006-01-02 15:04 UTC")}
}
