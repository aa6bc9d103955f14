package report

import (
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
)

// Remedy is a change that a finding asked for, measured against the baseline,
// which is the server without it. The sizes are those of the contrasts of its arm.
type Remedy struct {
	Arm     string `json:"arm"`
	Rule    string `json:"rule"`
	Finding string `json:"finding"`
	// Change is a merge patch (RFC 7386) of the baseline's settings, as YAML.
	Change string `json:"change"`
	// Decision is "kept", "rejected" or "undecided".
	Decision string `json:"decision"`
	// Serves is why it is kept or rejected where one of the two servers did not serve at
	// all, or the client kept up with the change alone; else "".
	Serves       string          `json:"serves"`
	ServesReason *compare.Reason `json:"serves_reason"`
	Sentence     string          `json:"sentence"`
}

func remedy(m compare.Remedy) Remedy {
	return Remedy{Arm: text(m.Arm), Rule: text(m.Rule), Finding: text(m.Finding), Change: text(m.Change), Decision: string(m.Decision), ServesReason: m.Serves}
}

// remedySentence says what becomes of the change, and by how much throughput changed.
func (doc *Document) remedySentence(m *Remedy) string {
	slots := []string{"arm", m.Arm, "rule", m.Rule, "change", m.Change, "decision", doc.Say("remedy." + m.Decision)}
	if m.Serves != "" {
		return doc.Say("remedy.serves", append(slots, "why", m.Serves)...)
	}
	return doc.Say("remedy", append(slots, "sizes", doc.Costs(m))...)
}

// Costs are the contrasts of a remedy, level by level.
func (doc *Document) Costs(m *Remedy) string {
	if m.Serves != "" {
		return m.Serves
	}
	return doc.CostsOf(m.Arm)
}

// CostsOf are the contrasts of an arm, level by level.
func (doc *Document) CostsOf(arm string) string {
	var sizes []string
	for i := range doc.Contrasts {
		if c := &doc.Contrasts[i]; c.Arm == arm {
			sizes = append(sizes, doc.costText(c))
		}
	}
	return doc.Language().List("clauses", sizes)
}

// costText is a contrast with its interval: positive = slower.
func (doc *Document) costText(c *Contrast) string {
	at := ""
	if len(doc.Levels()) > 1 {
		at = doc.Say("remedy.at", "threads", doc.Count(c.Threads, "thread"))
	}
	if c.Interval == nil {
		return doc.Say("remedy.no-interval", "at", at, "verdict", doc.Language().Verdict(c.Verdict))
	}
	cost := CostOf(c)
	n := cost.Digits()
	s := doc.Say("remedy.gain", "size", language.Signed(cost.Mid, n), "at", at, "lo", language.Signed(cost.Lo, n), "hi", language.Signed(cost.Hi, n), "rounds", doc.rounds(c))
	if c.Exploratory {
		s += doc.Say("remedy.few")
	}
	for _, t := range doc.decidedTails(c) {
		d := Cost{Lo: float64(t.CostInterval[0]), Hi: float64(t.CostInterval[1])}.Digits()
		s += doc.Say("remedy.tail", "p", t.Percentile, "size", language.Signed(float64(t.CostPercent), d),
			"lo", language.Signed(float64(t.CostInterval[0]), d), "hi", language.Signed(float64(t.CostInterval[1]), d))
	}
	return s
}
