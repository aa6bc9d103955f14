package section

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// Answer is a sentence of the first screen, with its verdict, one of report.Marks, and how that looks; without them
// where it has none.
type Answer struct {
	Verdict, Glyph, Word, Token, Sentence string
}

// mostFirst is how many verdicts stand above the chart where nothing says them in one sentence.
const mostFirst = 2

// First is what stands before everything else, above the chart: what the run means and what to do, else what it
// found, in one sentence; else the capacities or the events that nothing is compared with, or the first verdicts.
func First(doc *report.Document) []Answer {
	if said := firstSentence(doc); said != "" {
		return []Answer{{Token: "neutral", Sentence: said}}
	}
	var all []Answer
	for _, said := range doc.CapacitiesAlone() {
		all = append(all, Answer{Token: "neutral", Sentence: safe.Sentence(said)})
	}
	if len(all) > 0 {
		return all
	}
	if EventsAlone(doc) {
		for _, said := range EventSentences(doc) {
			all = append(all, Answer{Token: "neutral", Sentence: safe.Sentence(said)})
		}
		return all
	}
	all = Verdicts(doc)
	return all[:min(len(all), mostFirst)]
}

// EventsAlone says that what events cost is the result: nothing is compared.
func EventsAlone(doc *report.Document) bool {
	return len(doc.Contrasts) == 0 && HasEvents(doc) && firstSentence(doc) == "" && len(doc.CapacitiesAlone()) == 0
}

func firstSentence(doc *report.Document) string {
	return safe.Sentence(cmp.Or(doc.Answer, doc.Conclusion()))
}

// Others are the verdicts below the chart: those that are not above, after what was found in one sentence where the
// answer stands in its place.
func Others(doc *report.Document) (all []Answer) {
	verdicts := Verdicts(doc)
	if firstSentence(doc) == "" {
		return verdicts[min(len(verdicts), mostFirst):]
	}
	if said := doc.Conclusion(); doc.Answer != "" && said != "" {
		all = append(all, Answer{Token: "neutral", Sentence: safe.Sentence(said)})
	}
	return append(all, verdicts...)
}

// Leads are what separates an arm from its neighbour.
func Leads(doc *report.Document) (all []Answer) {
	for _, s := range doc.Leads() {
		all = append(all, Answer{Token: "neutral", Sentence: safe.Sentence(s)})
	}
	return all
}

// Verdicts are the verdicts in words.
func Verdicts(doc *report.Document) []Answer {
	if doc.Sealed() {
		m := report.MarkOf("sealed")
		return []Answer{{"sealed", m.Glyph, doc.Language().Word("sealed"), m.Token, doc.SealedSentence()}}
	}
	var all []Answer
	for _, v := range doc.Verdicts() {
		m := report.MarkOf(v.Verdict)
		all = append(all, Answer{v.Verdict, m.Glyph, doc.Language().Word(v.Verdict), m.Token, safe.Sentence(v.Sentence)})
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
		if !slices.Contains(doc.CapacitiesAlone(), h) { // which First says
			all = append(all, Answer{Token: "neutral", Sentence: safe.Sentence(h)})
		}
	}
	return all
}

// Mark is the sign of a cell's verdict, with its English word.
func (c Cell) Mark() Answer {
	m := report.MarkOf(c.Verdict)
	return Answer{Glyph: m.Glyph, Word: strings.ToLower(language.English().Word(c.Verdict)), Token: m.Token}
}
