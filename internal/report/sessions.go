package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// SessionsSchema names the document of two runs compared.
const SessionsSchema = "tare.sessions/v1"

// Sessions is two runs compared; docs/sessions.schema.json is its contract.
type Sessions struct {
	Schema  string `json:"schema"`
	Version int    `json:"version"`
	Tare    string `json:"tare"`
	// Before and After are the runs' directories and plans.
	Before        RunRef     `json:"before"`
	After         RunRef     `json:"after"`
	MarginPercent Number     `json:"margin_percent"`
	Contrasts     []Contrast `json:"contrasts"`
	// Throughputs are the means of both runs, in the order of the contrasts.
	Throughputs []Throughput `json:"throughputs"`
	// Latencies are p95 and p99 of the arms in both runs.
	Latencies []SessionLatency `json:"latencies"`
	// Unit of the throughputs, where it is not transactions per second.
	Unit string `json:"unit,omitempty"`
	// Changed are facts that differ between the runs.
	Changed []Change `json:"changed"`
	Gates   []Gate   `json:"gates"`
	// Others are the sentences of OthersReasons: what others used of the machines of both runs, where it limits the conclusions.
	Others        []string         `json:"others"`
	OthersReasons []compare.Reason `json:"others_reasons"`
	// Warnings are the sentences of WarningReasons.
	Warnings       []string         `json:"warnings"`
	WarningReasons []compare.Reason `json:"warning_reasons"`

	language *language.Language // of the sentences; nil for English
	source   *Sessions          // of a translation: the comparison itself
}

// RunRef names a run.
type RunRef struct {
	Run      string `json:"run"`
	PlanHash string `json:"plan_hash"`
	// LatencyRate is the fixed rate in transactions per second that p95 and p99 were measured at; left out without one.
	LatencyRate float64 `json:"latency_rate,omitempty"`
}

// Throughput is the mean of an arm's trials in both runs, null where there is none.
type Throughput struct {
	Arm     string `json:"arm"`
	Threads int    `json:"threads"`
	Before  Number `json:"before"`
	After   Number `json:"after"`
}

