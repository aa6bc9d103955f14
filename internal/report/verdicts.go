package report

// The verdicts as a view opens with them. A load with several numbers of threads has a
// contrast for each: the levels of an arm that say the same thing are one sentence.

import (
	"cmp"
	"math"
	"slices"

	"github.com/tarebench/tare/internal/report/language"
)

// Why a contrast has no verdict.
const (
	// NoVerdictBusy: others used the machine.
	NoVerdictBusy = "busy"
	// NoVerdictEarly: there are fewer rounds than any verdict needs.
	NoVerdictEarly = "early"
)

// Shown is the verdict as views name it, one of Marks.
func (c *Contrast) Shown() string { return cmp.Or(c.NoVerdict, c.Verdict) }

// VerdictSentence is a verdict, one of Marks, with its sentence.
type VerdictSentence struct{ Verdict, Sentence string }

// Verdicts are the answers of a run in the order of its contrasts.
func (doc *Document) Verdicts() []VerdictSentence {
	return joinLevels(doc.Contrasts, doc.levelsKey, doc.levelsSentence)
}

// joinLevels are the sentences of contrasts, in their order. Those with one key, the pattern of
// their sentence, are said by one; those with the key "" have their own.
func joinLevels(contrasts []Contrast, key func(*Contrast) string, sentence func([]*Contrast) string) (all []VerdictSentence) {
	for i := range contrasts {
		c := &contrasts[i]
		levels := sameVerdict(contrasts, c, key)
		switch {
		case len(levels) < 2:
			all = append(all, VerdictSentence{c.Shown(), c.Sentence})
		case levels[0] == c:
			all = append(all, VerdictSentence{c.Shown(), sentence(levels)})
		}
	}
	return all
}

// sameVerdict are the contrasts of an arm, c among them, that one sentence can say.
func sameVerdict(contrasts []Contrast, c *Contrast, key func(*Contrast) string) (all []*Contrast) {
	if key(c) == "" {
		return nil
	}
	for i := range contrasts {
		d := &contrasts[i]
		if d.Shown() == c.Shown() && d.Arm == c.Arm && d.Baseline == c.Baseline && d.Rounds == c.Rounds && d.Exploratory == c.Exploratory && key(d) == key(c) {
			all = append(all, d)
		}
	}
	return all
}

// levelsKey is the pattern of the sentence for several levels; "" for a contrast that has
// more to say than its cost.
func (doc *Document) levelsKey(c *Contrast) string {
	if !slices.Contains([]string{"costs", "gains", "within-margin", "equivalent", "inconclusive"}, c.Verdict) || c.Interval == nil || len(c.caveats()) > 0 {
		return ""
	}
	cost := CostOf(c)
	switch {
	case c.Verdict == "equivalent":
		return "levels.equivalent"
	case c.Verdict == "inconclusive":
		switch {
		case cost.Lo < -language.Farthest, c.NoVerdict == NoVerdictBusy:
			return ""
		case c.early():
			return "levels.early"
		case c.takenBack(float64(doc.Run.MarginPercent)):
			return ""
		}
		return "levels.inconclusive"
	case c.PastMargin == "unsettled" && c.Verdict != "within-margin":
		return ""
	case cost.Mid < 0:
		return "levels." + c.Verdict + ".faster"
	}
	return "levels." + c.Verdict
}

func (doc *Document) levelsSentence(levels []*Contrast) string {
	first, key := levels[0], doc.levelsKey(levels[0])
	var costs []string
	for _, c := range levels {
		costs = append(costs, doc.levelCost(c))
	}
	s := doc.Say(key, "arm", first.Arm, "base", first.Baseline, "levels", doc.Language().EnumerateLevels(costs),
		"rounds", doc.rounds(first), "margin", Trimmed(doc.Run.MarginPercent), "n", doc.needed(first))
	if key == "levels.inconclusive" {
		s += doc.newRunSentence("levels", hungriest(levels))
	}
	return s + doc.exploratory(first)
}

// noiseLevels says of all levels of the load what the baseline's check was; false where one
// has an alarm or is of the probes, or has no interval, or has other rounds.
func (doc *Document) noiseLevels() (sentence string, ok bool) {
	var all []string
	for _, f := range doc.NoiseFloors {
		if f.Interval == nil || f.Alarm || f.Probes || f.Rounds != doc.NoiseFloors[0].Rounds {
			return "", false
		}
		c := turn(f.EffectPercent, *f.Interval)
		all = append(all, doc.Language().Level(f.Threads, c.Mid, c.Lo, c.Hi, c.Digits()))
	}
	if len(all) < 2 {
		return "", false
	}
	return doc.Say("noise.levels", "base", doc.Baseline(), "levels", doc.Language().EnumerateLevels(all), "rounds", doc.Count(doc.NoiseFloors[0].Rounds, "round")), true
}

// levelCost is the size of a level's cost, or of its gain, with the interval of the verdict.
func (doc *Document) levelCost(c *Contrast) string {
	cost := CostOf(c)
	mid, lo, hi := cost.Mid, cost.Lo, cost.Hi
	switch {
	case c.Verdict == "equivalent":
		lo, hi = cost.Lo90, cost.Hi90
	case c.Verdict != "inconclusive" && mid < 0:
		mid, lo, hi = math.Abs(mid), -hi, -lo
	}
	return doc.Language().Level(c.Threads, mid, lo, hi, cost.Digits())
}
