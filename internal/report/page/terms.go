package page

// The words of a section that have a meaning of their own, each with it: shown where the pointer is on the word, where
// the keyboard is, and where it is touched. Without a script, and for readers of the page aloud, the meaning is the
// description of the word.

import (
	"strings"

	"github.com/tarebench/tare/internal/report"
)

// term is a word with its meaning. ID is of the page.
type term struct{ ID, Word, Meaning string }

// sectionTerms are the terms of each section, by its ID and by their English names. The first screen needs three; a
// word is explained where it is needed first.
func sectionTerms() map[string][]string {
	return map[string][]string{
		"cost":        {"round", "interval", "margin"},
		"attribution": {"layer"},
		"latency":     {"open loop"},
		"arms":        {"arm", "baseline"},
		"rounds":      {"trial"},
		"series":      {"turn", "slice", "lead-in", "window"},
		"calendar":    {"gate", "void"},
		"trust":       {"cost", "contrast", "family", "verdict", "sealed", "plan", "caveat"},
	}
}

// termsOf are the terms of a section in the document's language.
func termsOf(doc *report.Document, section string) (all []term) {
	for _, name := range sectionTerms()[section] {
		all = append(all, term{
			ID: "term-" + strings.ReplaceAll(name, " ", "-"), Word: doc.Say("term." + name), Meaning: doc.Language().Term(name),
		})
	}
	return all
}
