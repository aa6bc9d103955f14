package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/compare"
)

// mark is how a verdict looks: hue never carries it alone.
type mark struct {
	verdict string
	glyph   string // Unicode
	ascii   string
	word    string
	token   string // colour token of the page
	ansi    string // one of the terminal's own 16 colours
}

// marks are the verdicts in the order of their weight.
func marks() []mark {
	return []mark{
		{"invalid", "✕", "x", "INVALID", "invalid", "35"},
		{"failed", "!", "!", "FAILED", "invalid", "35"},
		{"costs", "▲", "^", "COSTS", "cost", "33"},
		{"gains", "▼", "v", "GAINS", "gain", "34"},
		{"within-margin", "△", "^.", "WITHIN MARGIN", "neutral", "36"},
		{"equivalent", "=", "=", "EQUIVALENT", "equivalent", "32"},
		{"inconclusive", "?", "?", "INCONCLUSIVE", "inconclusive", "95"},
		{"not-measured", "–", "-", "NOT MEASURED", "inconclusive", "95"},
		{"sealed", "…", ".", "SEALED", "neutral", "36"},
	}
}

func markOf(verdict string) mark {
	for _, m := range marks() {
		if m.verdict == verdict {
			return m
		}
	}
	return mark{verdict, "?", "?", strings.ToUpper(verdict), "inconclusive", "95"}
}

// sentence is the verdict of a contrast in words. The patterns are whole, so
// that a translation may order them differently.
func (doc *Document) sentence(c *Contrast, round time.Duration) string {
	arm, base := doc.called(c.Arm, c.Threads), c.Baseline
	margin := trimmed(doc.Run.MarginPercent)
	switch c.Verdict {
	case "sealed":
		return fmt.Sprintf("%s: sealed until round %d. %d of %d done. Looking early would bias the result.",
			arm, doc.Run.RoundsPlanned, doc.Run.RoundsComplete, doc.Run.RoundsPlanned)
	case "invalid":
		return fmt.Sprintf("%s against %s: no verdict, because %s. The data are kept; nothing is concluded from them.", arm, base, c.Reason)
	case "not-measured":
		return fmt.Sprintf("%s: not measured, because %s.", arm, c.Reason)
	case "failed":
		return fmt.Sprintf("%s: failed, because %s. The other trials are safe on disk.", arm, c.Reason)
	}
	if c.Interval == nil {
		return doc.withoutInterval(c, arm, base)
	}
	cost := costOf(c)
	digits := cost.digits()
	size, lo, hi := decimal(math.Abs(cost.mid), digits), decimal(cost.lo, digits), decimal(cost.hi, digits)
	slower := "slower"
	if cost.mid < 0 {
		slower, lo, hi = "faster", decimal(-cost.hi, digits), decimal(-cost.lo, digits)
	}
	rounds := doc.rounds(c)
	var s string
	switch c.Verdict {
	case "costs", "gains":
		s = fmt.Sprintf("%s is %s %% %s than %s (95 %% interval %s to %s, %s). Your margin was %s %%.", arm, size, slower, base, lo, hi, rounds, margin)
		if c.PastMargin == "unsettled" {
			s = fmt.Sprintf("%s is %s than %s, by %s to %s %% (best estimate %s %%, %s). Whether that exceeds your margin of %s %% is not settled.",
				arm, slower, base, lo, hi, size, rounds, margin)
		}
	case "within-margin":
		s = fmt.Sprintf("%s is measurably %s than %s, by %s %% (95 %% interval %s to %s, %s), less than the %s %% you said would matter.",
			arm, slower, base, size, lo, hi, rounds, margin)
	case "equivalent":
		lo90, hi90 := -float64(c.Interval90[1]), -float64(c.Interval90[0])
		s = fmt.Sprintf("%s and %s are equivalent: any difference is smaller than %s %% (90 %% interval of the cost %s to %s, %s).",
			arm, base, margin, decimal(lo90, digits), decimal(hi90, digits), rounds)
	default:
		s = doc.cannotTell(c, arm, base, digits, round)
	}
	if c.Exploratory {
		s += fmt.Sprintf(" Exploratory: fewer than %d rounds.", compare.EnoughRounds(c.Family))
	}
	return s
}

// withoutInterval states what was observed and claims nothing from it.
func (doc *Document) withoutInterval(c *Contrast, arm, base string) string {
	a, b := doc.arm(c.Arm, c.Threads), doc.arm(c.Baseline, c.Threads)
	if !c.EffectPercent.Known() || a == nil || b == nil {
		return fmt.Sprintf("%s against %s: no verdict, because %s.", arm, base, c.Reason)
	}
	why, _, _ := strings.Cut(c.Reason, ";") // the rest stands in the table
	return fmt.Sprintf("%s gave %s %s where %s gave %s, a change of %s %% in %s, without an interval. No verdict: %s.",
		arm, decimal(float64(a.ThroughputMean), 2), Unit, base, decimal(float64(b.ThroughputMean), 2),
		decimal(float64(c.EffectPercent), 1), doc.rounds(c), why)
}

