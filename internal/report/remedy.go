package report

import (
	"fmt"
	"strings"

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
	// all; else "".
	Serves   string `json:"serves"`
	Sentence string `json:"sentence"`
}

func remedy(m compare.Remedy) Remedy {
	return Remedy{Arm: text(m.Arm), Rule: text(m.Rule), Finding: text(m.Finding), Change: text(m.Change), Decision: string(m.Decision), Serves: text(m.Serves)}
}

// remedySentence says what becomes of the change, and by how much throughput changed.
func (doc *Document) remedySentence(m *Remedy) string {
	if m.Serves != "" {
		return fmt.Sprintf("Remedy %s (%s, %s): %s; %s.", m.Arm, m.Rule, m.Change, m.Decision, m.Serves)
	}
	return fmt.Sprintf("Remedy %s (%s, %s): %s; throughput %s.", m.Arm, m.Rule, m.Change, m.Decision, doc.gains(m))
}

// gains are the contrasts of a remedy, level by level.
func (doc *Document) gains(m *Remedy) string {
	if m.Serves != "" {
		return m.Serves
	}
	var sizes []string
	for i := range doc.Contrasts {
		if c := &doc.Contrasts[i]; c.Arm == m.Arm {
			sizes = append(sizes, doc.gain(c))
		}
	}
	return strings.Join(sizes, "; ")
}

// gain is a contrast as a change of throughput: positive = faster.
func (doc *Document) gain(c *Contrast) string {
	at := ""
	if len(doc.levels()) > 1 {
		at = fmt.Sprintf(" at %s", count(c.Threads, "thread"))
	}
	if c.Interval == nil {
		return "no interval" + at + " (" + c.Verdict + ")"
	}
	cost := costOf(c)
	n := cost.digits()
	s := fmt.Sprintf("%s %%%s [%s, %s], %s", signed(-cost.mid, n), at, signed(-cost.hi, n), signed(-cost.lo, n), doc.rounds(c))
	if c.Exploratory {
		s += ", too few to decide"
	}
	return s
}

func signed(v float64, digits int) string {
	if v <= 0 {
		return decimal(v, digits)
	}
	return "+" + decimal(v, digits)
}

func remedySection() Section {
	return Section{
		ID: "remedies", Question: "What takes it off?",
		Shown:    func(d *Document) bool { return len(d.Remedies) > 0 },
		Sentence: remediesSentence,
		Tables:   remedyTable,
		Reading: "Each remedy was an arm: the baseline with one change, measured in the same rounds. Kept means that the 95 % interval of its " +
			"gain lies above zero and the gain is more than the margin, or that it served in all rounds and the baseline in none; refused, that it costs or that nothing beyond the margin can be in it. " +
			"The intervals hold for all remedies at once.",
	}
}

func remediesSentence(d *Document) string {
	n := map[string]int{}
	for _, m := range d.Remedies {
		n[m.Decision]++
	}
	return fmt.Sprintf("Remedies measured: %d. Kept %d, refused %d, undecided %d.", len(d.Remedies),
		n[string(compare.Kept)], n[string(compare.Refused)], n[string(compare.Undecided)])
}

func remedyTable(d *Document) []Table {
	t := Table{Caption: "Remedies against " + inert(d.baseline()), Open: true, Head: []string{"Remedy", "Rule", "Decision", "Throughput, 95 % interval", "Change", "Found"}}
	for i := range d.Remedies {
		m := &d.Remedies[i]
		t.Rows = append(t.Rows, []Cell{words(m.Arm), words(m.Rule), words(m.Decision), words(d.gains(m)), words(m.Change), words(m.Finding)})
	}
	return []Table{t}
}
