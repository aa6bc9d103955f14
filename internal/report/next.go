package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// Step is one thing to do about a result, the most useful first.
type Step struct {
	Do string `json:"do"` // an imperative
	// Why holds the figures behind it, with their intervals.
	Why string `json:"why"`
	// Command is what to type, or the lines to write; "" where words say it all.
	Command string `json:"command"`
	// Alternatives are what else would do, each with what it takes; left out where
	// there are none.
	Alternatives []string `json:"alternatives,omitempty"`
	// Section is where the evidence stands: an ID of Sections.
	Section string `json:"section"`
}

// mostSteps is what a reader will do; the rest stands in the sections.
const mostSteps = 3

// next says what to do: first what keeps the result from standing at all, then
// what takes cost off, then what would make it surer.
func (doc *Document) next() []Step {
	all := []Step{}
	for _, rule := range []func() []Step{doc.finish, doc.lostServer, doc.makeEqual, doc.useAnswers, doc.takeOff, doc.measureRemedy, doc.findLayer, doc.measureMore, doc.measureSelf, doc.keep} {
		all = append(all, rule()...)
	}
	return all[:min(len(all), mostSteps)]
}

func (doc *Document) finish() []Step {
	if !doc.Sealed() {
		return nil
	}
	slots := []string{"n", fmt.Sprint(doc.Run.TrialsDone), "of", fmt.Sprint(doc.Run.TrialsPlanned)}
	do, why := doc.Say("next.finish"), doc.Say("next.finish.why", slots...)
	if doc.Run.Stopped != "" {
		do, why = doc.Say("next.correct"), doc.Say("next.correct.why", slots...)
	}
	return []Step{{
		Do: do, Why: why,
		Command: "tare run --resume DIR", Section: "series",
	}}
}

// lostServer is for the first arm that lost its server, which its events did not do: the verdict waits for why.
func (doc *Document) lostServer() []Step {
	if doc.Sealed() {
		return nil
	}
	for i := range doc.Trials {
		t := &doc.Trials[i]
		if t.Outcome != string(record.ServerLost) {
			continue
		}
		why := "next.lost.why"
		if doc.onlyRuns(t.Arm) {
			why = "next.lost.why.running"
		}
		return []Step{{
			Do:      doc.Say("next.lost", "arm", safe.Name(doc.Called(t.Arm, t.Threads)), "n", fmt.Sprint(t.Trial)),
			Why:     doc.Say(why, "log", fmt.Sprintf("%s/%03d-%s/log.txt", record.TrialsDir, t.Trial, safe.Name(t.Arm))),
			Section: "series",
		}}
	}
	return nil
}

func (doc *Document) makeEqual() []Step {
	var keys []string
	for _, d := range doc.Differences {
		if !d.Declared {
			keys = append(keys, safe.Name(d.Key))
		}
	}
	if len(keys) == 0 {
		return nil
	}
	named := doc.Language().List("list", keys[:min(len(keys), 3)])
	if len(keys) > 3 {
		named += doc.Say("and-more", "n", fmt.Sprint(len(keys)-3))
	}
	return []Step{{
		Do: doc.Say("next.equal"), Why: doc.Say("next.equal.why", "keys", named), Section: "differences",
	}}
}

// takeOff names the layer whose removal alone returns most, for every level of
// the load: the whole of a layer's share is not what taking it off gives back.
func (doc *Document) takeOff() []Step {
	var all []Step
	for _, a := range doc.Divided() {
		l := a.mostReturned()
		if l == nil || a.Rounds < compare.EnoughRounds(1) {
			continue // an exploratory figure is no reason to change a cluster
		}
		why := "next.off.why"
		if a.Stack != a.To {
			why = "next.off.why.of"
		}
		all = append(all, Step{
			Do: doc.Say("next.off", "layer", safe.Name(l.Layer), "arm", safe.Name(doc.Called(a.To, a.Threads))),
			Why: doc.Say(why, "points", l.GivesBack.Returned(a.Digits()), "total", a.Total.words(a.Digits()),
				"arm", safe.Name(doc.Called(a.Stack, a.Threads)), "rounds", doc.Count(a.Rounds, "round")),
			Section: "attribution",
		})
	}
	return all
}

