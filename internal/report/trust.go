package report

import (
	"fmt"
	"math"

	"github.com/tarebench/tare/internal/compare"
)

// Variant is an effect computed from a part of the data; it ought to agree.
type Variant struct {
	// Variant is the sentence of Part, the part of the data.
	Variant       string         `json:"variant"`
	Part          compare.Reason `json:"part"`
	EffectPercent Number         `json:"effect_percent"`
	// Interval is at 95 % for all contrasts at once; null below two rounds.
	Interval *[2]Number `json:"interval"`
	Rounds   int        `json:"rounds"`
	Agrees   bool       `json:"agrees"`
}

// Steadiness is how still an arm held while it was measured; sizes in per cent.
type Steadiness struct {
	Arm     string `json:"arm"`
	Threads int    `json:"threads"`
	Trials  int    `json:"trials"`
	// DriftPercent is the second half of the windows against the first, with its
	// 99 % interval; DriftBound what the data do not rule out.
	DriftPercent  Number     `json:"drift_percent"`
	DriftInterval *[2]Number `json:"drift_interval"`
	DriftBound    Number     `json:"drift_bound"`
	Drifts        bool       `json:"drifts"`
	// Changed of Tested trials change their level within the window.
	Changed int `json:"changed"`
	Tested  int `json:"tested"`
	// ChangesLevel says that more than a fifth of them do.
	ChangesLevel bool `json:"changes_level"`
	// MachineSlow trials began while the machine was slower than before the others.
	MachineSlow int `json:"machine_slow"`
	// RestartSD and WithinSD are the parts of the spread of trials.
	RestartSD Number `json:"restart_sd_percent"`
	WithinSD  Number `json:"within_sd_percent"`
	// CheapestSeconds is the window that gives most precision for the time.
	CheapestSeconds Number `json:"cheapest_seconds"`
}

// CarryOver is whether a trial leaves something behind for the next.
type CarryOver struct {
	Threads int               `json:"threads"`
	P       Number            `json:"p"`
	Left    map[string]Number `json:"left_percent"` // after each arm
	// Interval is the 95 % interval of Left, by itself; Trials how many it is over.
	Interval map[string]*[2]Number `json:"left_interval"`
	Trials   map[string]int        `json:"left_trials"`
	Flagged  bool                  `json:"flagged"`
}

// Scaling is the Universal Scalability Law of an arm.
type Scaling struct {
	Arm           string     `json:"arm"`
	Levels        []int      `json:"levels"`
	Rounds        int        `json:"rounds"`
	Lambda        Number     `json:"lambda"`
	Sigma         Number     `json:"sigma"`
	SigmaInterval *[2]Number `json:"sigma_interval"`
	Kappa         Number     `json:"kappa"`
	KappaInterval *[2]Number `json:"kappa_interval"`
	// PeakThreads is null where it lies beyond the largest level measured.
	PeakThreads  Number `json:"peak_threads"`
	WorstThreads int    `json:"worst_threads"`
	WorstPercent Number `json:"worst_percent"`
	Misfit       bool   `json:"misfit"`
}

func (doc *Document) trust(res *compare.Result) {
	doc.Steadiness, doc.CarryOvers, doc.Scalings = []Steadiness{}, []CarryOver{}, []Scaling{}
	for _, s := range res.Steadiness {
		doc.Steadiness = append(doc.Steadiness, Steadiness{
			Arm: text(s.Arm), Threads: s.Threads, Trials: s.Trials, DriftPercent: Number(s.Drift), DriftInterval: intervalOf(s.Interval),
			DriftBound: Number(s.Bound), Drifts: s.Flagged, Changed: s.Changed, Tested: s.Tested, ChangesLevel: s.ChangesLevel(), MachineSlow: s.MachineSlow,
			RestartSD: Number(s.Restart), WithinSD: Number(s.Within), CheapestSeconds: Number(s.Cheapest),
		})
	}
	for _, c := range res.CarryOvers {
		out := CarryOver{Threads: c.Threads, P: Number(c.P), Left: map[string]Number{}, Interval: map[string]*[2]Number{}, Trials: map[string]int{}, Flagged: c.Flagged}
		for arm, v := range c.Left {
			out.Left[text(arm)], out.Interval[text(arm)], out.Trials[text(arm)] = Number(v), intervalOf(c.Interval[arm]), c.Trials[arm]
		}
		doc.CarryOvers = append(doc.CarryOvers, out)
	}
	for _, s := range res.Scalings {
		doc.Scalings = append(doc.Scalings, Scaling{
			Arm: text(s.Arm), Levels: s.Levels, Rounds: s.Rounds, Lambda: Number(s.Lambda), Sigma: Number(s.Sigma), Kappa: Number(s.Kappa),
			SigmaInterval: intervalOf(s.SigmaInterval), KappaInterval: intervalOf(s.KappaInterval), PeakThreads: Number(s.Peak),
			WorstThreads: s.WorstThreads, WorstPercent: Number(s.Worst), Misfit: s.Misfit,
		})
	}
}

