package compare

import (
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/record"
)

// warnings are what a reader must know beside the verdicts.
func warnings(r *record.Run, res *Result) []Reason {
	var w []Reason
	add := func(all ...Reason) { w = append(w, all...) }
	if r.Imported != nil {
		add(reason("imported").name("format", r.Imported.Format))
		add(lacking(r, res)...)
	}
	if n := res.TrialsPlanned - res.TrialsDone; n > 0 && r.Imported == nil {
		add(reason("trials-outstanding").count("n", n).count("of", res.TrialsPlanned).name("dir", r.Dir))
	}
	if n := len(r.Looks); n > 0 {
		add(reason("unsealed").count("n", n).count("trials", r.Looks[n-1].Trials).count("of", res.TrialsPlanned).name("at", r.Looks[n-1].At.Format(time.RFC3339)))
	}
	add(slowerLinks(res.Arms)...)
	if res.Rate > 0 {
		code := "open-loop"
		if len(res.Arms) == 1 {
			code = "open-loop-alone"
		}
		add(reason(code).num("rate", res.Rate))
	}
	if r.Imported == nil && r.Experiment.Load.Limit > 0 {
		add(reason("limited").num("rate", float64(r.Experiment.Load.Limit)))
	}
	add(capacityWarnings(res)...)
	for _, a := range res.Arms {
		name := armName(a, res)
		if o := a.Offered; o != nil && !res.Sealed {
			if said := o.said(&a, res.Rate); said != nil {
				add(*said)
			} else if o.Unsent > 0 {
				add(reason("unsent").part("arm", name).num("n", float64(o.Unsent)).num("of", float64(o.Due)))
			}
		}
		if n := a.count(failed); n > 0 {
			add(reason("trials-failed").count("n", n).part("arm", name).part("why", firstSaid(&a, failed)...))
		}
		if n := a.Outcomes[string(record.ServerLost)]; n > 0 {
			add(reason("trials-lost").count("n", n).count("of", len(a.Trials)).part("arm", name).part("why", firstOutcome(&a, record.ServerLost)...))
		}
		if n := a.count(numberless); n > 0 && len(res.Contrasts) == 0 {
			add(reason("no-number").part("arm", name).part("what", a.without(n, r.Imported == nil).part("why", firstSaid(&a, numberless)...)))
		}
		if at := a.AtRate; at != nil && !res.Sealed {
			if said := at.said(&a, at.Rate); said != nil {
				add(*said)
			}
		}
		if n := partial(a); n > 0 && r.Imported == nil {
			add(reason("no-totals").part("arm", name).count("n", n))
		}
	}
	if keys := undeclared(res); len(keys) > 0 {
		add(reason("undeclared").part("keys", keys...))
	}
	add(twoServers(r, res)...)
	add(twoReleases(r, res)...)
	add(otherPods(r)...)
	add(changedMachine(res)...)
	add(loadPlaces(r)...)
	add(nodeWarnings(res)...)
	add(schedulersNode(r, res)...)
	add(loadNodeWarnings(res)...)
	if arms := unaudited(r); len(arms) > 0 {
		add(reason("variables-not-read").name("arms", arms...))
	}
	add(voidWarnings(r, res)...)
	add(unsteady(res)...)
	add(unswitched(r, res)...)
	if !res.Sealed { // what one arm could not do is its effect
		add(loadErrors(res, warmupOf(r))...)
		add(unwaited(res)...)
	}
	add(differingParts(res)...)
	if n := exploratory(res); n > 0 {
		family := res.Contrasts[0].Family
		add(reason("exploratory").count("n", n).count("enough", EnoughRounds(family)).count("family", family))
	}
	if r.Imported != nil && slices.ContainsFunc(res.Contrasts, func(c Contrast) bool { return c.Interval95 == nil && c.Rounds < 2 }) {
		add(reason("import-more"))
	}
	return w
}

// unsteady says where machine or arms did not hold still.
func unsteady(res *Result) []Reason {
	var w []Reason
	for _, s := range res.Steadiness {
		a := armName(Arm{Name: s.Arm, Threads: s.Threads}, res)
		if s.Flagged {
			w = append(w, reason("drift").part("arm", a).num("size", s.Drift).num("lo", s.Interval.Lo).num("hi", s.Interval.Hi))
		}
		if s.ChangesLevel() {
			w = append(w, reason("level-shift").part("arm", a).count("n", s.Changed).count("of", s.Tested))
		}
	}
	for _, c := range res.CarryOvers {
		if c.Flagged {
			code := "carry-over"
			if c.Turns {
				code = "carry-over-turns"
			}
			w = append(w, reason(code).num("p", c.P))
		}
	}
	return w
}

// twoServers says of each contrast with a server that someone else runs that the
// server differs as well as the place; once, however many levels of the load.
func twoServers(r *record.Run, res *Result) []Reason {
	var all []Reason
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
		told := slices.ContainsFunc(all, func(r Reason) bool { return r.Names["arm"][0] == who && r.Names["other"][0] == other })
		if !told {
			all = append(all, reason("two-servers").name("arm", who).name("other", other).count("n", differing(res, c)))
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
		if read && strings.HasPrefix(d.Key, keys.MySQLVariablePrefix) && value != d.Values[c.Baseline] {
			n++
		}
	}
	return n
}

// armName tells the levels of an arm apart where there are several.
func armName(a Arm, res *Result) Reason {
	for _, other := range res.Arms {
		if other.Threads != a.Threads {
			return reason("arm-at").name("arm", a.Name).count("threads", a.Threads)
		}
	}
	return reason("arm").name("arm", a.Name)
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
		if !slices.ContainsFunc(t.Facts, func(f record.Fact) bool { return strings.HasPrefix(f.Key, keys.MySQLVariablePrefix) }) {
			arms = append(arms, t.Header.Arm)
		}
	}
	return arms
}

// exploratory is the fewest rounds of a comparison that has an interval of too few, or 0. Without an interval its
// reason says so; samples have no rounds for a sign-flip test.
func exploratory(res *Result) int {
	fewest := 0
	for _, c := range res.Contrasts {
		if c.Exploratory && c.Interval95 != nil && !strings.HasPrefix(c.Kind, welchKind) && (fewest == 0 || c.Rounds < fewest) {
			fewest = c.Rounds
		}
	}
	return fewest
}

// undeclared names the differences that do not make a contrast invalid by
// themselves; at most five.
func undeclared(res *Result) []Reason {
	var said []Reason
	more := 0
	for _, d := range res.Differences {
		switch {
		case d.Declared || d.fatal || d.Key == keys.PodNode: // nodeWarnings
		case len(said) < 5:
			said = append(said, reason("key").name("key", d.Key))
		default:
			more++
		}
	}
	if more > 0 {
		said = append(said, reason("and-more").count("n", more))
	}
	return said
}
