package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
)

// sentence is the verdict of a contrast in words. The patterns are whole, so
// that a translation may order them differently.
func (doc *Document) sentence(c *Contrast) string {
	arm := doc.Called(c.Arm, c.Threads)
	slots := []string{"arm", arm, "base", c.Baseline, "reason", c.Reason, "margin", Trimmed(doc.Run.MarginPercent), "rounds", doc.rounds(c)}
	switch c.Verdict {
	case "sealed":
		return doc.Say("sentence.sealed", "arm", arm, "planned", fmt.Sprint(doc.Run.RoundsPlanned), "done", fmt.Sprint(doc.Run.RoundsComplete))
	case "invalid", "not-measured", "failed":
		return doc.Say("sentence."+c.Verdict, slots...)
	}
	if c.Interval == nil {
		if c.NoVerdict == NoVerdictBusy {
			return doc.busySentence(c)
		}
		return doc.withoutInterval(c, slots)
	}
	cost := CostOf(c)
	digits, faster := cost.Digits(), cost.Mid < 0
	lo, hi := cost.Lo, cost.Hi
	key := "sentence." + c.Verdict
	if c.Verdict == "equivalent" {
		lo, hi = -float64(c.Interval90[1]), -float64(c.Interval90[0])
	} else if faster {
		lo, hi = -cost.Hi, -cost.Lo
	}
	if c.PastMargin == "unsettled" && (c.Verdict == "costs" || c.Verdict == "gains") {
		key = "sentence.unsettled"
	}
	var s string
	switch key {
	case "sentence.costs", "sentence.gains", "sentence.unsettled", "sentence.within-margin", "sentence.equivalent":
		if faster && c.Verdict != "equivalent" {
			key += ".faster"
		}
		s = doc.Say(key, append(slots, "size", language.Decimal(math.Abs(cost.Mid), digits), "lo", language.Decimal(lo, digits), "hi", language.Decimal(hi, digits))...)
	default:
		s = doc.cannotTell(c, slots)
	}
	return s + doc.exploratory(c) + doc.tailSentence(c) + doc.caveatSentences(c)
}

func (doc *Document) exploratory(c *Contrast) string {
	if !c.Exploratory || c.early() || c.NoVerdict == NoVerdictBusy {
		return ""
	}
	return doc.Say("sentence.exploratory", "n", fmt.Sprint(compare.EnoughRounds(c.FamilySize)))
}

// withoutInterval states what was observed and claims nothing from it.
func (doc *Document) withoutInterval(c *Contrast, slots []string) string {
	if !c.EffectPercent.Known() {
		return doc.Say("sentence.none", slots...)
	}
	why := c.Reason // the rest of the reasons stands in the table
	if len(c.Reasons) > 0 {
		why = doc.Language().Reason(c.Reasons[0])
	}
	key := "sentence.observed"
	if c.EffectPercent > 0 { // a cost of -105.9 % is hard to read
		key += ".faster"
	}
	return doc.Say(key, append(slots, "mean", Rate(c.ArmThroughput), "was", Rate(c.BaselineThroughput), "means", doc.whichMeans(c),
		"size", language.Decimal(math.Abs(float64(c.EffectPercent)), 1), "unit", doc.Say("unit"), "why", why)...)
}

// whichMeans says that the throughputs of a contrast are of its rounds, where the tables of the arms have those of others.
func (doc *Document) whichMeans(c *Contrast) string {
	a, b := doc.Arm(c.Arm, c.Threads), doc.Arm(c.Baseline, c.Threads)
	if a == nil || b == nil || Rate(a.ThroughputMean) == Rate(c.ArmThroughput) && Rate(b.ThroughputMean) == Rate(c.BaselineThroughput) {
		return ""
	}
	return doc.Say("sentence.observed.means")
}

func (doc *Document) cannotTell(c *Contrast, slots []string) string {
	cost, margin := CostOf(c), float64(doc.Run.MarginPercent)
	digits := cost.Digits()
	slots = append(slots, "lo", language.Decimal(cost.Lo, digits), "hi", language.Decimal(cost.Hi, digits))
	key := "sentence.inconclusive"
	switch {
	case c.NoVerdict == NoVerdictBusy:
		return doc.busySentence(c)
	case c.early() && cost.Lo >= -language.Farthest:
		return doc.Say("sentence.early", append(slots, "n", doc.needed(c))...)
	case c.takenBack(margin) && cost.Lo < -language.Farthest && cost.Hi < 0:
		return doc.Say("sentence.taken-back.unbounded.faster", append(slots, "least", language.Decimal(-cost.Hi, digits))...)
	case c.takenBack(margin):
		return doc.Say("sentence.taken-back", slots...)
	case cost.Lo < -language.Farthest:
		return doc.Say("sentence.inconclusive.unbounded", slots...)
	case cost.Hi > margin && cost.Lo < -margin:
		key += ".both"
	case cost.Hi <= margin:
		key += ".faster"
	}
	return doc.Say(key, slots...) + doc.newRunSentence("sentence", c.NewRun)
}

