package report

import (
	"fmt"

	"github.com/tarebench/tare/internal/compare"
)

// Remedy is a change that a finding asked for, measured against the baseline,
// which is the server without it. The sizes are those of the contrasts of its arm.
type Remedy struct {
	Arm     string `json:"arm"`
	Rule    string `json:"rule"`
	Finding string `json:"finding"`
	// Change is a merge patch (RFC 7386) of the baseline's settings, as YAML.
	Change string `json:"change"`
	// Decision is "kept", "refused" or "undecided".
	Decision string `json:"decision"`
	// Serves is why it is kept or refused where one of the two servers did not serve at
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
	slots := []string{"arm", m.Arm, "rule", m.Rule, "change", m.Change, "decision", doc.say("remedy." + m.Decision)}
	if m.Serves != "" {
		return doc.say("remedy.serves", append(slots, "why", m.Serves)...)
	}
	return doc.say("remedy", append(slots, "sizes", doc.costs(m))...)
}

// costs are the contrasts of a remedy, level by level.
func (doc *Document) costs(m *Remedy) string {
	if m.Serves != "" {
		return m.Serves
	}
	var sizes []string
	for i := range doc.Contrasts {
		if c := &doc.Contrasts[i]; c.Arm == m.Arm {
			sizes = append(sizes, doc.costText(c))
		}
	}
	return doc.words().list("clauses", sizes)
}

// costText is a contrast with its interval: positive = slower.
func (doc *Document) costText(c *Contrast) string {
	at := ""
	if len(doc.levels()) > 1 {
		at = doc.say("remedy.at", "threads", doc.count(c.Threads, "thread"))
	}
	if c.Interval == nil {
		return doc.say("remedy.no-interval", "at", at, "verdict", doc.words().verdict(c.Verdict))
	}
	cost := costOf(c)
	n := cost.digits()
	s := doc.say("remedy.gain", "size", signed(cost.mid, n), "at", at, "lo", signed(cost.lo, n), "hi", signed(cost.hi, n), "rounds", doc.rounds(c))
	if c.Exploratory {
		s += doc.say("remedy.few")
	}
	return s
}

func remedySection() Section {
	return Section{
		ID:       "remedies",
		Shown:    func(d *Document) bool { return len(d.Remedies) > 0 },
		Sentence: remediesSentence,
		Tables:   remedyTable,
	}
}

func remediesSentence(d *Document) string {
	n := map[string]int{}
	for _, m := range d.Remedies {
		n[m.Decision]++
	}
	return d.say("remedies", "n", fmt.Sprint(len(d.Remedies)), "kept", fmt.Sprint(n[string(compare.Kept)]),
		"refused", fmt.Sprint(n[string(compare.Refused)]), "undecided", fmt.Sprint(n[string(compare.Undecided)]))
}

func remedyTable(d *Document) []Table {
	t := Table{Caption: d.say("caption.remedies", "base", inert(d.baseline())), Open: true, Head: d.heads("remedy", "rule", "decision", "cost95", "change", "found")}
	for i := range d.Remedies {
		m := &d.Remedies[i]
		t.Rows = append(t.Rows, []Cell{words(m.Arm), words(m.Rule), words(d.say("remedy." + m.Decision)), words(d.costs(m)), words(m.Change), words(d.ruleName(Finding{Rule: m.Rule, Title: m.Finding}))})
	}
	return []Table{t}
}