func trustSection() Section {
	return Section{
		ID:       "trust",
		Shown:    func(d *Document) bool { return len(d.Steadiness) > 0 },
		Sentence: trustSentence,
		Tables:   trustTables,
	}
}

func trustSentence(d *Document) string {
	var found []string
	for _, s := range d.Steadiness {
		name := d.called(s.Arm, s.Threads)
		if s.Drifts {
			found = append(found, d.say("trust.drift", "arm", name, "size", decimal(float64(s.DriftPercent), 1),
				"lo", decimal(float64(s.DriftInterval[0]), 1), "hi", decimal(float64(s.DriftInterval[1]), 1)))
		}
		if s.ChangesLevel {
			found = append(found, d.say("trust.level", "arm", name, "n", fmt.Sprint(s.Changed), "of", fmt.Sprint(s.Tested)))
		}
	}
	for _, c := range d.CarryOvers {
		if c.Flagged {
			found = append(found, d.say("trust.carry", "p", decimal(float64(c.P), 3)))
		}
	}
	for _, c := range d.Contrasts {
		for _, v := range c.Variants {
			if !v.Agrees {
				found = append(found, d.say("trust.variant", "arm", d.called(c.Arm, c.Threads), "size", decimal(-float64(v.EffectPercent), 1), "spread", d.spread(v), "variant", v.Variant))
			}
		}
	}
	s := d.say("trust.none")
	if len(found) > 0 {
		s = capital(d.words().list("clauses", found)) + d.say("end")
	} else if unchecked := d.unchecked(); len(unchecked) == 4 {
		return d.say("trust.unchecked", "what", d.words().list("list", unchecked))
	}
	if unchecked := d.unchecked(); len(unchecked) > 0 {
		s += d.say("join.sentences") + d.say("trust.unchecked", "what", d.words().list("list", unchecked))
	}
	return s
}

// unchecked are the checks that the run does not allow: windows that are too short, and an
// imported run, whose order nobody wrote down.
func (doc *Document) unchecked() []string {
	drift, level, variants := false, false, false
	for _, s := range doc.Steadiness {
		drift, level = drift || s.DriftInterval != nil, level || s.Tested > 0
	}
	for _, c := range doc.Contrasts {
		variants = variants || len(c.Variants) > 0
	}
	var all []string
	for _, check := range []struct {
		done bool
		name string
	}{{drift, doc.say("check.drift")}, {level, doc.say("check.level")}, {len(doc.CarryOvers) > 0, doc.say("check.carry")}, {variants, doc.say("check.parts")}} {
		if !check.done {
			all = append(all, check.name)
		}
	}
	return all
}

func trustTables(d *Document) []Table {
	steady := Table{Caption: d.say("caption.drift"), Head: d.heads("arm", "drift", "in99", "not-ruled-out", "level-changes", "sentinel", "starts", "within", "cheapest")}
	for _, s := range d.Steadiness {
		changes := d.say("cell.short")
		if s.Tested > 0 {
			changes = d.say("cell.of-trials", "n", fmt.Sprint(s.Changed), "of", fmt.Sprint(s.Tested))
		}
		steady.Rows = append(steady.Rows, []Cell{
			words(d.label(s.Arm, s.Threads)), number(dash(s.DriftPercent, 2)), number(d.spanOf(s.DriftInterval, 2)), number(dash(s.DriftBound, 2)), words(changes), number(fmt.Sprint(s.MachineSlow)),
			number(dash(s.RestartSD, 2)), number(dash(s.WithinSD, 2)), number(dash(s.CheapestSeconds, 0)),
		})
	}
	robust := Table{Caption: d.say("caption.robust"), Head: d.heads("arm", "from", "cost-alone", "in95", "rounds", "agrees")}
	for _, c := range d.Contrasts {
		for _, v := range c.Variants {
			agrees := d.say("cell.yes")
			if !v.Agrees {
				agrees = d.say("cell.no")
			}
			robust.Rows = append(robust.Rows, []Cell{words(d.label(c.Arm, c.Threads)), words(v.Variant), number(dash(-v.EffectPercent, 2)), number(d.spanOf(costSpan(v.Interval), 2)), number(fmt.Sprint(v.Rounds)), words(agrees)})
		}
	}
	carry := Table{Caption: d.say("caption.carry"), Head: d.heads("after", "left", "in95", "trials", "p-all")}
	for _, c := range d.CarryOvers {
		for _, a := range d.Arms {
			if left, ok := c.Left[a.Name]; ok {
				carry.Rows = append(carry.Rows, []Cell{words(a.Name), number(dash(-left, 2)), number(d.spanOf(costSpan(c.Interval[a.Name]), 2)), number(fmt.Sprint(c.Trials[a.Name])), number(dash(c.P, 3))})
			}
		}
	}
	return []Table{steady, robust, carry}
}

