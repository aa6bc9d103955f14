package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tarebench/tare/internal/compare"
)

// mark is how a verdict looks: hue never carries it alone.
type mark struct {
	verdict string
	glyph   string // Unicode
	ascii   string
	token   string // colour token of the page
	ansi    string // one of the terminal's own 16 colours
}

// marks are the verdicts in the order of their weight.
func marks() []mark {
	return []mark{
		{"invalid", "✕", "x", "invalid", "35"},
		{"failed", "!", "!", "invalid", "35"},
		{"costs", "▲", "^", "cost", "33"},
		{"gains", "▼", "v", "gain", "34"},
		{"within-margin", "△", "^.", "neutral", "36"},
		{"equivalent", "=", "=", "equivalent", "32"},
		{"inconclusive", "?", "?", "inconclusive", "95"},
		{"not-measured", "–", "-", "inconclusive", "95"},
		{"sealed", "…", ".", "neutral", "36"},
	}
}

func markOf(verdict string) mark {
	for _, m := range marks() {
		if m.verdict == verdict {
			return m
		}
	}
	return mark{verdict, "?", "?", "inconclusive", "95"}
}

// sentence is the verdict of a contrast in words. The patterns are whole, so
// that a translation may order them differently.
func (doc *Document) sentence(c *Contrast) string {
	arm := doc.called(c.Arm, c.Threads)
	slots := []string{"arm", arm, "base", c.Baseline, "reason", c.Reason, "margin", trimmed(doc.Run.MarginPercent), "rounds", doc.rounds(c)}
	switch c.Verdict {
	case "sealed":
		return doc.say("sentence.sealed", "arm", arm, "planned", fmt.Sprint(doc.Run.RoundsPlanned), "done", fmt.Sprint(doc.Run.RoundsComplete))
	case "invalid", "not-measured", "failed":
		return doc.say("sentence."+c.Verdict, slots...)
	}
	if c.Interval == nil {
		return doc.withoutInterval(c, slots)
	}
	cost := costOf(c)
	digits, faster := cost.digits(), cost.mid < 0
	lo, hi := cost.lo, cost.hi
	key := "sentence." + c.Verdict
	if c.Verdict == "equivalent" {
		lo, hi = -float64(c.Interval90[1]), -float64(c.Interval90[0])
	} else if faster {
		lo, hi = -cost.hi, -cost.lo
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
		s = doc.say(key, append(slots, "size", decimal(math.Abs(cost.mid), digits), "lo", decimal(lo, digits), "hi", decimal(hi, digits))...)
	default:
		s = doc.cannotTell(c, slots)
	}
	if c.Exploratory {
		s += doc.say("sentence.exploratory", "n", fmt.Sprint(compare.EnoughRounds(c.Family)))
	}
	return s
}

// withoutInterval states what was observed and claims nothing from it.
func (doc *Document) withoutInterval(c *Contrast, slots []string) string {
	a, b := doc.arm(c.Arm, c.Threads), doc.arm(c.Baseline, c.Threads)
	if !c.EffectPercent.Known() || a == nil || b == nil {
		return doc.say("sentence.none", slots...)
	}
	why := c.Reason // the rest of the reasons stands in the table
	if len(c.Reasons) > 0 {
		why = doc.words().reason(c.Reasons[0])
	}
	return doc.say("sentence.observed", append(slots, "mean", decimal(float64(a.ThroughputMean), 2), "was", decimal(float64(b.ThroughputMean), 2),
		"cost", decimal(-float64(c.EffectPercent), 1), "unit", doc.say("unit"), "why", why)...)
}

// mostRounds is beyond what anyone will run: the spread is the finding there.
const mostRounds = 1000

func (doc *Document) cannotTell(c *Contrast, slots []string) string {
	cost, margin := costOf(c), float64(doc.Run.MarginPercent)
	digits := cost.digits()
	slots = append(slots, "lo", decimal(cost.lo, digits), "hi", decimal(cost.hi, digits))
	key := "sentence.inconclusive"
	switch {
	case c.takenBack(margin):
		return doc.say("sentence.taken-back", slots...)
	case cost.lo < -farthest:
		return doc.say("sentence.inconclusive.unbounded", slots...)
	case cost.hi > margin && cost.lo < -margin:
		key += ".both"
	case cost.hi <= margin:
		key += ".faster"
	}
	s := doc.say(key, slots...)
	width := trimmed(doc.Run.MarginPercent)
	switch {
	case c.MoreRounds > mostRounds:
		s += doc.say("sentence.more.never", "margin", width, "n", grouped(mostRounds))
	case c.MoreRounds > 0 && doc.round > 0:
		s += doc.say("sentence.more.about", "margin", width, "n", fmt.Sprint(c.MoreRounds), "time", doc.words().span(time.Duration(c.MoreRounds)*doc.round))
	case c.MoreRounds > 0:
		s += doc.say("sentence.more", "margin", width, "n", fmt.Sprint(c.MoreRounds))
	}
	return s
}

// takenBack says that the intervals alone would bear a verdict: something else about the
// run did not, which the reason names.
func (c *Contrast) takenBack(margin float64) bool {
	in95, in90 := compare.Interval{Lo: float64(c.Interval[0]), Hi: float64(c.Interval[1])}, compare.Interval{Lo: float64(c.Interval90[0]), Hi: float64(c.Interval90[1])}
	return compare.VerdictOf(in95, in90, margin) != compare.Inconclusive
}

