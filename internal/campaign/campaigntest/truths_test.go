//go:build !race

package campaigntest

// This file says what the intervals and sentences of a report should say, as the world is known.

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
)

// quantity is an interval that a report prints, with what it should hold.
type quantity struct {
	family string // whose intervals hold at once; "" for one that holds alone
	name   string
	in     *[2]report.Number // nil where none is printed
	truth  float64
	// told: the report says with the interval that its rounds are not what it assumes.
	told bool
}

func (q quantity) misses() bool {
	const rounding = 1e-9
	return q.truth < float64(q.in[0])-rounding || q.truth > float64(q.in[1])+rounding
}

func percent(log float64) float64 { return 100 * math.Expm1(log) }

// truths are the true values of a world, by arm.
type truths struct {
	World
	arms map[string]experiment.Arm
	base experiment.Arm
}

func truthsOf(w World, run *record.Run) truths {
	t := truths{w, map[string]experiment.Arm{}, experiment.Arm{}}
	for _, a := range run.Experiment.Arms {
		t.arms[a.Name] = a
	}
	t.base = t.arms[run.Experiment.Baseline]
	return t
}

func (t truths) effect(from, to string) float64 { return t.Effect(t.arms[to]) - t.Effect(t.arms[from]) }

// quantities are all intervals of a document with their truths.
func (t truths) quantities(doc *report.Document) (all []quantity) {
	add := func(family, name string, in *[2]report.Number, truth float64) {
		all = append(all, quantity{family: family, name: name, in: in, truth: truth})
	}
	for _, c := range doc.Contrasts {
		if c.Arm == t.Withheld {
			continue // wrongWords
		}
		truth := percent(t.effect(c.Baseline, c.Arm))
		add(c.Family, "change of throughput", c.Interval, truth)
		add(c.Family+ninety, "change of throughput"+ninety, c.Interval90, truth)
		for i := len(all) - 2; i < len(all); i++ {
			all[i].told = told(c)
		}
		for _, v := range c.Variants {
			all = append(all, quantity{name: "change from a part of the data", in: v.Interval, truth: truth, told: told(c)})
		}
	}
	for _, f := range doc.NoiseFloors {
		add("", "A/A", f.Interval, 0)
		add("", "A/A, 99 %", f.Interval99, 0)
	}
	all = append(all, t.metrics(doc)...)
	for _, n := range doc.Neighbours {
		for _, c := range []struct {
			of   *report.Change95
			from string
		}{{n.Taken, n.Alone}, {n.Apart, n.Peer}} {
			if c.of != nil {
				add(c.of.Family, "change by a neighbour", &c.of.Interval, percent(t.effect(c.from, n.Arm)))
			}
		}
	}
	for _, a := range doc.Answers {
		add(a.Gain.Family, "change by a remedy", &a.Gain.Interval, percent(t.effect(a.To, a.Arm)))
		if a.Keeps != nil {
			add(a.Keeps.Family, "change by a remedy", &a.Keeps.Interval, percent(t.effect(a.Alone, a.Arm)))
		}
		if a.Own != nil {
			add(a.Own.Family, "change by a remedy", &a.Own.Interval, percent(t.effect(a.Alone, a.Twin)))
		}
	}
	for _, a := range doc.Arms {
		if a.Name == t.Withheld {
			continue
		}
		tail := t.Tail(t.arms[a.Name])
		for _, p := range a.Tails {
			at := math.Log(p95MS)
			if p.Percentile == "99" {
				at += 4 * eachPercent
			}
			if !t.Moves {
				add("", "p"+p.Percentile, p.Interval, math.Exp(at+tail))
			}
			if p.CostInterval != nil {
				cost := percent(tail - t.Tail(t.base))
				add(p.Family, "cost of p"+p.Percentile, p.CostInterval, cost)
				add(p.Family+ninety, "cost of p"+p.Percentile+ninety, p.CostInterval90, cost)
			}
		}
	}
	for _, p := range doc.Prices {
		if p.Arm == t.Withheld {
			continue
		}
		million := math.Log(p.Hour/(tps*3600)*1e6) - t.Effect(t.arms[p.Arm])
		if !t.Moves {
			add("", "price of a million", p.Interval, math.Exp(million))
		}
		if p.ChangeInterval != nil {
			add("throughput", "change of the price", p.ChangeInterval, 100*(p.Hour*math.Exp(-t.effect(t.base.Name, p.Arm))-1))
		}
	}
	for _, s := range doc.Probes.Series {
		if t.Still != "" && s.Arm == t.Still && s.Metric == keys.MySQLInnoDBDataFsyncs {
			add("", "rate of a counter that does not change", &[2]report.Number{s.Window, s.Window}, 0)
		}
	}
	t.budgets(doc, add)
	t.attributions(doc, add)
	return all
}

