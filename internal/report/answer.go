package report

// The arms of a run that are remedies of other arms, and the one sentence of what the run means and what to do.

import (
	"cmp"
	"slices"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/safe"
)

// Answer is an arm that differs from another in nothing but what the remedy of a cause changes: the remedy, measured.
type Answer struct {
	Arm     string `json:"arm"`
	To      string `json:"to"` // the arm that has the cause
	Threads int    `json:"threads"`
	// Rules are those whose remedy it is; left out where the counters of To confirm none, and what a neighbour takes
	// from To is what there is to remedy.
	Rules []string `json:"rules,omitempty"`
	// Change is the merge patch (RFC 7386) that makes the settings of Arm of those of To, as YAML.
	Change string `json:"change"`
	// Decision is "kept", "rejected" or "undecided", by Gain, the change of throughput from To to Arm.
	Decision string   `json:"decision"`
	Gain     Change95 `json:"gain"`
	// Alone is To without its neighbour, Keeps the change of throughput from it to Arm. Twin is Arm without its
	// neighbour, Own the change from Alone to it. Left out where the run has no such arm.
	Alone string    `json:"alone,omitempty"`
	Keeps *Change95 `json:"keeps,omitempty"`
	Twin  string    `json:"twin,omitempty"`
	Own   *Change95 `json:"own,omitempty"`
	// Sentence says it.
	Sentence string `json:"sentence"`
}

// setAnswers keeps what the findings of the run have as remedies among its arms.
func (doc *Document) setAnswers(run *record.Run, res *compare.Result, findings []diagnose.Finding) {
	for _, a := range diagnose.Answers(run, res, findings) {
		doc.Answers = append(doc.Answers, Answer{
			Arm: text(a.Arm), To: text(a.To), Threads: a.Threads, Rules: a.Rules, Change: text(a.Settings), Decision: string(a.Decision), Gain: *changeOf(&a.Change),
			Alone: text(a.Alone), Keeps: changeOf(a.Keeps), Twin: text(a.Twin), Own: changeOf(a.Own),
		})
	}
}

// writeAnswers makes the sentences of the answers, and the one that stands before all others.
func (doc *Document) writeAnswers() {
	for i := range doc.Answers {
		a := &doc.Answers[i]
		a.Sentence = doc.answerSentence(a)
	}
	doc.Answer = doc.answer()
}

// answerSentence says what becomes of a remedy that the run has measured, with its interval.
func (doc *Document) answerSentence(a *Answer) string {
	remedy := ""
	if len(a.Rules) > 0 {
		remedy = doc.Say("answer.remedy", "rules", doc.Language().List("list", a.Rules))
	}
	key := "answer." + a.Decision
	if a.Decision == string(compare.Rejected) {
		key += ".same"
		if a.Gain.Verdict == string(compare.Costs) {
			key = "answer.rejected.slower"
		}
	}
	return doc.Say(key, "arm", doc.Called(a.Arm, a.Threads), "to", doc.Called(a.To, a.Threads), "change", a.Change, "remedy", remedy,
		"gain", doc.gained(&a.Gain), "loss", doc.lost(&a.Gain), "rounds", doc.Count(a.Gain.Rounds, "round"), "margin", Trimmed(doc.Run.MarginPercent))
}

// gained is a change as more throughput, with its interval.
func (doc *Document) gained(c *Change95) string { return doc.shifted(c, 0) }

// kept is what is left of a throughput, in % of it.
func (doc *Document) kept(c *Change95) string { return doc.shifted(c, 100) }

func (doc *Document) shifted(c *Change95, by float64) string {
	return doc.ranged(Cost{Mid: by + float64(c.EffectPercent), Lo: by + float64(c.Interval[0]), Hi: by + float64(c.Interval[1])})
}

// answer says what the run means and what to do, of established changes alone: what a neighbour takes, and which
// arms keep it; else which arm is faster with the remedy of a cause. It is "" where the run has measured no remedy
// that is decided.
func (doc *Document) answer() string {
	if len(doc.Remedies) > 0 {
		return doc.remediesAnswer()
	}
	for _, decision := range []compare.Decision{compare.Kept, compare.Rejected} {
		for i := range doc.Answers {
			if all := doc.alike(&doc.Answers[i], decision); len(all) > 0 {
				return doc.answerOf(all, decision)
			}
		}
	}
	return ""
}