// Change is a fact of both runs.
type Change struct {
	Key    string `json:"key"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Gate is a condition with what became of it in one arm.
type Gate struct {
	Condition string `json:"condition"`
	Arm       string `json:"arm"`
	Failed    bool   `json:"failed"`
	// Reason is the sentence of Reasons.
	Reason  string           `json:"reason"`
	Reasons []compare.Reason `json:"reasons"`
	threads int
}

// Threads is the level of the load that was compared.
func (g *Gate) Threads() int { return g.threads }

// SessionsAsked is what is asked of two runs.
type SessionsAsked struct {
	Gates []compare.Gate
	// Strict gates fail also where the interval does not rule their condition out.
	Strict bool
	// MostOthers is the share of a machine that others may use; 0 is the usual limit.
	MostOthers float64
}

// BuildSessions compares two runs; tare is the version of the program.
func BuildSessions(before, after *record.Run, asked SessionsAsked, tare string) (*Sessions, error) {
	res, err := compare.Between(before, after, asked.MostOthers)
	if err != nil {
		return nil, err
	}
	s := &Sessions{
		Schema: SessionsSchema, Version: Version, Tare: tare, Before: runRef(before), After: runRef(after),
		MarginPercent: Number(language.Round(100*res.Margin, 9)),
		Contrasts:     []Contrast{}, Throughputs: []Throughput{}, Latencies: []SessionLatency{}, Changed: []Change{}, Gates: []Gate{}, OthersReasons: reasonsOf(res.Others), WarningReasons: reasonsOf(res.Warnings),
	}
	if after.Imported != nil {
		s.Unit = text(after.Imported.Unit)
	}
	for i, c := range res.Contrasts {
		s.Contrasts = append(s.Contrasts, contrast(c, 0))
		level := res.Throughputs[i]
		s.Throughputs = append(s.Throughputs, Throughput{text(c.Arm), c.Threads, Number(level.Before), Number(level.After)})
		s.Latencies = append(s.Latencies, sessionLatencies(&c, res.Tails[i])...)
		for _, g := range asked.Gates {
			o := g.Of(c, res.Tails[i], res.Margin, asked.Strict)
			s.Gates = append(s.Gates, Gate{text(o.Gate), text(o.Arm), o.Failed, "", reasonsOf(o.Reasons), c.Threads})
		}
	}
	for _, c := range res.Changed {
		s.Changed = append(s.Changed, Change{text(c.Key), text(c.Before), text(c.After)})
	}
	s.writeSentences()
	return s, nil
}

func runRef(r *record.Run) RunRef {
	ref := RunRef{Run: text(filepath.Base(r.Dir)), PlanHash: text(r.Plan.Hash)}
	if r.Imported == nil {
		ref.LatencyRate = r.Plan.LatencyRate
	}
	return ref
}

// GatesOf judges each comparison of a run by conditions. The sentences are English, for exports; of several levels of the
// load they are named with the arm.
func GatesOf(run *record.Run, gates []compare.Gate, strict bool) []Gate {
	if len(gates) == 0 { // the run need not be compared once more
		return nil
	}
	var all []Gate
	res, l := compare.Run(run), language.English()
	for _, c := range res.Contrasts {
		for _, g := range gates {
			o := g.OfRun(res, c, strict)
			all = append(all, Gate{text(o.Gate), text(c.Arm), o.Failed, l.Reason(o.Reasons[0]), reasonsOf(o.Reasons), c.Threads})
		}
	}
	return all
}

// Failed are the gates that did not hold.
func (s *Sessions) Failed() []Gate {
	var all []Gate
	for _, g := range s.Gates {
		if g.Failed {
			all = append(all, g)
		}
	}
	return all
}

// Compared says whether any arm of one run was compared with the same of the other. If not, Reason is
// why the first was not.
func (s *Sessions) Compared() (compared bool, reason string) {
	for i := range s.Contrasts {
		switch s.Contrasts[i].Verdict {
		case string(compare.Invalid), string(compare.NotMeasured), string(compare.Sealed), string(compare.Failed):
		default:
			return true, ""
		}
	}
	return false, s.Contrasts[0].Reason
}

// In is the comparison with its sentences in another language, as Document.In.
func (s *Sessions) In(tag string) (*Sessions, error) {
	l, err := language.Of(tag)
	if err != nil {
		return nil, err
	}
	return s.InLanguage(l), nil
}

// InLanguage is In with a language that is known.
func (s *Sessions) InLanguage(l *language.Language) *Sessions {
	out := *s.Original()
	out.language, out.source = l, s.Original()
	out.Contrasts, out.Gates = slices.Clone(out.Contrasts), slices.Clone(out.Gates)
	out.writeSentences()
	return &out
}

// writeSentences makes the sentences; what was written by hand has no reasons and stays.
func (s *Sessions) writeSentences() {
	l := s.Language()
	for i := range s.Contrasts {
		c := &s.Contrasts[i]
		if len(c.Reasons) > 0 {
			c.Reason = l.Reasons(c.Reasons)
		}
		c.Sentence = s.sentence(c)
	}
	for i := range s.Gates {
		if g := &s.Gates[i]; len(g.Reasons) > 0 {
			g.Reason = l.Reasons(g.Reasons)
		}
	}
	s.Others = l.Sentences(s.OthersReasons)
	if len(s.WarningReasons) > 0 || s.Warnings == nil {
		s.Warnings = l.Sentences(s.WarningReasons)
	}
}

// Translated says whether In has put the comparison into a language.
func (s *Sessions) Translated() bool { return s.language != nil }

// Original is the comparison itself, which is English.
func (s *Sessions) Original() *Sessions {
	if s.source != nil {
		return s.source
	}
	return s
}

// Language is that of the view that is being written.
func (s *Sessions) Language() *language.Language {
	if s.language == nil {
		return language.English()
	}
	return s.language
}

// Say is a text in the language of the view.
func (s *Sessions) Say(key string, slots ...string) string { return s.Language().Say(key, slots...) }

// BesideOthers is what others used of the machines of both runs, where it limits the conclusions; "" else.
func (s *Sessions) BesideOthers() string {
	if len(s.Others) == 0 {
		return ""
	}
	return s.Language().List("sentences", s.Others)
}

// Title names the two runs.
func (s *Sessions) Title() string {
	return s.Say("arm.against", "arm", s.After.Run, "base", s.Before.Run)
}

func (s *Sessions) sentence(c *Contrast) string {
	l := s.Language()
	slots := []string{
		"arm", l.Say("arm.at", "arm", c.Arm, "threads", l.Count(c.Threads, "thread")), "reason", c.Reason,
		"margin", Trimmed(s.MarginPercent), "trials", l.Count(c.Rounds, "trial"),
	}
	if c.Interval == nil {
		return s.Say("sessions.none", slots...)
	}
	cost := CostOf(c)
	n := cost.Digits()
	mid, lo, hi := sessionsCost(c)
	if c.NoVerdict == NoVerdictBusy {
		slots = append(slots, "why", s.Language().Reason(c.Reasons[0]), "span", span(s.Language(), cost))
	}
	return s.Say(sessionsKey(c), append(slots, "least", language.Decimal(-cost.Hi, n), "size", language.Decimal(mid, n), "lo", language.Decimal(lo, n), "hi", language.Decimal(hi, n),
		"lo90", language.Decimal(cost.Lo90, n), "hi90", language.Decimal(cost.Hi90, n), "n", fmt.Sprint(compare.Least(c.IntervalKind)))...) + s.caveats(c)
}

// caveats are where the rounds of a run are not what the interval assumes.
func (s *Sessions) caveats(c *Contrast) (said string) {
	for _, sentence := range s.Language().Sentences(c.caveats()) {
		said += s.Say("join.sentences") + sentence
	}
	return said
}

// sessionsKey is the pattern of the sentence of a contrast that has an interval.
func sessionsKey(c *Contrast) string {
	cost := CostOf(c)
	switch {
	case c.NoVerdict == NoVerdictBusy:
		return "sessions.busy"
	case c.Verdict == "inconclusive" && cost.Lo < -language.Farthest && cost.Hi < 0:
		return "sessions.inconclusive.unbounded.faster"
	case c.Verdict == "inconclusive" && cost.Lo < -language.Farthest:
		return "sessions.inconclusive.unbounded"
	case c.Verdict == "inconclusive" && c.early():
		return "sessions.early"
	case c.Verdict == "inconclusive":
		return "sessions.inconclusive"
	case c.Verdict == "equivalent":
		return "sessions.equivalent"
	case cost.Mid < 0:
		return "sessions.faster"
	}
	return "sessions.slower"
}

// sessionsCost is the cost of a contrast, or its gain where the later run is faster.
func sessionsCost(c *Contrast) (mid, lo, hi float64) {
	cost := CostOf(c)
	if sessionsKey(c) == "sessions.faster" {
		return -cost.Mid, -cost.Hi, -cost.Lo
	}
	return cost.Mid, cost.Lo, cost.Hi
}

// Verdicts are the sentences of the comparison in the order of its contrasts; the levels of the
// load that say the same thing of an arm are one.
func (s *Sessions) Verdicts() []VerdictSentence {
	return joinLevels(s.Contrasts, sessionsLevelsKey, s.levelsSentence)
}

func sessionsLevelsKey(c *Contrast) string {
	if c.Interval == nil || len(c.caveats()) > 0 {
		return ""
	}
	return map[string]string{
		"sessions.slower": "sessions.levels.slower", "sessions.faster": "sessions.levels.faster",
		"sessions.equivalent": "sessions.levels.equivalent", "sessions.inconclusive": "sessions.levels.inconclusive", "sessions.early": "sessions.levels.early",
	}[sessionsKey(c)]
}

func (s *Sessions) levelsSentence(levels []*Contrast) string {
	l, first := s.Language(), levels[0]
	var costs []string
	for _, c := range levels {
		mid, lo, hi := sessionsCost(c)
		if sessionsKey(c) == "sessions.equivalent" { // a verdict of the 90 % interval
			lo, hi = CostOf(c).Lo90, CostOf(c).Hi90
		}
		costs = append(costs, l.Level(c.Threads, mid, lo, hi, CostOf(c).Digits()))
	}
	return s.Say(sessionsLevelsKey(first), "arm", first.Arm, "levels", l.EnumerateLevels(costs),
		"margin", Trimmed(s.MarginPercent), "trials", l.Count(first.Rounds, "trial"), "n", fmt.Sprint(compare.Least(first.IntervalKind)))
}

// SessionsJSON writes the document, which is English.
func SessionsJSON(w io.Writer, s *Sessions) error { return indented(w, "comparison", s.Original()) }

// Change is a fact of both runs in words.
func (s *Sessions) Change(c Change) string {
	return s.Say("sessions.change", "key", c.Key, "before", safe.Cut(c.Before, 60), "after", safe.Cut(c.After, 60))
}

// Open says whether the runs neither show the condition nor rule it out.
func (g Gate) Open() bool {
	return compare.GateOutcome{Failed: g.Failed, Reasons: g.Reasons}.Open()
}

// GateWord says whether a condition holds.
func (s *Sessions) GateWord(g Gate) string {
	switch {
	case g.Failed:
		return s.Say("sessions.gate-failed")
	case g.Open():
		return s.Say("sessions.gate-open")
	}
	return s.Say("sessions.gate-passed")
}

// Document has the contrasts of two runs, for what draws those of one.
func (s *Sessions) Document() *Document {
	return &Document{Run: RunInfo{MarginPercent: s.MarginPercent, Unit: s.Unit}, Contrasts: s.Contrasts, Arms: loads(s.Contrasts), language: s.Language()}
}
