package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
)

// In is the document with its sentences in another language; facts, names and
// numbers stay. It is meant for views: the document of a run is English.
func (doc *Document) In(tag string) (*Document, error) {
	l, err := language.Of(tag)
	if err != nil {
		return nil, err
	}
	return doc.InLanguage(l), nil
}

// InLanguage is In with a language that is known.
func (doc *Document) InLanguage(l *language.Language) *Document {
	out := *doc.Original()
	out.language, out.source = l, doc.Original()
	if l == language.English() {
		return &out // as it was written
	}
	doc = out.source
	out.Contrasts, out.NoiseFloors, out.Attributions = slices.Clone(doc.Contrasts), slices.Clone(doc.NoiseFloors), slices.Clone(doc.Attributions)
	out.Remedies, out.Correlations, out.Differences, out.Voids = slices.Clone(doc.Remedies), slices.Clone(doc.Correlations), slices.Clone(doc.Differences), slices.Clone(doc.Voids)
	out.Neighbours, out.Hypotheses, out.Capacities, out.Prices = slices.Clone(doc.Neighbours), slices.Clone(doc.Hypotheses), slices.Clone(doc.Capacities), slices.Clone(doc.Prices)
	out.Answers = slices.Clone(doc.Answers)
	for i := range out.Contrasts {
		out.Contrasts[i].Variants = slices.Clone(out.Contrasts[i].Variants)
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

// Original is the document of the run, which is English.
func (doc *Document) Original() *Document {
	if doc.source != nil {
		return doc.source
	}
	return doc
}

// Language is the language of the view that is being written.
func (doc *Document) Language() *language.Language {
	if doc.language == nil {
		return language.English()
	}
	return doc.language
}

// Say is a text in the language of the view, and in the unit of the run.
func (doc *Document) Say(key string, slots ...string) string {
	return doc.InUnit(doc.Language().Say(key, slots...))
}

// ThroughputUnit is [Unit], or the unit of the program whose results were imported, such as new orders/min.
func (doc *Document) ThroughputUnit() string { return cmp.Or(doc.Run.Unit, Unit) }

// InUnit is a text of the language that speaks of transactions per second, in the unit of the run:
// other programs count new orders, requests or queries. Each text would else stand in the language
// files once more for every unit.
func (doc *Document) InUnit(text string) string {
	if doc.ThroughputUnit() == Unit {
		return text
	}
	l := doc.Language()
	unit := l.Unit(doc.ThroughputUnit())
	return strings.NewReplacer(l.Say("unit"), unit, l.Say("unit-short"), unit, language.Capital(l.Say("unit")), language.Capital(unit)).Replace(text)
}

// ChartWords are the words of the charts in the language of the view, in the unit of the run and for
// the intervals of a log.
func (doc *Document) ChartWords() map[string]string {
	words := maps.Clone(doc.Language().Chart)
	for key, text := range words {
		words[key] = doc.InUnit(text)
	}
	if doc.PerInterval("", "", "text.dot-interval", "text.dot-interval") != "" {
		words["dot-second"] = doc.Say("text.dot-interval")
	}
	return words
}

// Count is a number of things in the language of the view.
func (doc *Document) Count(n int, what string) string { return doc.Language().Count(n, what) }

// Heads are the heads of a table's columns.
func (doc *Document) Heads(keys ...string) []string {
	all := make([]string, len(keys))
	for i, k := range keys {
		all[i] = doc.Say("head." + k)
	}
	return all
}

// Ended is what a record says of how a trial or a load ended, of what happened to a member, or of
// why a fact is unknown, in the language of the view. What another program said stays as it is.
func (doc *Document) Ended(recorded string) string { return Ended(doc.Language(), recorded) }

// Ended is what a record says of how a trial, a load or a run ended, in a language.
func Ended(l *language.Language, recorded string) string {
	if why := compare.Ended(recorded); why != nil && l != language.English() {
		return l.Reason(*why)
	}
	return recorded
}
