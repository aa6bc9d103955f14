package report

import (
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
)

// Neighbour separates what an arm costs by itself from what its neighbour takes. Arms are
// paired by their settings: Alone differs from Arm only in having no neighbour, Peer from
// the baseline only in having Arm's.
type Neighbour struct {
	Arm     string    `json:"arm"`
	Threads int       `json:"threads"`
	Alone   string    `json:"alone,omitempty"`
	Taken   *Change95 `json:"taken,omitempty"` // from Alone to Arm
	Peer    string    `json:"peer,omitempty"`
	Apart   *Change95 `json:"apart,omitempty"` // from Peer to Arm
	// Sentence says both; for the baseline's own neighbour it is "", where another arm's
	// sentence has its figure.
	Sentence string `json:"sentence"`
}

// Change95 is a change of throughput in %, negative when slower, with its 95 % interval.
type Change95 struct {
	EffectPercent Number    `json:"effect_percent"`
	Interval      [2]Number `json:"interval95"`
	Joint
	Rounds int `json:"rounds"`
	// Verdict is costs, gains, within-margin, equivalent or inconclusive.
	Verdict string `json:"verdict"`
}

func changeOf(c *compare.Change95) *Change95 {
	if c == nil {
		return nil
	}
	return &Change95{EffectPercent: Number(c.Effect), Interval: [2]Number{Number(c.Interval95.Lo), Number(c.Interval95.Hi)}, Joint: joint(c.FamilyName, c.Family), Rounds: c.Rounds, Verdict: string(c.Verdict)}
}

func neighbourOf(b compare.BesideNeighbour) Neighbour {
	return Neighbour{Arm: text(b.Arm), Threads: b.Threads, Alone: text(b.Alone), Taken: changeOf(b.Taken), Peer: text(b.Peer), Apart: changeOf(b.Apart)}
}

// writeNeighbours makes the sentences, of arms that are not the baseline's first: what an
// arm costs by itself is the answer that readers look for.
func (doc *Document) writeNeighbours() {
	if o := doc.Run.OthersCPU; o != nil && o.Busy { // nothing has a verdict, and the verdicts say why
		for i := range doc.Neighbours {
			doc.Neighbours[i].Sentence = ""
		}
		return
	}
	others := false
	for i := range doc.Neighbours {
		n := &doc.Neighbours[i]
		n.Sentence = ""
		if n.Alone != doc.Baseline() {
			n.Sentence = doc.neighbourSentence(n)
			others = others || n.Taken != nil
		}
	}
	for i := range doc.Neighbours {
		if n := &doc.Neighbours[i]; !others && n.Taken != nil && n.Alone == doc.Baseline() {
			n.Sentence = doc.taken(n.Alone, n)
		}
	}
}

func (doc *Document) neighbourSentence(n *Neighbour) string {
	var all []string
	if own := doc.contrast(n.Alone, n.Threads); n.Taken != nil && own != nil && own.Interval != nil {
		c := Change95{EffectPercent: own.EffectPercent, Interval: *own.Interval, Verdict: own.Verdict}
		all = append(all, doc.changed("neighbour.own", &c, "alone", doc.Called(n.Alone, n.Threads), "base", doc.Baseline()))
	}
	if n.Taken != nil {
		all = append(all, doc.taken(n.Alone, n))
		if base := doc.takenFromBaseline(n); base != nil {
			all = append(all, doc.changed("neighbour.takes", base, "alone", doc.Baseline()))
		}
	}
	if n.Apart != nil {
		all = append(all, doc.changed("neighbour.apart", n.Apart, "arm", doc.Called(n.Arm, n.Threads), "peer", doc.Called(n.Peer, n.Threads)))
	}
	return doc.Language().List("sentences", all)
}

// taken is what the neighbour takes from an arm.
func (doc *Document) taken(alone string, n *Neighbour) string {
	return doc.changed("neighbour.takes", n.Taken, "alone", doc.Called(alone, n.Threads))
}

// changed says a change with the verb of its verdict: only what costs is said to cost.
func (doc *Document) changed(key string, c *Change95, slots ...string) string {
	size := doc.lost(c)
	if c.Verdict == string(compare.Gains) {
		size = doc.ranged(Cost{Mid: float64(c.EffectPercent), Lo: float64(c.Interval[0]), Hi: float64(c.Interval[1])})
	}
	return doc.Say(key+"."+c.Verdict, append(slots, "size", size, "margin", Trimmed(doc.Run.MarginPercent))...)
}

// takenFromBaseline is what the same neighbour takes from the baseline.
func (doc *Document) takenFromBaseline(of *Neighbour) *Change95 {
	for i := range doc.Neighbours {
		if n := &doc.Neighbours[i]; n.Arm == of.Peer && n.Threads == of.Threads && n.Alone == doc.Baseline() {
			return n.Taken
		}
	}
	return nil
}

// lost is a change as a cost with its interval.
func (doc *Document) lost(s *Change95) string { return doc.ranged(turn(s.EffectPercent, s.Interval)) }

func (doc *Document) ranged(c Cost) string {
	n := c.Digits()
	return doc.Say("neighbour.figure", "mid", language.Decimal(c.Mid, n), "lo", language.Decimal(c.Lo, n), "hi", language.Decimal(c.Hi, n))
}

// Leads are the sentences that come before the verdicts.
func (doc *Document) Leads() (all []string) {
	for _, n := range doc.Neighbours {
		if n.Sentence != "" {
			all = append(all, n.Sentence)
		}
	}
	return all
}

// contrast is that of an arm at a level of the load; nil without one.
func (doc *Document) contrast(arm string, threads int) *Contrast {
	for i := range doc.Contrasts {
		if c := &doc.Contrasts[i]; c.Arm == arm && c.Threads == threads {
			return c
		}
	}
	return nil
}
