package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
)

// Step is one thing to do about a result, the most useful first.
type Step struct {
	Do string `json:"do"` // an imperative
	// Why holds the figures behind it, with their intervals.
	Why string `json:"why"`
	// Command is what to type, or the lines to write; "" where words say it all.
	Command string `json:"command"`
	// Section is where the evidence stands: an ID of Sections.
	Section string `json:"section"`
}

// mostSteps is what a reader will do; the rest stands in the sections.
const mostSteps = 3

// next says what to do: first what keeps the result from standing at all, then
// what takes cost off, then what would make it surer.
func (doc *Document) next() []Step {
	all := []Step{}
	for _, rule := range []func() []Step{doc.finish, doc.makeEqual, doc.takeOff, doc.measureRemedy, doc.findLayer, doc.measureMore, doc.measureSelf, doc.keep} {
		all = append(all, rule()...)
	}
	return all[:min(len(all), mostSteps)]
}

func (doc *Document) finish() []Step {
	if !doc.sealed() {
		return nil
	}
	return []Step{{
		Do: "Let the run end.", Why: fmt.Sprintf("%d of %d trials are done; those stay, the others follow.", doc.Run.TrialsDone, doc.Run.TrialsPlanned),
		Command: "tare run --resume DIR", Section: "series",
	}}
}

func (doc *Document) makeEqual() []Step {
	var keys []string
	for _, d := range doc.Differences {
		if !d.Declared {
			keys = append(keys, inert(d.Key))
		}
	}
	if len(keys) == 0 {
		return nil
	}
	named := strings.Join(keys[:min(len(keys), 3)], ", ")
	if len(keys) > 3 {
		named += fmt.Sprintf(" and %d more", len(keys)-3)
	}
	return []Step{{
		Do:  "Make the servers equal, or declare the difference in the experiment.",
		Why: fmt.Sprintf("They differ in %s, and the experiment does not say so: what was measured may be that.", named), Section: "differences",
	}}
}

// takeOff names the layer whose removal alone returns most, for every level of
// the load: the whole of a layer's share is not what taking it off gives back.
func (doc *Document) takeOff() []Step {
	var all []Step
	for _, a := range doc.divided() {
		l := a.mostReturned()
		if l == nil || a.Rounds < compare.EnoughRounds(1) {
			continue // nobody changes a cluster for an exploratory figure
		}
		all = append(all, Step{
			Do: fmt.Sprintf("Take %s off %s first.", inert(l.Layer), inert(doc.called(a.To, a.Threads))),
			Why: fmt.Sprintf("It alone returns %s of the %s points (95 %% intervals, measured in %s).",
				l.GivesBack.returned(a.digits()), a.Total.words(a.digits()), count(a.Rounds, "round")),
			Section: "attribution",
		})
	}
	return all
}

// measureRemedy is for the first cause that the counters of a slower arm confirm and
// an arm can take off. Counters show that it is there; what it costs, only that run.
func (doc *Document) measureRemedy() []Step {
	if len(doc.Remedies) > 0 {
		return nil // that is what this run is
	}
	for e, f := range doc.found(diagnose.Confirmed) {
		if f.Change == "" || !doc.costly(e) {
			continue
		}
		return []Step{{
			Do:      fmt.Sprintf("Measure %s without its cause.", inert(doc.called(e.Arm, e.Threads))),
			Why:     fmt.Sprintf("%s (%s): %s.", inert(f.Title), f.Rule, inert(f.Says)),
			Command: "tare remedy DIR --of " + inert(e.Arm) + " > remedy.yaml\ntare run remedy.yaml", Section: "explained",
		}}
	}
	return nil
}

// costly says whether the arm is slower than the baseline for certain.
func (doc *Document) costly(e *Explained) bool {
	return slices.ContainsFunc(doc.Contrasts, func(c Contrast) bool {
		return c.Arm == e.Arm && c.Threads == e.Threads && c.Verdict == "costs"
	})
}

// findLayer is for a cost that nothing divides.
func (doc *Document) findLayer() []Step {
	if len(doc.Attributions) > 0 {
		return nil
	}
	for _, c := range doc.Contrasts {
		if c.Verdict == "costs" {
			return []Step{{
				Do:      fmt.Sprintf("Find the layer that makes %s slower.", inert(c.Arm)),
				Why:     "This experiment compares whole arms. With the layers switched on one by one, each gets its share of the cost.",
				Command: "attribute:\n  from: " + inert(c.Baseline) + "\n  to: " + inert(c.Arm) + "\n  layers: {...}   # tare list layers", Section: "cost",
			}}
		}
	}
	return nil
}

func (doc *Document) measureMore() []Step {
	for _, c := range doc.Contrasts {
		if c.Verdict == "inconclusive" && c.MoreRounds > 0 && c.MoreRounds <= mostRounds {
			return []Step{{
				Do:      fmt.Sprintf("Measure %s more to judge %s.", count(c.MoreRounds, "round"), inert(doc.called(c.Arm, c.Threads))),
				Why:     fmt.Sprintf("That many should narrow its interval to your margin of %s %%. Start a new run: rounds added after a look bias the result.", trimmed(doc.Run.MarginPercent)),
				Command: fmt.Sprintf("protocol: {rounds: %d}", c.Rounds+c.MoreRounds), Section: "rounds",
			}}
		}
	}
	return nil
}

func (doc *Document) measureSelf() []Step {
	if !doc.Run.Imported {
		return nil
	}
	return []Step{{
		Do: "Measure it with tare.", Why: "Imported files have no rounds and no audit, so they carry no verdict.", Command: "tare run experiment.yaml", Section: "made",
	}}
}

// keep is for a result that asks for nothing.
func (doc *Document) keep() []Step {
	if len(doc.Contrasts) == 0 {
		return nil
	}
	for _, c := range doc.Contrasts {
		if c.Verdict != "equivalent" && c.Verdict != "within-margin" && c.Verdict != "gains" {
			return nil
		}
	}
	return []Step{{
		Do: "Nothing has to be done.", Why: fmt.Sprintf("No arm costs more than your margin of %s %%.", trimmed(doc.Run.MarginPercent)), Section: "cost",
	}}
}
