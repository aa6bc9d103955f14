package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/tarebench/tare/internal/compare"
)

// Variant is an effect computed from a part of the data; it ought to agree.
type Variant struct {
	Variant       string `json:"variant"`
	EffectPercent Number `json:"effect_percent"`
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
	// Disturbed trials began while the machine was slower than before the others.
	Disturbed int `json:"disturbed"`
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
			Arm: text(s.Arm), Threads: s.Threads, Trials: s.Trials, DriftPercent: Number(s.Drift), DriftInterval: interval(s.Interval),
			DriftBound: Number(s.Bound), Drifts: s.Flagged, Changed: s.Changed, Tested: s.Tested, ChangesLevel: s.ChangesLevel(), Disturbed: s.Disturbed,
			RestartSD: Number(s.Restart), WithinSD: Number(s.Within), CheapestSeconds: Number(s.Cheapest),
		})
	}
	for _, c := range res.CarryOvers {
		out := CarryOver{Threads: c.Threads, P: Number(c.P), Left: map[string]Number{}, Interval: map[string]*[2]Number{}, Trials: map[string]int{}, Flagged: c.Flagged}
		for arm, v := range c.Left {
			out.Left[text(arm)], out.Interval[text(arm)], out.Trials[text(arm)] = Number(v), interval(c.Interval[arm]), c.Trials[arm]
		}
		doc.CarryOvers = append(doc.CarryOvers, out)
	}
	for _, s := range res.Scalings {
		doc.Scalings = append(doc.Scalings, Scaling{
			Arm: text(s.Arm), Levels: s.Levels, Rounds: s.Rounds, Lambda: Number(s.Lambda), Sigma: Number(s.Sigma), Kappa: Number(s.Kappa),
			SigmaInterval: interval(s.SigmaInterval), KappaInterval: interval(s.KappaInterval), PeakThreads: Number(s.Peak),
			WorstThreads: s.WorstThreads, WorstPercent: Number(s.Worst), Misfit: s.Misfit,
		})
	}
}

func trustSection() Section {
	return Section{
		ID: "trust", Question: "Did the machine and the arms hold still?",
		Shown:    func(d *Document) bool { return len(d.Steadiness) > 0 },
		Sentence: trustSentence,
		Tables:   trustTables,
		Reading: "A drift is the second half of the windows against the first, over all trials of an arm; what it cannot rule out is bounded. " +
			"The spread of trials has two parts: what one start of the server adds over another, and what the seconds of a window leave. " +
			"An effect that changes by more than half its interval when it is computed from a part of the data takes its verdict back.",
	}
}

func trustSentence(d *Document) string {
	var found []string
	for _, s := range d.Steadiness {
		name := d.called(s.Arm, s.Threads)
		if s.Drifts {
			found = append(found, fmt.Sprintf("%s drifts by %s %% within its windows (99 %% interval %s to %s)", name,
				decimal(float64(s.DriftPercent), 1), decimal(float64(s.DriftInterval[0]), 1), decimal(float64(s.DriftInterval[1]), 1)))
		}
		if s.ChangesLevel {
			found = append(found, fmt.Sprintf("%s changes its level within the window in %d of %d trials", name, s.Changed, s.Tested))
		}
	}
	for _, c := range d.CarryOvers {
		if c.Flagged {
			found = append(found, fmt.Sprintf("trials leave something behind for the next (p %s)", decimal(float64(c.P), 3)))
		}
	}
	for _, c := range d.Contrasts {
		for _, v := range c.Variants {
			if !v.Agrees {
				found = append(found, fmt.Sprintf("the cost of %s is %s %% (%s) from: %s", d.called(c.Arm, c.Threads), decimal(-float64(v.EffectPercent), 1), v.spread(), v.Variant))
			}
		}
	}
	if len(found) == 0 {
		return "No drift, no change of level and no carry-over from trial to trial was found, and the effects hold in every part of the data."
	}
	return capital(strings.Join(found, "; ")) + "."
}

func trustTables(d *Document) []Table {
	steady := Table{Caption: "Drift and spread of the arms, per cent", Head: []string{"Arm", "Drift", "99 % interval", "Not ruled out", "Level changes", "Sentinel off", "Spread of starts", "Within windows", "Cheapest window, s"}}
	for _, s := range d.Steadiness {
		changes := "windows too short"
		if s.Tested > 0 {
			changes = fmt.Sprintf("%d of %d trials", s.Changed, s.Tested)
		}
		steady.Rows = append(steady.Rows, []Cell{
			words(d.label(s.Arm, s.Threads)), number(dash(s.DriftPercent, 2)), number(spanOf(s.DriftInterval, 2)), number(dash(s.DriftBound, 2)), words(changes), number(fmt.Sprint(s.Disturbed)),
			number(dash(s.RestartSD, 2)), number(dash(s.WithinSD, 2)), number(dash(s.CheapestSeconds, 0)),
		})
	}
	robust := Table{Caption: "The cost computed from parts of the data, per cent", Head: []string{"Arm", "From", "Cost", "95 % interval", "Rounds", "Agrees"}}
	for _, c := range d.Contrasts {
		for _, v := range c.Variants {
			agrees := "yes"
			if !v.Agrees {
				agrees = "no"
			}
			robust.Rows = append(robust.Rows, []Cell{words(d.label(c.Arm, c.Threads)), words(v.Variant), number(dash(-v.EffectPercent, 2)), number(spanOf(costSpan(v.Interval), 2)), number(fmt.Sprint(v.Rounds)), words(agrees)})
		}
	}
	carry := Table{Caption: "What a trial leaves for the next, per cent", Head: []string{"After", "Left", "95 % interval", "Trials", "p of all"}}
	for _, c := range d.CarryOvers {
		for _, a := range d.Arms {
			if left, ok := c.Left[a.Name]; ok {
				carry.Rows = append(carry.Rows, []Cell{words(a.Name), number(dash(left, 2)), number(spanOf(c.Interval[a.Name], 2)), number(fmt.Sprint(c.Trials[a.Name])), number(dash(c.P, 3))})
			}
		}
	}
	return []Table{steady, robust, carry, voidTable(d), correlationTable(d)}
}

