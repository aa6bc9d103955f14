package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
)

// CombinedSchema names the document of the runs of one experiment taken together.
const CombinedSchema = "tare.combined/v1"

// Combined is the runs of one experiment taken together; docs/combined.schema.json is its contract.
type Combined struct {
	Schema        string `json:"schema"`
	Version       int    `json:"version"`
	Tare          string `json:"tare"`
	Experiment    string `json:"experiment"`
	MarginPercent Number `json:"margin_percent"`
	// Unit is what the intervals are over: "machines", or "runs" of one machine.
	Unit     string            `json:"unit"`
	Machines []CombinedMachine `json:"machines"`
	Effects  []CombinedEffect  `json:"effects"`
	// Warnings are the sentences of WarningReasons.
	Warnings       []string         `json:"warnings"`
	WarningReasons []compare.Reason `json:"warning_reasons"`

	language *language.Language // of the sentences; nil for English
	source   *Combined          // of a translation: the document itself
}

// CombinedMachine is a machine with its runs.
type CombinedMachine struct {
	Machine string        `json:"machine"`
	CPU     string        `json:"cpu"`
	Runs    []CombinedRun `json:"runs"`
}

// CombinedRun is a run of a machine.
type CombinedRun struct {
	RunRef
	Started *time.Time `json:"started"` // null where the record does not say
}

// CombinedEffect is a change from the baseline over several runs.
type CombinedEffect struct {
	// Measure is "throughput", "p95" or "p99". A change of throughput is negative when slower, one of a
	// percentile positive.
	Measure        string     `json:"measure"`
	Arm            string     `json:"arm"`
	Baseline       string     `json:"baseline"`
	Threads        int        `json:"threads"`
	ChangePercent  Number     `json:"change_percent"`
	Interval       *[2]Number `json:"interval"`
	Interval90     *[2]Number `json:"interval90"`
	IntervalKind   string     `json:"interval_kind"`
	Joint                     // of Interval
	Units          int        `json:"units"`
	RoundSD        Number     `json:"sd_rounds_percent"`
	RunSD          Number     `json:"sd_runs_percent"`
	MachineSD      Number     `json:"sd_machines_percent"`
	Verdict        string     `json:"verdict"`
	PastMargin     string     `json:"past_margin"`
	Runs           []OneRun   `json:"runs"`
	Reason         string     `json:"reason"`
	Sentence       string     `json:"sentence"`
	SpreadSentence string     `json:"spread_sentence"`

	Reasons []compare.Reason `json:"reasons"`
}

// OneRun is the same change in one run, with the interval of its report.
type OneRun struct {
	Machine       string     `json:"machine"`
	Run           string     `json:"run"`
	Rounds        int        `json:"rounds"`
	ChangePercent Number     `json:"change_percent"`
	Interval      *[2]Number `json:"interval"`
}

// BuildCombined makes the document; tare is the version of the program.
func BuildCombined(c *compare.Combined, tare string) *Combined {
	doc := &Combined{
		Schema: CombinedSchema, Version: Version, Tare: tare, Experiment: text(c.Experiment), MarginPercent: Number(language.Round(100*c.Margin, 9)),
		Unit: "runs", Machines: []CombinedMachine{}, Effects: []CombinedEffect{}, WarningReasons: reasonsOf(c.Warnings),
	}
	if c.OverMachines {
		doc.Unit = "machines"
	}
	for _, m := range c.Machines {
		doc.Machines = append(doc.Machines, combinedMachine(m))
	}
	for _, e := range slices.Concat(c.Throughput, c.Latency) {
		doc.Effects = append(doc.Effects, combinedEffect(e))
	}
	doc.writeSentences()
	return doc
}

func combinedMachine(m compare.Machine) CombinedMachine {
	out := CombinedMachine{Machine: text(m.Name), CPU: text(m.CPU()), Runs: []CombinedRun{}}
	for _, r := range m.Runs {
		run := CombinedRun{RunRef: runRef(r)}
		if began := compare.Began(r); !began.IsZero() {
			run.Started = &began
		}
		out.Runs = append(out.Runs, run)
	}
	return out
}

