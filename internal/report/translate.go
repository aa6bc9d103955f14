package report

import "slices"

// In is the document with its sentences in another language; facts, names and
// numbers stay. It is meant for views: the document of a run is English.
func (doc *Document) In(tag string) (*Document, error) {
	l, err := languageOf(tag)
	if err != nil {
		return nil, err
	}
	return doc.translated(l), nil
}

func (doc *Document) translated(l *Language) *Document {
	out := *doc.original()
	out.language, out.source = l, doc.original()
	if l == english() {
		return &out // as it was written
	}
	doc = out.source
	out.Contrasts, out.NoiseFloors, out.Attributions = slices.Clone(doc.Contrasts), slices.Clone(doc.NoiseFloors), slices.Clone(doc.Attributions)
	out.Remedies, out.Correlations, out.Differences, out.Voids = slices.Clone(doc.Remedies), slices.Clone(doc.Correlations), slices.Clone(doc.Differences), slices.Clone(doc.Voids)
	out.Neighbours = slices.Clone(doc.Neighbours)
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