// measureRemedy is for the first cause that the counters of a slower arm show, that nothing has
// proved and that an arm can take off. Counters show that it is there; what it costs, only that run.
func (doc *Document) measureRemedy() []Step {
	if len(doc.Remedies) > 0 {
		return nil // that is what this run is
	}
	for e, f := range doc.Found(diagnose.Confirmed) {
		if f.Change == "" || f.State == string(diagnose.Proved) || doc.measuredRemedy(e, f) || !doc.costly(e) {
			continue
		}
		return []Step{{
			Do:      doc.Say("next.remedy", "arm", safe.Name(doc.Called(e.Arm, e.Threads))),
			Why:     doc.Say("next.remedy.why", "cause", doc.RuleName(f), "rule", f.Rule, "counters", safe.Sentence(doc.Says(f))),
			Command: "tare remedy DIR --arm " + safe.Name(e.Arm) + " > remedy.yaml\ntare run remedy.yaml", Section: "explained",
		}}
	}
	return nil
}

// costly says whether the arm is slower than the baseline for certain, in throughput or in p95 or p99.
func (doc *Document) costly(e *Explained) bool {
	return slices.ContainsFunc(doc.Contrasts, func(c Contrast) bool {
		return c.Arm == e.Arm && c.Threads == e.Threads && (c.Verdict == "costs" || doc.slowerTail(&c))
	})
}

// findLayer is for a cost that nothing divides.
func (doc *Document) findLayer() []Step {
	if len(doc.Attributions) > 0 {
		return nil
	}
	for _, c := range doc.Contrasts {
		if c.Verdict != "costs" || doc.neighbourAlone(c.Arm, c.Threads) || doc.onlyRuns(c.Arm) {
			continue
		}
		if layers := doc.layersOf(c.Baseline, c.Arm); layers != "" {
			return []Step{{
				Do:      doc.Say("next.layer", "arm", safe.Name(c.Arm)),
				Why:     doc.Say("next.layer.why"),
				Command: "attribute:\n  from: " + safe.Name(c.Baseline) + "\n  to: " + safe.Name(c.Arm) + "\n  " + layers, Section: "cost",
			}}
		}
	}
	return nil
}

// layersOf are the layers to write for an arm: the settings in which it differs from the baseline on the same target, where
// one alone is the answer already, and "" is returned. Between targets, this machine's layers have names, and those of a
// cluster are settings of the arm.
func (doc *Document) layersOf(baseline, arm string) string {
	e, err := experiment.Parse("experiment.yaml", []byte(doc.ExperimentYAML))
	if err != nil {
		return "layers: {...}   # tare list layers"
	}
	from, _ := e.Arm(baseline)
	to, _ := e.Arm(arm)
	switch {
	case from.Target == to.Target:
		if layers := from.LayersTo(to); len(layers) > 1 {
			return "layers:\n    " + strings.Join(layers, "\n    ")
		}
		return ""
	case to.Target == "kubernetes":
		return "# " + doc.Say("next.layer.own", "arm", safe.Name(arm)) + "\n  " + experiment.OwnLayers(experiment.Arm{Target: to.Target})
	}
	return "layers: {...}   # tare list layers"
}

// onlyRuns says that someone else runs the server of an arm: tare cannot switch layers of it.
func (doc *Document) onlyRuns(arm string) bool {
	return slices.ContainsFunc(doc.Arms, func(a Arm) bool { return a.Name == arm && a.Target == "external" })
}

// neighbourAlone is whether an arm differs from the baseline in its neighbour alone, which is no layer.
func (doc *Document) neighbourAlone(arm string, threads int) bool {
	return slices.ContainsFunc(doc.Neighbours, func(n Neighbour) bool { return n.Arm == arm && n.Threads == threads && n.Alone == doc.Baseline() })
}

// measureMore is for the first arm without a verdict that more rounds would settle, with
// what else would: few have the time for a thousand rounds.
func (doc *Document) measureMore() []Step {
	if doc.withItself() {
		return []Step{{Do: doc.Say("next.change"), Why: doc.Say("next.change.why"), Command: "tare compare DIR LATER", Section: "rounds"}}
	}
	for i := range doc.Contrasts {
		c := &doc.Contrasts[i]
		n := c.NewRun
		if c.Verdict != "inconclusive" || n == nil {
			continue
		}
		arm := safe.Name(doc.Called(c.Arm, c.Threads))
		step := Step{Do: doc.Say("next.precise", "arm", arm), Alternatives: doc.alternatives(c), Section: "rounds"}
		if n.Rounds > 0 && n.Rounds <= compare.MostRounds {
			step.Do = doc.Say("next.more", "rounds", doc.Count(n.Rounds, "round"), "arm", arm, "takes", doc.takes(n.Rounds), "p", whole(n.Probability))
			step.Why = doc.Say("next.more.why", "rounds", doc.Count(c.Rounds, "round"), "p", whole(n.ProbabilitySame), "range", doc.newRunRange(n))
			step.Command = fmt.Sprintf("protocol: {rounds: %d}", n.Rounds)
			if doc.Running() {
				step.Command = fmt.Sprintf("--rounds %d   # of tare versus and tare run", n.Rounds)
			}
		}
		return []Step{step}
	}
	return nil
}