// mostRounds is beyond what anyone will run: the spread is the finding there.
const mostRounds = 1000

func (doc *Document) cannotTell(c *Contrast, arm, base string, digits int, round time.Duration) string {
	cost, margin := costOf(c), float64(doc.Run.MarginPercent)
	both := `both "none" and "more than %s %%"`
	switch {
	case cost.hi > margin && cost.lo < -margin:
		both = `"more than %s %%" slower as well as faster`
	case cost.hi <= margin:
		both = `both "none" and "faster by more than %s %%"`
	}
	if cost.lo < -farthest {
		return fmt.Sprintf("%s against %s: cannot tell yet. The cost is at most %s %%; towards a gain the 95 %% interval has no useful end with %s.",
			arm, base, decimal(cost.hi, digits), doc.rounds(c))
	}
	s := fmt.Sprintf("%s against %s: cannot tell yet. The cost lies between %s and %s %% (95 %% interval, %s), which includes "+both+".",
		arm, base, decimal(cost.lo, digits), decimal(cost.hi, digits), doc.rounds(c), trimmed(doc.Run.MarginPercent))
	switch {
	case c.MoreRounds > mostRounds:
		s += fmt.Sprintf(" Narrowing it to ±%s %% would take more than %s rounds.", trimmed(doc.Run.MarginPercent), grouped(mostRounds))
	case c.MoreRounds > 0:
		about := ""
		if round > 0 {
			about = " (about " + span2(time.Duration(c.MoreRounds)*round) + ")"
		}
		s += fmt.Sprintf(" %d more rounds%s should narrow it to ±%s %%.", c.MoreRounds, about, trimmed(doc.Run.MarginPercent))
	}
	return s
}

// span2 is a duration with its two largest units.
func span2(d time.Duration) string {
	d = d.Round(time.Minute)
	h, m := int(d.Hours()), int(d.Minutes())%60
	switch {
	case h >= 48:
		return fmt.Sprintf("%d days", (h+12)/24)
	case h > 0:
		return fmt.Sprintf("%d h %d min", h, m)
	case m > 0:
		return fmt.Sprintf("%d min", m)
	}
	return "a minute"
}

func (doc *Document) rounds(c *Contrast) string {
	unit := "round"
	if doc.Run.Imported {
		unit = "trial"
	}
	return count(c.Rounds, unit)
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return grouped(int64(n)) + " " + what
}

// called tells the levels of an arm apart where the run has several.
func (doc *Document) called(arm string, threads int) string {
	if len(doc.levels()) < 2 {
		return arm
	}
	return fmt.Sprintf("%s at %s", arm, count(threads, "thread"))
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
			return []string{fmt.Sprintf("Sealed until round %d. %d of %d rounds done, %d of %d trials. Looking early would bias the result.",
				doc.Run.RoundsPlanned, doc.Run.RoundsComplete, doc.Run.RoundsPlanned, doc.Run.TrialsDone, doc.Run.TrialsPlanned)}
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
			lines = append(lines, fmt.Sprintf("%s jumps between two levels: about %s %s for %.0f %% of the seconds and about %s for %.0f %%. Its mean describes neither.",
				doc.called(a.Name, a.Threads), rounded(a.States[0].Level), Unit, 100*float64(a.States[0].Share), rounded(a.States[1].Level), 100*float64(a.States[1].Share)))
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "Nothing to compare: the run has one arm.")
	}
	return lines
}

func (doc *Document) scope() string {
	if doc.Run.Imported {
		return "Scope: the imported files alone. Machine, server settings and the order of the trials are not known."
	}
	var threads []string
	for _, n := range doc.levels() {
		threads = append(threads, strconv.Itoa(n))
	}
	where := "one machine"
	if cpu := doc.setting("host.cpu.model"); cpu != "" {
		where += " (" + cpu
		if n := doc.setting("host.cpu.count"); n != "" {
			where += ", " + n + " CPUs"
		}
		where += ")"
	}
	return fmt.Sprintf("Scope: %s, %s, %s threads, %s.", where, doc.Run.Workload, strings.Join(threads, " and "), count(doc.Run.RoundsComplete, "complete round"))
}

func (doc *Document) setting(key string) string {
	for _, s := range doc.Environment {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