// metrics are, for each arm that costs nothing, whether the report says of any of its metrics that it differs from the
// baseline: the intervals of all metrics of an arm hold at once, and only those that exclude 0 are shown.
func (t truths) metrics(doc *report.Document) (all []quantity) {
	for _, c := range doc.Contrasts {
		if t.effect(c.Baseline, c.Arm) != 0 || c.Interval == nil || len(doc.Probes.Series) == 0 {
			continue
		}
		shown := [2]report.Number{0, 0}
		for _, d := range doc.Probes.Differing {
			if d.Arm == c.Arm {
				shown = d.Interval
			}
		}
		all = append(all, quantity{name: "metrics of an arm", in: &shown, truth: 0})
	}
	return all
}

// told is whether a contrast says that its rounds depend on each other, or are of two kinds.
func told(c report.Contrast) bool {
	return c.Starts != nil || c.Serial != nil && float64(c.Serial.P) <= 0.05
}

func (t truths) budgets(doc *report.Document, add func(family, name string, in *[2]report.Number, truth float64)) {
	for _, e := range doc.Explained {
		if e.Arm == t.Withheld {
			continue
		}
		longer := meanMS * (math.Exp(-t.Effect(t.arms[e.Arm])) - math.Exp(-t.Effect(t.base)))
		for _, s := range e.Budget {
			share, known := map[string]float64{
				"a transaction": 1, "on a CPU": onCPU, "waiting for a CPU": waiting, "rest in the server, network and client": 1 - onCPU - waiting,
			}[s.Name]
			if known && s.Interval != nil {
				add("", "change of the time of "+s.Name, s.Interval, share*longer)
			}
		}
	}
}

func (t truths) attributions(doc *report.Document, add func(family, name string, in *[2]report.Number, truth float64)) {
	for _, a := range doc.Attributions {
		if a.Total == nil {
			continue
		}
		total := t.effect(a.From, a.To)
		add("", "total of the layers", &a.Total.Interval, percent(total))
		for _, l := range a.Layers {
			effect := LayerEffects[l.Layer]
			add("", "points of a layer", &l.Interval, percent(total)/total*effect)
			add("", "share of a layer", l.ShareInterval, effect/total)
			if l.GivesBack != nil {
				add("", "return of a layer", &l.GivesBack.Interval, percent(total-effect)-percent(total))
			}
		}
	}
}

// between are the intervals of a comparison of two runs on the same machine.
func between(s *report.Sessions) (all []quantity) {
	for _, c := range s.Contrasts {
		told := slices.ContainsFunc(c.Reasons, compare.Caveat)
		all = append(all, quantity{family: c.Family, name: "change between two runs", in: c.Interval, told: told},
			quantity{family: c.Family + ninety, name: "change between two runs" + ninety, in: c.Interval90, told: told})
	}
	return all
}

