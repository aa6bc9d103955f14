package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// warnings are what a reader must know beside the verdicts.
func warnings(r *record.Run, res *Result) []string {
	var w []string
	say := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }
	if r.Imported != nil {
		say("Imported from %s: tare did not measure these trials. Their order, their pairing, and whether the servers were alike are not known.", r.Imported.Format)
	}
	if n := res.TrialsPlanned - res.TrialsDone; n > 0 && r.Imported == nil {
		say("%s of %d planned outstanding; tare run --resume %s does them.", plural(n, "trial"), res.TrialsPlanned, r.Dir)
	}
	if res.Rate > 0 {
		say("The load is an open loop of %v transactions a second in every arm: throughput shows only which arm cannot keep up. What an arm costs is in the response times, which have no interval here.", res.Rate)
	}
	for _, a := range res.Arms {
		name := armName(a, res)
		if o := a.Offered; o != nil && o.Unsent > 0 {
			say("%s did not keep up: %d of the %d transactions that fell due were not sent in their windows.", name, o.Unsent, o.Due)
		}
		if n := a.count(failed); n > 0 {
			say("%s of %s failed%s. Its rounds are left out of the comparison.", plural(n, "trial"), name, firstReason(&a, failed))
		}
		if n := a.count(numberless); n > 0 && len(res.Contrasts) == 0 {
			say("%s: %s%s.", name, a.without(n, r.Imported == nil), firstReason(&a, numberless))
		}
		if n := partial(a); n > 0 && r.Imported == nil {
			say("%s: the engine printed no totals in %s; the window is summed up from its seconds.", name, plural(n, "trial"))
		}
	}
	if keys := undeclared(res); len(keys) > 0 {
		say("The arms differ in what the experiment does not declare: %s.", strings.Join(keys, ", "))
	}
	w = append(w, twoServers(r, res)...)
	if arms := unaudited(r); len(arms) > 0 {
		say("The server's variables could not be read in %s: whether the servers were alike is not known there.", strings.Join(arms, ", "))
	}
	w = append(w, voidWarnings(r, res)...)
	w = append(w, unsteady(res)...)
	if n := exploratory(res); n > 0 {
		family := res.Contrasts[0].Family
		say("With %s a comparison is exploratory: below %d the sign-flip test cannot reach 5 %% for %s.", plural(n, "round"), EnoughRounds(family), plural(family, "contrast"))
	}
	if r.Imported != nil && slices.ContainsFunc(res.Contrasts, func(c Contrast) bool { return c.Interval95 == nil && c.Rounds < 2 }) {
		say("To get a verdict, import several runs of each arm (ARM=FILE more than once) or measure with tare run.")
	}
	return w
}

// unsteady says where machine or arms did not hold still.
func unsteady(res *Result) []string {
	var w []string
	for _, s := range res.Steadiness {
		a := armName(Arm{Name: s.Arm, Threads: s.Threads}, res)
		if s.Flagged {
			w = append(w, fmt.Sprintf("%s drifts within its windows by %.1f %% (99 %% interval %.1f to %.1f): a longer warm-up would tell whether it settles.", a, s.Drift, s.Interval.Lo, s.Interval.Hi))
		}
		if s.ChangesLevel() {
			w = append(w, fmt.Sprintf("%s changes its level within the window in %d of %d trials: its mean describes no single state.", a, s.Changed, s.Tested))
		}
	}
	for _, c := range res.CarryOvers {
		if c.Flagged {
			w = append(w, fmt.Sprintf("Trials leave something behind for the next (permutation p %.3f): random order keeps the comparison unbiased, but wider; find it and remove it.", c.P))
		}
	}
	return w
}

// twoServers says of each contrast with a server that someone else runs that the
// server differs as well as the place; once, however many levels of the load.
func twoServers(r *record.Run, res *Result) []string {
	var all []string
	bodies := bodies(r)
	for _, c := range res.Contrasts {
		who := foreign(r, bodies, c.Baseline, c.Arm)
		if who == "" {
			continue
		}
		other := c.Arm
		if who == c.Arm {
			other = c.Baseline
		}
		sentence := fmt.Sprintf("%s is a server that someone else runs; it and %s differ in %s: what is compared is two servers, not one in two places.",
			who, other, plural(differing(res, c), "setting"))
		if !slices.Contains(all, sentence) {
			all = append(all, sentence)
		}
	}
	return all
}

// differing counts the server's variables that were read in both arms of a
// contrast and are not the same.
func differing(res *Result, c Contrast) int {
	n := 0
	for _, d := range res.Differences {
		value, read := d.Values[c.Arm]
		if read && strings.HasPrefix(d.Key, variablePrefix) && value != d.Values[c.Baseline] {
			n++
		}
	}
	return n
}

// armName tells the levels of an arm apart where there are several.
func armName(a Arm, res *Result) string {
	for _, other := range res.Arms {
		if other.Threads != a.Threads {
			return fmt.Sprintf("%s at %d threads", a.Name, a.Threads)
		}
	}
	return a.Name
}

func partial(a Arm) int {
	n := 0
	for _, t := range a.numbers() {
		if t.Window.Partial {
			n++
		}
	}
	return n
}

// unaudited are the arms of measured trials without a single server variable.
func unaudited(r *record.Run) []string {
	if r.Imported != nil {
		return nil
	}
	var arms []string
	for _, t := range r.Trials {
		if kind(t) != measured || slices.Contains(arms, t.Header.Arm) {
			continue
		}
		if !slices.ContainsFunc(t.Facts, func(f record.Fact) bool { return strings.HasPrefix(f.Key, variablePrefix) }) {
			arms = append(arms, t.Header.Arm)
		}
	}
	return arms
}

// exploratory is the fewest rounds of a comparison that has too few, or 0.
func exploratory(res *Result) int {
	fewest := 0
	for _, c := range res.Contrasts {
		if c.Exploratory && (fewest == 0 || c.Rounds < fewest) {
			fewest = c.Rounds
		}
	}
	return fewest
}

// undeclared names the differences that do not make a contrast invalid by
// themselves; at most five.
func undeclared(res *Result) []string {
	var keys []string
	more := 0
	for _, d := range res.Differences {
		switch {
		case d.Declared || d.fatal:
		case len(keys) < 5:
			keys = append(keys, d.Key)
		default:
			more++
		}
	}
	if more > 0 {
		keys = append(keys, fmt.Sprintf("and %d more", more))
	}
	return keys
}