// spread is how well a variant is known, in words.
func (doc *Document) spread(v Variant) string {
	rounds := doc.count(v.Rounds, "round")
	if v.Interval == nil {
		return doc.say("trust.no-interval", "rounds", rounds)
	}
	in := costSpan(v.Interval)
	return doc.say("trust.interval", "lo", decimal(float64(in[0]), 1), "hi", decimal(float64(in[1]), 1), "rounds", rounds)
}

// costSpan is an interval of changes as one of costs.
func costSpan(in *[2]Number) *[2]Number {
	if in == nil {
		return nil
	}
	return &[2]Number{-in[1], -in[0]}
}

func dash(n Number, digits int) string {
	if !n.Known() {
		return "-"
	}
	return decimal(float64(n), digits)
}

func scalingSection() Section {
	return Section{
		ID:       "scaling",
		Shown:    func(d *Document) bool { return len(d.levels()) > 1 && !d.sealed() },
		Sentence: scalingSentence,
		Figures: []Figure{{
			ID: "fig-scaling", Chart: "scaling",
			Shown: func(d *Document) bool { return highest(d) > 0 },
		}},
		Tables: func(d *Document) []Table { return []Table{levelTable(d), scalingTable(d)} },
	}
}

func scalingSentence(d *Document) string {
	var parts []string
	for _, s := range d.Scalings {
		switch {
		case s.Misfit:
			parts = append(parts, d.say("scaling.misfit", "arm", s.Arm, "threads", d.count(s.WorstThreads, "thread"), "rounds", d.count(s.Rounds, "round"), "size", decimal(math.Abs(float64(s.WorstPercent)), 0)))
		case s.PeakThreads.Known():
			parts = append(parts, d.say("scaling.peak", "arm", s.Arm, "n", decimal(float64(s.PeakThreads), 0), "rounds", d.count(s.Rounds, "round")))
		default:
			parts = append(parts, d.say("scaling.grows", "arm", s.Arm))
		}
	}
	if len(parts) == 0 {
		return d.say("scaling.few", "levels", d.count(len(d.levels()), "level"))
	}
	return d.words().list("clauses", parts) + d.say("end")
}

// levelTable is what the chart draws.
func levelTable(d *Document) Table {
	t := Table{Caption: d.say("caption.levels"), Head: d.heads("arm", "threads", "mean-unit", "p99", "cost", "in95", "rounds")}
	for i := range d.Arms {
		a := &d.Arms[i]
		mid, in, p99, rounds := "-", "-", "-", "-"
		for k := range d.Contrasts {
			if c := &d.Contrasts[k]; c.Arm == a.Name && c.Threads == a.Threads {
				mid, in, _ = d.words().costCells(c)
				rounds = fmt.Sprint(c.Rounds)
			}
		}
		if a.Latency != nil {
			p99 = dash(a.Latency.Percentiles["99"], 2)
		}
		t.Rows = append(t.Rows, []Cell{words(a.Name), number(fmt.Sprint(a.Threads)), number(orDash(a.ThroughputMean)), number(p99), number(mid), number(in), number(rounds)})
	}
	return t
}

func scalingTable(d *Document) Table {
	t := Table{Caption: d.say("caption.scaling"), Open: true, Head: d.heads("arm", "one-thread", "sigma", "in95", "kappa", "in95", "peak", "rounds", "follows")}
	for _, s := range d.Scalings {
		follows := d.say("cell.yes")
		if s.Misfit {
			follows = d.say("cell.off", "size", decimal(float64(s.WorstPercent), 1), "n", fmt.Sprint(s.WorstThreads))
		}
		t.Rows = append(t.Rows, []Cell{
			words(s.Arm), number(rate(s.Lambda)), number(dash(s.Sigma, 4)), number(d.spanOf(s.SigmaInterval, 4)),
			number(dash(s.Kappa, 6)), number(d.spanOf(s.KappaInterval, 6)), number(dash(s.PeakThreads, 0)), number(fmt.Sprint(s.Rounds)), words(follows),
		})
	}
	return t
}

func (doc *Document) spanOf(in *[2]Number, digits int) string {
	if in == nil {
		return "-"
	}
	return doc.words().between(decimal(float64(in[0]), digits), decimal(float64(in[1]), digits))
}