// unbounded ends the pattern of a cost whose lower end is not determined: one that is below zero is a gain, because a
// cost of at most -105 % is hard to read.
func unbounded(c Cost) string {
	if c.Hi < 0 {
		return ".unbounded.faster"
	}
	return ".unbounded"
}

// early says that the contrast has too few rounds for any verdict.
func (c *Contrast) early() bool { return c.Rounds < compare.Least(c.IntervalKind) }

// takenBack says that the intervals alone would bear a verdict: something else about the
// run did not, which the reason names.
func (c *Contrast) takenBack(margin float64) bool {
	in95, in90 := compare.Interval{Lo: float64(c.Interval[0]), Hi: float64(c.Interval[1])}, compare.Interval{Lo: float64(c.Interval90[0]), Hi: float64(c.Interval90[1])}
	return compare.VerdictOf(in95, in90, margin) != compare.Inconclusive
}

func (doc *Document) rounds(c *Contrast) string {
	if doc.Run.Imported {
		return doc.Count(c.Rounds, "trial")
	}
	return doc.Count(c.Rounds, "round")
}

// needed is the rounds, or the trials of each arm, that a verdict needs.
func (doc *Document) needed(c *Contrast) string {
	n := compare.Enough(c.IntervalKind, c.FamilySize)
	if doc.Run.Imported {
		return doc.Say("needs.trials", "n", fmt.Sprint(n))
	}
	return doc.Say("needs.rounds", "n", fmt.Sprint(n))
}

// headline is one sentence per contrast, or one for all when all are sealed.
func (doc *Document) headline() []string {
	lines := []string{}
	for _, c := range doc.Contrasts {
		if c.Verdict == "sealed" {
			return []string{doc.sealedHeadline()}
		}
		lines = append(lines, c.Sentence)
	}
	lines = append(lines, doc.noiseLines()...)
	lines = append(lines, doc.othersLines()...)
	for _, a := range doc.Attributions {
		lines = append(lines, a.Sentence)
	}
	for _, m := range doc.Remedies {
		lines = append(lines, m.Sentence)
	}
	for _, a := range doc.Answers {
		lines = append(lines, a.Sentence)
	}
	for _, a := range doc.Arms {
		if len(a.States) == 2 {
			lines = append(lines, doc.Say("headline.levels", append(doc.LevelSlots(&a), "arm", doc.Called(a.Name, a.Threads))...))
		}
	}
	if len(lines) == 0 {
		lines = doc.ofOneArm()
	}
	return lines
}

func (doc *Document) sealedHeadline() string {
	if doc.Run.Stopped != "" {
		return doc.Say("headline.stopped", "why", strings.TrimSuffix(strings.ReplaceAll(doc.Ended(doc.Run.Stopped), "\n", "; "), "."),
			"trials", fmt.Sprint(doc.Run.TrialsDone), "of", fmt.Sprint(doc.Run.TrialsPlanned))
	}
	return doc.Say("headline.sealed", "planned", fmt.Sprint(doc.Run.RoundsPlanned), "done", fmt.Sprint(doc.Run.RoundsComplete),
		"trials", fmt.Sprint(doc.Run.TrialsDone), "of", fmt.Sprint(doc.Run.TrialsPlanned))
}

// ofOneArm is what a run says that compares nothing: the capacity that it searched, or where its events are.
func (doc *Document) ofOneArm() []string {
	if lines := doc.CapacitiesAlone(); len(lines) > 0 {
		return lines
	}
	if len(doc.Events) > 0 {
		return []string{doc.Say("headline.one-arm.events")}
	}
	return []string{doc.Say("headline.one-arm")}
}

// CapacitiesAlone are the capacities of a run that compares nothing: they are its result. None of any other run.
func (doc *Document) CapacitiesAlone() (lines []string) {
	if doc.Run.Find == nil || len(doc.Contrasts) > 0 {
		return nil
	}
	for _, c := range doc.Capacities {
		lines = append(lines, c.Sentence)
	}
	if len(lines) > 0 {
		return lines
	}
	return []string{doc.NoCapacity()}
}

// NoCapacity is said of a search without a result: of a run that has not ended it is not shown yet.
func (doc *Document) NoCapacity() string {
	if doc.Run.TrialsDone < doc.Run.TrialsPlanned {
		return doc.sealedHeadline()
	}
	return doc.Say("capacity.none")
}

func (doc *Document) noiseLines() (lines []string) {
	if all, ok := doc.noiseLevels(); ok {
		return []string{all}
	}
	for _, f := range doc.NoiseFloors {
		if f.Sentence != "" {
			lines = append(lines, f.Sentence)
		}
	}
	return lines
}

// LevelSlots are the two levels of an arm that has two.
func (doc *Document) LevelSlots(a *Arm) []string {
	share := func(s State) string { return fmt.Sprintf("%.0f", 100*float64(s.Share)) }
	low, high := a.States[0], a.States[1]
	return []string{"unit", doc.Say("unit"), "low", language.Rounded(float64(low.Level)), "often", share(low), "high", language.Rounded(float64(high.Level)), "rarely", share(high)}
}
