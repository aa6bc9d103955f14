package report

// The conclusion: one sentence before all others, for a reader who reads no more.

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tarebench/tare/internal/report/language"
)

// mostConcluded is how many arms the conclusion names; the verdicts name all.
const mostConcluded = 4

// Conclusion says what the run found, in one sentence without intervals, the largest change first. It is "" where one
// verdict says it already, where arms have several baselines, where no arm has a verdict, and while the run is sealed.
func (doc *Document) Conclusion() string {
	if len(doc.Contrasts) < 2 || doc.Sealed() {
		return ""
	}
	all := make([]*Contrast, 0, len(doc.Contrasts))
	for i := range doc.Contrasts {
		if doc.Contrasts[i].Baseline != doc.Contrasts[0].Baseline {
			return ""
		}
		all = append(all, &doc.Contrasts[i])
	}
	slices.SortStableFunc(all, func(a, b *Contrast) int { return cmp.Compare(sizeOf(b), sizeOf(a)) })
	if !slices.ContainsFunc(all, func(c *Contrast) bool { return concludes(c) != "open" }) {
		return ""
	}
	var parts []string
	for _, c := range all[:min(mostConcluded, len(all))] {
		parts = append(parts, doc.Say("conclusion."+concludes(c), "arm", doc.Called(c.Arm, c.Threads), "size", roughly(sizeOf(c)), "margin", Trimmed(doc.Run.MarginPercent)))
	}
	if more := len(all) - mostConcluded; more > 0 {
		parts = append(parts, doc.Say("conclusion.more", "n", fmt.Sprint(more)))
	}
	return doc.Say("conclusion", "base", all[0].Baseline, "parts", doc.Language().List("clauses", parts))
}

// concludes is the key of the words for a contrast.
func concludes(c *Contrast) string {
	switch c.Verdict {
	case "costs", "gains":
		if CostOf(c).Mid < 0 {
			return "faster"
		}
		return "slower"
	case "equivalent", "within-margin":
		return "same"
	}
	return "open"
}

// sizeOf is the size of a change that has a verdict of its own, in %; 0 for every other.
func sizeOf(c *Contrast) float64 {
	if key := concludes(c); key == "same" || key == "open" {
		return 0
	}
	return math.Abs(CostOf(c).Mid)
}

// roughly is a size as people say it.
func roughly(size float64) string {
	if size >= 10 {
		return language.Decimal(size, 0)
	}
	return language.Decimal(size, 1)
}
