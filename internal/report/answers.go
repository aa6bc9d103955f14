package report

import "strings"

// answer is a verdict with its sentence.
type answer struct {
	Glyph, Word, Token, Sentence string
}

// answers are what separates an arm from its neighbour, the verdicts in words, and
// whatever else the headline says.
func answers(doc *Document) (all []answer) {
	for _, s := range doc.leads() {
		all = append(all, answer{"", "", "neutral", s})
	}
	return append(append(all, verdicts(doc)...), asides(doc)...)
}

// verdicts are what the page opens with.
func verdicts(doc *Document) []answer {
	if doc.sealed() {
		m := markOf("sealed")
		return []answer{{m.glyph, doc.words().word("sealed"), m.token, doc.sealedSentence()}}
	}
	var all []answer
	for _, c := range doc.Contrasts {
		m := markOf(c.Verdict)
		all = append(all, answer{m.glyph, doc.words().word(c.Verdict), m.token, long(c.Sentence)})
	}
	return all
}

// asides are the sentences after the verdicts: the instrument's own check, where
// the cost comes from, levels.
func asides(doc *Document) []answer {
	if doc.sealed() {
		return nil
	}
	var all []answer
	for _, h := range doc.Headline[min(len(doc.Contrasts), len(doc.Headline)):] {
		all = append(all, answer{"", "", "neutral", long(h)})
	}
	return all
}

// Mark is the sign of a cell's verdict, with its English word.
func (c Cell) Mark() answer {
	m := markOf(c.Verdict)
	return answer{Glyph: m.glyph, Word: strings.ToLower(english().word(c.Verdict)), Token: m.token}
}
