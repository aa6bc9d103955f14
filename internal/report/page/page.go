// Package page writes reports as HTML pages that fetch nothing.
package page

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

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/chart"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/report/section"
)

//go:embed page.js
var pageScript string

//go:embed page.css
var pageStyle string

//go:embed *.tmpl
var pageTemplates embed.FS

// Assets are what a page is made of beside the document.
type Assets struct{ Script, Style string }

// Embedded are the assets that belong to this version.
func Embedded() Assets { return Assets{Script: pageScript, Style: pageStyle} }

// Write writes the page: one file that fetches nothing, says everything in text
// and tables without scripts, and lets nothing run but the script whose checksum
// stands in its policy. It is written in the document's language and carries the
// words of the others; the script shows the reader's own where doc has not been put
// into one by In.
func Write(w io.Writer, doc *report.Document, assets Assets) error {
	own := pageOf(doc) // as it was written
	in := func(l *language.Language) *report.Document {
		if l == doc.Language() {
			return doc
		}
		return doc.InLanguage(l)
	}
	show := layout{name: "page.tmpl", data: func(l *language.Language) any {
		if l == doc.Language() {
			return own
		}
		return pageOf(in(l))
	}, quoted: func(l *language.Language) map[string]string { return quoted(doc.Original(), in(l)) },
		chart: func(l *language.Language) map[string]string { return in(l).ChartWords() }}
	return writePage(w, doc.Language(), doc.Translated(), doc.Original(), assets, show)
}

// writePage writes a page that fetches nothing, with the document that it shows.
func writePage(w io.Writer, own *language.Language, asked bool, doc any, assets Assets, show layout) error {
	data, err := json.Marshal(doc)
	if err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	pages, err := NewPages(pageTemplates, nil, "*.tmpl")
	if err != nil {
		return err
	}
	script, style := neutral(assets.Script), neutral(assets.Style)
	var b bytes.Buffer
	show.set = pages.set
	err = show.write(&b, own, asked, map[string]any{
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
	*report.Document
	Footer   string
	Sections []laidOut
	Opening  opening
	Meta     []string
}

func pageOf(doc *report.Document) pageData {
	plan := ""
	if doc.Run.PlanHash != "" {
		plan = doc.Say("page.footer.plan", "hash", safe.Name(doc.Run.PlanHash))
	}
	return pageData{
		Document: doc, Sections: layOut(doc), Opening: openingOf(doc), Meta: append(report.Meta(doc), started(doc)...),
		Footer: doc.Say("page.footer", "tare", safe.Name(doc.Tare), "plan", plan),
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
	Terms                           []term
	Figures                         []drawn
	Tables                          []section.Table
}

type drawn struct {
	ID, Chart, Caption string
	Static             template.HTML
}

// statics are the charts that are drawn without a script too.
func statics() map[string]func(*report.Document) template.HTML {
	return map[string]func(*report.Document) template.HTML{
		"intervals": chart.Intervals, "attribution": chart.Attribution, "rounds": chart.Rounds, "series": chart.Series, "calendar": chart.Calendar,
	}
}

func layOut(doc *report.Document) []laidOut {
	var all []laidOut
	for _, s := range section.Sections() {
		if !s.IsShownIn(doc) {
			continue
		}
		l := laidOut{Terms: termsOf(doc, s.ID), ID: s.ID, Question: s.Question(doc), Sentence: safe.Sentence(s.Sentence(doc)), Reading: doc.Say(s.ID + ".reading")}
		if s.Also != nil {
			if also := s.Also(doc); also != "" {
				l.Reading += doc.Say("join.sentences") + also
			}
		}
		for _, f := range s.Figures {
			if f.Shown != nil && !f.Shown(doc) {
				continue
			}
			d := drawn{ID: f.ID, Chart: f.Chart, Caption: doc.Say(f.ID+".caption", "unit", doc.Say("unit"))}
			if draw, ok := statics()[f.Chart]; ok {
				d.Static = draw(doc)
			}
			l.Figures = append(l.Figures, d)
		}
		for _, t := range s.TablesIn(doc) {
			if len(t.Rows) > 0 || t.Code != "" {
				l.Tables = append(l.Tables, t)
			}
		}
		all = append(all, l)
	}
	return all
}

func started(doc *report.Document) []string {
	if doc.Run.Started == nil {
		return nil
	}
	return []string{doc.Run.Started.UTC().Format("2006-01-02 15:04 UTC")}
}
