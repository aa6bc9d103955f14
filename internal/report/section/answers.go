package section

import (
	"strings"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// Answer is a verdict with its sentence.
type Answer struct {
	Glyph, Word, Token, Sentence string
}

// Answers are what separates an arm from its neighbour, the verdicts in words, and
// whatever else the headline says.
func Answers(doc *report.Document) (all []Answer) {
	for _, s := range doc.Leads() {
		all = append(all, Answer{"", "", "neutral", s})
	}
	return append(append(all, Verdicts(doc)...), Asides(doc)...)
}

// Verdicts are what the page opens with.
func Verdicts(doc *report.Document) []Answer {
	if doc.Sealed() {
		m := report.MarkOf("sealed")
		return []Answer{{m.Glyph, doc.Language().Word("sealed"), m.Token, doc.SealedSentence()}}
	}
	var all []Answer
	for _, v := range doc.Verdicts() {
		m := report.MarkOf(v.Verdict)
		all = append(all, Answer{m.Glyph, doc.Language().Word(v.Verdict), m.Token, safe.Sentence(v.Sentence)})
	}
	return all
}

// Asides are the sentences after the verdicts: the instrument's own check, where
// the cost comes from, levels.
func Asides(doc *report.Document) []Answer {
	if doc.Sealed() {
		return nil
	}
	var all []Answer
	for _, h := range doc.Headline[min(len(doc.Contrasts), len(doc.Headline)):] {
		all = append(all, Answer{"", "", "neutral", safe.Sentence(h)})
	}
	return all
}

// Mark is the sign of a cell's verdict, with its English word.
func (c Cell) Mark() Answer {
	m := report.MarkOf(c.Verdict)
	return Answer{Glyph: m.Glyph, Word: strings.ToLower(language.English().Word(c.Verdict)), Token: m.Token}
}