// widestMargin is in %: a difference that is larger is a result, and no reader calls two such
// servers equal.
const widestMargin = 20

// alternatives to more rounds, with what each takes: the margin for which these rounds are
// enough, slices, and rounds that vary less. The width of an interval falls with the root
// of the rounds, and in proportion to the spread.
func (doc *Document) alternatives(c *Contrast) []string {
	if c.Interval == nil || c.Interval90 == nil {
		return nil
	}
	var all []string
	cost := CostOf(c)
	if wide := math.Ceil(10*math.Max(math.Abs(cost.Lo90), math.Abs(cost.Hi90))) / 10; wide <= widestMargin {
		all = append(all, doc.Say(doc.OfVersus("next.margin", "next.margin.versus"), "margin", language.Decimal(wide, 1)))
	}
	again := ""
	if doc.round > 0 {
		again = doc.Say("next.again", "time", doc.Language().Span(time.Duration(doc.Run.RoundsPlanned)*doc.round))
	}
	if doc.canSlice() {
		all = append(all, doc.Say("next.slices", "setting", "protocol: {kind: slices}", "again", again))
	}
	if c.NewRun.Rounds <= c.Rounds {
		return all
	}
	factor := math.Sqrt(float64(c.NewRun.Rounds) / float64(max(1, c.Rounds)))
	return append(all, doc.Say("next.steadier", "factor", language.Decimal(factor, 1), "again", again))
}

// Running says that all arms are servers that ran already, as those of `tare versus`.
func (doc *Document) Running() bool {
	return len(doc.Arms) > 0 && !slices.ContainsFunc(doc.Arms, func(a Arm) bool { return a.Target != "external" })
}

// withItself says that both arms are one running server, whose two results differ by noise.
func (doc *Document) withItself() bool {
	why := doc.Protocol.WhyReason
	return len(doc.Arms) == 2 && doc.Running() && why != nil && why.Code == "same-server"
}

// ofOne is the name of a sentence about servers that ran already, or of that about the only one.
func (doc *Document) ofOne(sentence, ofOne string) string {
	if doc.withItself() || len(doc.Arms) == 1 && doc.Running() {
		return ofOne
	}
	return sentence
}

// ofVersus says that `tare versus` wrote the experiment file, so that its user has none to write fields into.
func (doc *Document) ofVersus() bool { return strings.HasPrefix(doc.ExperimentYAML, VersusMark) }

// VersusMark is how the experiment file of `tare versus` begins.
const VersusMark = "# Written by `tare versus`"

// OfVersus is the name of a sentence, or of the one in its place where `tare versus` wrote the experiment.
func (doc *Document) OfVersus(sentence, ofVersus string) string {
	if doc.ofVersus() {
		return ofVersus
	}
	return sentence
}

// roomFor are the reasons for windows that more memory, disk or room for asynchronous I/O removes, and the wish of the
// experiment. Any other holds for the next run, too: slices do not measure such arms.
func roomFor() []string { return []string{"asked", "memory", "disk", "copies", "volumes", "aio"} }

// canSlice says whether another run of the experiment may have slices: their servers are
// this host's, the load is tare's own, and nothing is known for which slices do not hold.
func (doc *Document) canSlice() bool {
	if why := doc.Protocol.WhyReason; why != nil && !slices.Contains(roomFor(), why.Code) {
		return false
	}
	return doc.Protocol.Kind == windows && doc.Run.Engine == "tare" && !slices.ContainsFunc(doc.Arms, func(a Arm) bool {
		return a.Target != "process" && a.Target != "container"
	})
}

func (doc *Document) measureSelf() []Step {
	if !doc.Run.Imported {
		return nil
	}
	return []Step{{
		Do: doc.Say("next.self"), Why: doc.Say("next.self.why"), Command: "tare init && tare run experiment.yaml", Section: "made",
	}}
}

// keep is for a result that asks for nothing.
func (doc *Document) keep() []Step {
	if len(doc.Contrasts) == 0 {
		return nil
	}
	for _, c := range doc.Contrasts {
		if c.Verdict != "equivalent" && c.Verdict != "within-margin" && c.Verdict != "gains" || doc.slowerTail(&c) {
			return nil
		}
	}
	return []Step{{
		Do: doc.Say("next.keep"), Why: doc.Say("next.keep.why", "margin", Trimmed(doc.Run.MarginPercent)), Section: "cost",
	}}
}
