package report

import (
	"slices"

	"github.com/tarebench/tare/internal/report/language"
)

// loads stands for the arms of a comparison of which only the contrasts are known: what
// is called by its threads is so where there are several levels.
func loads(contrasts []Contrast) []Arm {
	var all []Arm
	for _, c := range contrasts {
		if !slices.ContainsFunc(all, func(a Arm) bool { return a.Threads == c.Threads }) {
			all = append(all, Arm{Name: c.Baseline, Threads: c.Threads, Baseline: true})
		}
	}
	return all
}

// Answers is the first sentence of a run's headline in every language, by tag. Of its
// contrasts the first must be whole, of the others the level of the load is enough: a
// list of a thousand runs reads no more. A sentence that is not of these contrasts, or of
// another version, stays English; where there is none yet, headline is "".
func Answers(run RunInfo, headline string, contrasts []Contrast) map[string]string {
	all := map[string]string{}
	for _, l := range language.All() {
		all[l.Tag] = headline
		doc := Document{Run: run, Arms: loads(contrasts), language: l}
		if len(contrasts) > 0 {
			doc.Contrasts = slices.Clone(contrasts[:1])
		}
		if headline == language.English().Say("headline.one-arm.events") {
			all[l.Tag] = l.Say("headline.one-arm.events")
			continue
		}
		if l == language.English() && headline != "" || !doc.isOf(headline) {
			continue
		}
		for i := range doc.Contrasts {
			if c := &doc.Contrasts[i]; len(c.Reasons) > 0 {
				c.Reason = l.Reasons(c.Reasons)
			}
			doc.Contrasts[i].Sentence = doc.sentence(&doc.Contrasts[i])
		}
		all[l.Tag] = doc.headline()[0]
	}
	return all
}

// isOf says whether the headline is about the contrast that the document has, or about
// there being none.
func (doc *Document) isOf(headline string) bool {
	if len(doc.Contrasts) == 0 {
		return headline == language.English().Say("headline.one-arm")
	}
	c := doc.Contrasts[0]
	if c.Interval != nil && c.Interval90 == nil {
		return false // no version of tare has written that
	}
	return c.Verdict == "sealed" || c.Sentence == headline
}
