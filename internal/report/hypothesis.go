package report

import (
	"github.com/tarebench/tare/internal/compare"
)

// Hypothesis is a claim of the experiment with what the run says of it. The sizes are those of
// the contrasts of its arm.
type Hypothesis struct {
	Claim  string `json:"claim"`
	Arm    string `json:"arm"`
	Expect string `json:"expect"` // slower, faster or equivalent
	// Support is "supported", "contradicted", "mixed" or "open".
	Support string `json:"support"`
	// Levels are the supports at each level of the load.
	Levels   []HypothesisLevel `json:"levels"`
	Sentence string            `json:"sentence"`
}

// HypothesisLevel is what the run says at one level of the load.
type HypothesisLevel struct {
	Threads int    `json:"threads"`
	Support string `json:"support"` // "supported", "contradicted" or "open"
}

func hypothesis(h compare.Hypothesis) Hypothesis {
	out := Hypothesis{Claim: text(h.Claim), Arm: text(h.Arm), Expect: text(h.Expect), Support: string(h.Support), Levels: []HypothesisLevel{}}
	for i, s := range h.Levels {
		out.Levels = append(out.Levels, HypothesisLevel{Threads: h.Threads[i], Support: string(s)})
	}
	return out
}

// hypothesisSentence judges the claim, with the intervals that decide it.
func (doc *Document) hypothesisSentence(h *Hypothesis) string {
	return doc.Say("hypothesis", "claim", h.Claim, "support", doc.Say("hypothesis."+h.Support), "arm", h.Arm, "sizes", doc.CostsOf(h.Arm))
}