var (
	slower = regexp.MustCompile(`(?:^|[.:;] )(\S+) is (?:[^.]|\.\d)*?slower than (\S+?)[ ,.]`)
	faster = regexp.MustCompile(`(?:^|[.:;] )(\S+) is (?:[^.]|\.\d)*?faster than (\S+?)[ ,.]`)
	alike  = regexp.MustCompile(`(\S+) (?:by itself )?and (\S+) are equivalent`)
	costs  = regexp.MustCompile(`(\S+) (?:by itself )?costs [^:]*? compared with (\S+?)[.]`)
	// caveat is of a sentence that says that the rounds are not what its interval assumes.
	caveat = regexp.MustCompile(`The rounds depend on each other|had another level`)
	tail   = regexp.MustCompile(`^(\S+) .* Its p\d+ latency is \S+ % (longer|shorter)`)
)

// wrongWords are the claims of a report's sentences that the truth contradicts.
func (t truths) wrongWords(doc *report.Document) (wrong []string) {
	for _, s := range append(doc.Leads(), doc.Headline...) {
		if caveat.MatchString(s) {
			continue
		}
		for _, claim := range []struct {
			pattern *regexp.Regexp
			false   func(effect float64) bool
		}{
			{slower, func(effect float64) bool { return effect >= 0 }},
			{costs, func(effect float64) bool { return effect >= 0 }},
			{faster, func(effect float64) bool { return effect <= 0 }},
			{alike, func(effect float64) bool { return math.Abs(percent(effect)) >= float64(doc.Run.MarginPercent) }},
		} {
			for _, m := range claim.pattern.FindAllStringSubmatch(s, -1) {
				if _, known := t.arms[m[1]]; known && claim.false(t.effect(m[2], m[1])) {
					wrong = append(wrong, s)
				}
			}
		}
		if m := tail.FindStringSubmatch(s); m != nil {
			cost := t.Tail(t.arms[m[1]]) - t.Tail(t.base)
			if m[2] == "longer" && cost <= 0 || m[2] == "shorter" && cost >= 0 {
				wrong = append(wrong, s)
			}
		}
	}
	wrong = append(wrong, t.notWithheld(doc)...)
	for _, a := range doc.Answers {
		if a.Decision == "kept" && t.effect(a.To, a.Arm) <= 0 {
			wrong = append(wrong, a.Sentence)
		}
	}
	for _, m := range doc.Remedies {
		if m.Decision == "kept" && t.effect(t.base.Name, m.Arm) <= 0 {
			wrong = append(wrong, m.Sentence)
		}
	}
	for _, e := range doc.Explained {
		for _, f := range e.Findings {
			if (f.State == "explains" || f.State == "proved") && t.effect(t.base.Name, e.Arm) >= 0 {
				wrong = append(wrong, e.Arm+": "+f.Title+" "+f.State)
			}
		}
	}
	return wrong
}

// notWithheld are the figures of an arm of which none may be given.
func (t truths) notWithheld(doc *report.Document) (wrong []string) {
	if t.Withheld == "" {
		return nil
	}
	given := func(arm, what string, in *[2]report.Number) {
		if arm == t.Withheld && in != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %s %v", arm, what, *in))
		}
	}
	for _, c := range doc.Contrasts {
		given(c.Arm, "change of throughput", c.Interval)
		if c.Arm == t.Withheld && c.Verdict != "not-measured" {
			wrong = append(wrong, c.Sentence)
		}
	}
	for _, a := range doc.Arms {
		for _, p := range a.Tails {
			given(a.Name, "p"+p.Percentile, p.Interval)
			given(a.Name, "cost of p"+p.Percentile, p.CostInterval)
		}
	}
	for _, p := range doc.Prices {
		given(p.Arm, "price", p.Interval)
		given(p.Arm, "change of the price", p.ChangeInterval)
	}
	for _, e := range doc.Explained {
		for _, s := range e.Budget {
			given(e.Arm, s.Name, s.Interval)
		}
	}
	for _, d := range doc.Probes.Differing {
		given(d.Arm, d.Metric, &d.Interval)
	}
	return wrong
}