// alike are the answers to the arm of a, at its level of the load, with a decision. Which of them is best is not known,
// so the first is the one whose gain is the largest for certain. One that costs at another level is not among those to
// keep.
func (doc *Document) alike(a *Answer, decision compare.Decision) (all []*Answer) {
	for i := range doc.Answers {
		b := &doc.Answers[i]
		costs := slices.ContainsFunc(doc.Answers, func(o Answer) bool {
			return o.To == b.To && o.Arm == b.Arm && o.Gain.Verdict == string(compare.Costs)
		})
		if b.To == a.To && b.Threads == a.Threads && b.Decision == string(decision) && (decision != compare.Kept || !costs) {
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, func(x, y *Answer) int { return cmp.Compare(y.Gain.Interval[0], x.Gain.Interval[0]) })
	return all
}

func (doc *Document) answerOf(all []*Answer, decision compare.Decision) string {
	taken := doc.takenFrom(all[0].To, all[0].Threads)
	var sentences []string
	if taken != nil {
		sentences = append(sentences, doc.Say("answer.taken", "size", doc.lost(taken), "alone", doc.Called(all[0].Alone, all[0].Threads)))
	}
	if decision == compare.Rejected {
		for _, a := range all {
			sentences = append(sentences, a.Sentence)
		}
		return doc.Language().List("sentences", sentences)
	}
	keeps := taken != nil && !slices.ContainsFunc(all, func(a *Answer) bool { return a.Keeps == nil })
	var parts []string
	for _, a := range all {
		slots := []string{"arm", doc.Called(a.Arm, a.Threads), "to", doc.Called(a.To, a.Threads), "gain", doc.gained(&a.Gain)}
		if keeps {
			parts = append(parts, doc.Say("answer.keeps", append(slots, "share", doc.kept(a.Keeps))...))
		} else {
			parts = append(parts, doc.Say("answer.faster", slots...))
		}
	}
	key := "answer.use"
	if keeps {
		key = "answer.use.beside"
	}
	if len(all) > 1 {
		key += ".several"
	}
	sentences = append(sentences, doc.Say(key, "parts", doc.Language().List("and", parts)))
	for _, a := range all {
		if a.Own != nil && a.Own.Verdict == string(compare.Costs) {
			sentences = append(sentences, doc.Say("answer.own", "twin", doc.Called(a.Twin, a.Threads), "alone", doc.Called(a.Alone, a.Threads), "size", doc.lost(a.Own)))
		}
	}
	return doc.Language().List("sentences", sentences)
}

// takenFrom is what the neighbour takes from an arm, where that is established; else nil.
func (doc *Document) takenFrom(arm string, threads int) *Change95 {
	for i := range doc.Neighbours {
		n := &doc.Neighbours[i]
		if n.Arm == arm && n.Threads == threads && n.Taken != nil && n.Taken.Verdict == string(compare.Costs) && n.Taken.Rounds >= compare.EnoughRounds(n.Taken.FamilySize) {
			return n.Taken
		}
	}
	return nil
}

// remediesAnswer is that of an experiment that names its remedies: which of them to keep.
func (doc *Document) remediesAnswer() string {
	var kept []string
	for i := range doc.Remedies {
		if m := &doc.Remedies[i]; m.Decision == string(compare.Kept) {
			kept = append(kept, doc.Say("answer.remedies.one", "arm", m.Arm, "change", m.Change, "sizes", doc.Costs(m)))
		}
	}
	if len(kept) == 0 {
		return ""
	}
	return doc.Say("answer.remedies", "base", doc.Baseline(), "parts", doc.Language().List("clauses", kept))
}

// measuredRemedy says that an arm of the run is the remedy of a finding: there is nothing to measure for it.
func (doc *Document) measuredRemedy(e *Explained, f Finding) bool {
	return slices.ContainsFunc(doc.Answers, func(a Answer) bool {
		return a.To == e.Arm && a.Threads == e.Threads && slices.Contains(a.Rules, f.Rule)
	})
}

// useAnswers is for arms whose remedy the run has measured and keeps: of several the one whose gain is the largest
// for certain.
func (doc *Document) useAnswers() (steps []Step) {
	var told []string
	for i := range doc.Answers {
		all := doc.alike(&doc.Answers[i], compare.Kept)
		if len(all) == 0 || slices.Contains(told, all[0].To) {
			continue
		}
		a := all[0]
		told = append(told, a.To)
		steps = append(steps, Step{
			Do:      doc.Say("next.use", "arm", safe.Name(doc.Called(a.Arm, a.Threads)), "to", safe.Name(doc.Called(a.To, a.Threads))),
			Why:     doc.Say("next.use.why", "gain", doc.gained(&a.Gain), "rounds", doc.Count(a.Gain.Rounds, "round")),
			Command: safe.Sentence(a.Change), Section: "cost",
		})
	}
	return steps
}