func combinedEffect(e compare.CombinedEffect) CombinedEffect {
	out := CombinedEffect{
		Measure: "throughput", Arm: text(e.Arm), Baseline: text(e.Baseline), Threads: e.Threads, ChangePercent: Number(e.Effect),
		Interval: intervalOf(e.Interval95), Interval90: intervalOf(e.Interval90), IntervalKind: e.Kind, Joint: joint(compare.FamilyThroughput, e.Family),
		Units: e.Units, RoundSD: Number(e.RoundSD), RunSD: Number(e.RunSD), MachineSD: Number(e.MachineSD),
		Verdict: string(e.Verdict), PastMargin: e.PastMargin, Runs: []OneRun{}, Reasons: reasonsOf(e.Reasons),
	}
	if e.Percentile != "" {
		out.Measure, out.Joint = "p"+e.Percentile, joint(compare.FamilyLatency, e.Family)
	}
	for _, r := range e.Runs {
		out.Runs = append(out.Runs, OneRun{text(r.Machine), text(filepath.Base(r.Run.Dir)), r.Rounds, Number(r.Effect), intervalOf(r.In95)})
	}
	return out
}

// In is the document with its sentences in another language, as Document.In.
func (c *Combined) In(tag string) (*Combined, error) {
	l, err := language.Of(tag)
	if err != nil {
		return nil, err
	}
	return c.InLanguage(l), nil
}

// InLanguage is In with a language that is known.
func (c *Combined) InLanguage(l *language.Language) *Combined {
	out := *c.Original()
	out.language, out.source = l, c.Original()
	out.Effects = slices.Clone(out.Effects)
	out.writeSentences()
	return &out
}

// Original is the document itself, which is English.
func (c *Combined) Original() *Combined {
	if c.source != nil {
		return c.source
	}
	return c
}

// Translated says whether In has put the document into a language.
func (c *Combined) Translated() bool { return c.language != nil }

// Language is that of the view that is being written.
func (c *Combined) Language() *language.Language {
	if c.language == nil {
		return language.English()
	}
	return c.language
}

// Say is a text in the language of the view.
func (c *Combined) Say(key string, slots ...string) string { return c.Language().Say(key, slots...) }

func (c *Combined) writeSentences() {
	l := c.Language()
	for i := range c.Effects {
		e := &c.Effects[i]
		e.Reason = l.Reasons(e.Reasons)
		e.Sentence = c.sentence(e)
		e.SpreadSentence = c.spread(e)
	}
	c.Warnings = l.Sentences(c.WarningReasons)
}

// Title says what was taken together.
func (c *Combined) Title() string {
	l, runs := c.Language(), 0
	for _, m := range c.Machines {
		runs += len(m.Runs)
	}
	return c.Say("combined.title", "experiment", c.Experiment, "runs", l.Count(runs, "run"), "machines", l.Count(len(c.Machines), "machine"))
}

// Called is the arm, with its level where there are several, or its percentile.
func (c *Combined) Called(e *CombinedEffect) string {
	l, name := c.Language(), e.Arm
	if slices.ContainsFunc(c.Effects, func(o CombinedEffect) bool { return o.Threads != e.Threads }) {
		name = c.Say("arm.at", "arm", e.Arm, "threads", l.Count(e.Threads, "thread"))
	}
	if e.Measure == "throughput" {
		return name
	}
	return c.Say("combined.percentile", "p", e.Measure, "arm", name)
}

// sentence takes its verb from the verdict.
func (c *Combined) sentence(e *CombinedEffect) string {
	l := c.Language()
	unit := map[string]string{"machines": "machine", "runs": "run"}[c.Unit]
	slots := []string{"arm", c.Called(e), "base", e.Baseline, "margin", Trimmed(c.MarginPercent), "units", l.Count(e.Units, unit), "reason", e.Reason}
	if e.Interval == nil {
		return c.Say("combined.none", slots...)
	}
	cost := e.cost()
	n := cost.Digits()
	mid, lo, hi := cost.Mid, cost.Lo, cost.Hi
	key := "combined.inconclusive"
	switch e.Verdict {
	case "equivalent":
		key = "combined.equivalent"
	case "costs", "gains", "within-margin":
		key = e.direction()
		if mid < 0 {
			mid, lo, hi = -mid, -hi, -lo
		}
	case "inconclusive":
		if e.early() {
			key = "combined.early"
		}
	}
	return c.Say(key, append(slots, "size", language.Decimal(mid, n), "lo", language.Decimal(lo, n), "hi", language.Decimal(hi, n),
		"lo90", language.Decimal(cost.Lo90, n), "hi90", language.Decimal(cost.Hi90, n), "n", l.Count(compare.Least(e.IntervalKind), unit))...) + c.unsettled(e) + c.caveats(e)
}