// spread is how well a variant is known, in words.
func (v Variant) spread() string {
	if v.Interval == nil {
		return "no interval, " + count(v.Rounds, "round")
	}
	in := costSpan(v.Interval)
	return fmt.Sprintf("95 %% interval %s to %s, %s", decimal(float64(in[0]), 1), decimal(float64(in[1]), 1), count(v.Rounds, "round"))
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
		ID: "scaling", Question: "How does it scale?",
		Shown:    func(d *Document) bool { return len(d.levels()) > 1 && !d.sealed() },
		Sentence: scalingSentence,
		Figures: []Figure{{
			ID: "fig-scaling", Chart: "scaling", Caption: "Throughput, latency and cost by the number of threads",
			Shown: func(d *Document) bool { return highest(d) > 0 },
		}},
		Tables: func(d *Document) []Table { return []Table{levelTable(d), scalingTable(d)} },
		Reading: "Universal Scalability Law: sigma is the share of work that waits for others, kappa what threads spend on agreeing. " +
			"Intervals are over fits of each round. Nothing is said beyond the largest number of threads measured. " +
			"Where a level lies further from the curve than three times its noise, the law does not describe the arm: a CPU quota grows in " +
			"proportion and then stands still, and has no sigma.",
	}
}

func scalingSentence(d *Document) string {
	var parts []string
	for _, s := range d.Scalings {
		switch {
		case s.Misfit:
			parts = append(parts, fmt.Sprintf("%s does not follow the law: at %s the mean of %s lies %s %% off, more than three times its noise, as under a hard cap such as a CPU quota",
				s.Arm, count(s.WorstThreads, "thread"), count(s.Rounds, "round"), decimal(math.Abs(float64(s.WorstPercent)), 0)))
		case s.PeakThreads.Known():
			parts = append(parts, fmt.Sprintf("%s peaks at about %s threads (without an interval, %s)", s.Arm, decimal(float64(s.PeakThreads), 0), count(s.Rounds, "round")))
		default:
			parts = append(parts, fmt.Sprintf("%s still grows at the largest level measured", s.Arm))
		}
	}
	if len(parts) == 0 {
		return "The arms were measured at " + count(len(d.levels()), "level") + " of the load; whether they follow a law takes four."
	}
	return strings.Join(parts, "; ") + "."
}

// levelTable is what the chart draws.
func levelTable(d *Document) Table {
	t := Table{Caption: "Arms by the number of threads", Head: []string{"Arm", "Threads", "Mean, " + Unit, "p99, ms", "Cost, %", "95 % interval", "Rounds"}}
	for i := range d.Arms {
		a := &d.Arms[i]
		mid, in, p99, rounds := "-", "-", "-", "-"
		for k := range d.Contrasts {
			if c := &d.Contrasts[k]; c.Arm == a.Name && c.Threads == a.Threads {
				mid, in, _ = costCells(c)
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
	t := Table{Caption: "Scalability of the arms", Open: true, Head: []string{"Arm", "One thread, " + Unit, "Sigma", "95 % interval", "Kappa", "95 % interval", "Peak, threads", "Rounds", "Follows the law"}}
	for _, s := range d.Scalings {
		follows := "yes"
		if s.Misfit {
			follows = fmt.Sprintf("no: %s %% off at %d", decimal(float64(s.WorstPercent), 1), s.WorstThreads)
		}
		t.Rows = append(t.Rows, []Cell{
			words(s.Arm), number(rate(s.Lambda)), number(dash(s.Sigma, 4)), number(spanOf(s.SigmaInterval, 4)),
			number(dash(s.Kappa, 6)), number(spanOf(s.KappaInterval, 6)), number(dash(s.PeakThreads, 0)), number(fmt.Sprint(s.Rounds)), words(follows),
		})
	}
	return t
}

func spanOf(in *[2]Number, digits int) string {
	if in == nil {
		return "-"
	}
	return decimal(float64(in[0]), digits) + " to " + decimal(float64(in[1]), digits)
}