func (doc *Document) rounds(c *Contrast) string {
	if doc.Run.Imported {
		return doc.count(c.Rounds, "trial")
	}
	return doc.count(c.Rounds, "round")
}

// count is English, for views that have no other language.
func count(n int, what string) string { return english().count(n, what) }

// called tells the levels of an arm apart where the run has several.
func (doc *Document) called(arm string, threads int) string {
	if len(doc.levels()) < 2 {
		return arm
	}
	return doc.say("arm.at", "arm", arm, "threads", doc.count(threads, "thread"))
}

// label is called in as few letters as a table or a picture has.
func (doc *Document) label(arm string, threads int) string {
	if len(doc.levels()) < 2 {
		return arm
	}
	return fmt.Sprintf("%s x%d", arm, threads)
}

func (doc *Document) levels() []int {
	var all []int
	for _, a := range doc.Arms {
		if a.Baseline || len(all) == 0 {
			all = append(all, a.Threads)
		}
	}
	return all
}

func (doc *Document) arm(name string, threads int) *Arm {
	for i := range doc.Arms {
		if a := &doc.Arms[i]; a.Name == name && a.Threads == threads {
			return a
		}
	}
	return nil
}

// headline is one sentence per contrast, or one for all when all are sealed.
func (doc *Document) headline() []string {
	lines := []string{}
	for _, c := range doc.Contrasts {
		if c.Verdict == "sealed" {
			return []string{doc.say("headline.sealed", "planned", fmt.Sprint(doc.Run.RoundsPlanned), "done", fmt.Sprint(doc.Run.RoundsComplete),
				"trials", fmt.Sprint(doc.Run.TrialsDone), "of", fmt.Sprint(doc.Run.TrialsPlanned))}
		}
		lines = append(lines, c.Sentence)
	}
	for _, f := range doc.NoiseFloors {
		if f.Sentence != "" {
			lines = append(lines, f.Sentence)
		}
	}
	for _, a := range doc.Attributions {
		lines = append(lines, a.Sentence)
	}
	for _, m := range doc.Remedies {
		lines = append(lines, m.Sentence)
	}
	for _, a := range doc.Arms {
		if len(a.States) == 2 {
			lines = append(lines, doc.say("headline.levels", append(doc.levelSlots(&a), "arm", doc.called(a.Name, a.Threads))...))
		}
	}
	if len(lines) == 0 {
		lines = append(lines, doc.say("headline.one-arm"))
	}
	return lines
}

// levelSlots are the two levels of an arm that has two.
func (doc *Document) levelSlots(a *Arm) []string {
	share := func(s State) string { return fmt.Sprintf("%.0f", 100*float64(s.Share)) }
	low, high := a.States[0], a.States[1]
	return []string{"unit", doc.say("unit"), "low", rounded(low.Level), "often", share(low), "high", rounded(high.Level), "rarely", share(high)}
}

func (doc *Document) scope() string {
	if doc.Run.Imported {
		return doc.say("scope.imported")
	}
	var threads []string
	for _, n := range doc.levels() {
		threads = append(threads, strconv.Itoa(n))
	}
	where := doc.say("scope.machine")
	if cpu := doc.setting("host.cpu.model"); cpu != "" {
		if n := doc.setting("host.cpu.count"); n != "" {
			where = doc.say("scope.machine.cpus", "cpu", cpu, "n", n)
		} else {
			where = doc.say("scope.machine.cpu", "cpu", cpu)
		}
	}
	return doc.say("scope", "where", where, "workload", doc.Run.Workload, "threads", doc.words().list("and", threads),
		"rounds", doc.count(doc.Run.RoundsComplete, "complete round")) + doc.protocolSentence()
}

func (doc *Document) setting(key string) string {
	for _, s := range doc.Environment {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

func meta(doc *Document) []string {
	var m []string
	if doc.Run.Imported {
		m = append(m, doc.say("meta.imported", "format", inert(doc.Run.Engine)))
	} else {
		m = append(m, inert(doc.Run.Workload))
		var threads []string
		for _, n := range doc.levels() {
			threads = append(threads, fmt.Sprint(n))
		}
		m = append(m, doc.say("meta.threads", "threads", doc.words().list("and", threads)),
			doc.say("meta.rounds", "n", fmt.Sprint(doc.Run.RoundsComplete), "of", fmt.Sprint(doc.Run.RoundsPlanned)))
		if n := doc.setAside(); n > 0 {
			m = append(m, doc.count(n, "round again"))
		}
		m = append(m, doc.say("meta.plan", "hash", short(doc.Run.PlanHash)))
	}
	return append(m, doc.say("meta.margin", "margin", trimmed(doc.Run.MarginPercent)))
}

func short(hash string) string { return inert(hash[:min(8, len(hash))]) }

// named puts the run's directory into a command. A page leaves DIR: it is read elsewhere.
func (doc *Document) named(command string) string {
	dir := doc.dir
	if dir == "" {
		return command
	}
	if strings.ContainsFunc(dir, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+=@%", r)
	}) {
		dir = "'" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
	}
	return strings.ReplaceAll(command, "DIR", dir)
}