// unsettled is what a cost or a gain has to say whose smallest plausible size is within the margin.
func (c *Combined) unsettled(e *CombinedEffect) string {
	if e.PastMargin != "unsettled" {
		return ""
	}
	return c.Say("combined.unsettled", "margin", Trimmed(c.MarginPercent))
}

// direction is the sentence of an effect that excludes zero.
func (e *CombinedEffect) direction() string {
	switch slower := e.cost().Mid > 0; {
	case e.Measure == "throughput" && slower:
		return "combined.slower"
	case e.Measure == "throughput":
		return "combined.faster"
	case slower:
		return "combined.longer"
	}
	return "combined.shorter"
}

// cost is the effect with its intervals, positive when slower.
func (e *CombinedEffect) cost() Cost {
	c := Cost{Mid: float64(e.ChangePercent), Lo: float64(e.Interval[0]), Hi: float64(e.Interval[1]), Lo90: float64(e.Interval90[0]), Hi90: float64(e.Interval90[1])}
	if e.Measure == "throughput" {
		c = Cost{-c.Mid, -c.Hi, -c.Lo, -c.Hi90, -c.Lo90}
	}
	return c
}

// early says that there are fewer units than a verdict needs.
func (e *CombinedEffect) early() bool { return e.Units < compare.Least(e.IntervalKind) }

// caveats are where the runs are not what the interval assumes.
func (c *Combined) caveats(e *CombinedEffect) (said string) {
	for _, sentence := range c.Language().Sentences(slices.DeleteFunc(slices.Clone(e.Reasons), func(r compare.Reason) bool { return !compare.Caveat(r) })) {
		said += c.Say("join.sentences") + sentence
	}
	return said
}

// spread is how much the change varies between rounds, runs and machines.
func (c *Combined) spread(e *CombinedEffect) string {
	known := func(n Number) string {
		if !n.Known() {
			return c.Say("combined.unknown")
		}
		return c.Say("combined.percent", "n", language.Decimal(float64(n), 1))
	}
	return c.Say("combined.spread", "rounds", known(e.RoundSD), "runs", known(e.RunSD), "machines", known(e.MachineSD))
}

// InRun is the change of one run with its interval in words; positive is slower.
func (c *Combined) InRun(e *CombinedEffect, r OneRun) string {
	l := c.Language()
	if !r.ChangePercent.Known() {
		return c.Say("combined.run.none", "run", r.Run, "machine", r.Machine)
	}
	change := *e
	change.ChangePercent, change.Interval, change.Interval90 = r.ChangePercent, &[2]Number{Number(math.NaN()), Number(math.NaN())}, &[2]Number{}
	if r.Interval == nil {
		return c.Say("combined.run.mean", "run", r.Run, "machine", r.Machine, "cost", language.Decimal(change.cost().Mid, 1), "rounds", l.Count(r.Rounds, "round"))
	}
	change.Interval = r.Interval
	cost := change.cost()
	n := cost.Digits()
	return c.Say("combined.run", "run", r.Run, "machine", r.Machine, "cost", language.Decimal(cost.Mid, n), "interval", l.Interval(cost.Lo, cost.Hi, n), "rounds", l.Count(r.Rounds, "round"))
}

// Confidence says which intervals hold together.
func (c *Combined) Confidence() string {
	counts := map[string]int{}
	for i := range c.Effects {
		if e := &c.Effects[i]; e.Interval != nil {
			counts[e.Family] = e.FamilySize
		}
	}
	said := ""
	for _, of := range []struct{ family, key string }{
		{compare.FamilyThroughput, "combined.confidence.throughput"}, {compare.FamilyLatency, "combined.confidence.latency"},
	} {
		if n := counts[of.family]; n > 0 {
			said += c.Say(of.key, "n", fmt.Sprint(n))
		}
	}
	return said
}

// Machine is a machine with its runs in words.
func (c *Combined) Machine(m CombinedMachine) string {
	l := c.Language()
	var runs []string
	for _, r := range m.Runs {
		runs = append(runs, r.Run)
	}
	return c.Say("combined.machine", "machine", m.Machine, "cpu", cmp.Or(m.CPU, c.Say("combined.unknown")), "runs", l.Enumerate(runs))
}

// CombinedJSON writes the document, which is English.
func CombinedJSON(w io.Writer, c *Combined) error { return indented(w, "combined runs", c.Original()) }
