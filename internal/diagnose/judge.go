package diagnose

// This file judges what rules propose before it is printed: the rules look at the database as it
// would be. A change that leaves its own finding, or brings another, is not proposed.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

// way is one way to remove a cause. All of it is written together.
type way struct {
	says   Phrase // what to write, with the values
	change manifest.Change
	// certain is whether --fix may make it, where the files have each value already.
	certain bool
}

// ways gives a finding the ways to remove its cause, the best first. nothing is said where none of
// them passes. What a run measures is the first that passes.
func (f Finding) oneOf(nothing Phrase, all ...way) Finding {
	f.ways, f.nothing = all, nothing
	return f
}

// options is a way that sets options.
func options(says Phrase, certain bool, pairs ...string) way {
	w := way{says: says, certain: certain, change: manifest.Change{Options: map[string]string{}}}
	for i := 0; i+1 < len(pairs); i += 2 {
		w.change.Options[pairs[i]] = pairs[i+1]
	}
	return w
}

// resources is a way that sets amounts of the server's container: "limits.memory", "8Gi".
func resources(says Phrase, pairs ...string) way {
	w := way{says: says, change: manifest.Change{Resources: map[string]string{}}}
	for i := 0; i+1 < len(pairs); i += 2 {
		w.change.Resources[pairs[i]] = pairs[i+1]
	}
	return w
}

// with is a way with another one's values besides.
func (w way) with(other way, says Phrase) way {
	both := way{says: says, change: manifest.Change{Options: map[string]string{}, Resources: map[string]string{}}}
	for _, one := range []way{w, other} {
		maps.Copy(both.change.Options, one.change.Options)
		maps.Copy(both.change.Resources, one.change.Resources)
	}
	return both
}

// judged are the findings of a database with those ways that pass.
func judged(c *Case, all []Finding) []Finding {
	if !slices.ContainsFunc(all, func(f Finding) bool { return len(f.ways) > 0 }) {
		return all
	}
	before := grave(unjudged(c, Rules()))
	for i, f := range all {
		if len(f.ways) == 0 {
			continue
		}
		var passed []way
		for _, w := range f.ways {
			if w.passes(c, f.Rule, before) {
				passed = append(passed, w)
			}
		}
		all[i] = f.settle(c, passed)
	}
	return all
}

// unjudged is what rules say of a case, with what they propose as it is.
func unjudged(c *Case, rules []Rule) []Finding {
	var all []Finding
	for _, rule := range rules {
		if rule.Check != nil {
			all = append(all, run(rule, c)...)
		}
	}
	return all
}

// grave counts findings by rule and severity.
func grave(all []Finding) map[string]int {
	n := map[string]int{}
	for _, f := range all {
		if f.Found() {
			n[f.Rule]++
			n[f.Rule+" "+string(f.Severity)]++
		}
	}
	return n
}

// passes is whether the way removes a finding of the rule, and brings none that is not there before
// or that is graver.
func (w way) passes(c *Case, rule string, before map[string]int) bool {
	changed := *c
	changed.DB = c.DB.With(w.change)
	after := grave(unjudged(&changed, Rules()))
	if after[rule] >= before[rule] {
		return false
	}
	for key, n := range after {
		if n > before[key] && !(strings.HasSuffix(key, " "+string(Note)) && after[strings.TrimSuffix(key, " "+string(Note))] <= before[strings.TrimSuffix(key, " "+string(Note))]) {
			return false
		}
	}
	return true
}

// settle writes the fix of a finding from the ways that have passed.
func (f Finding) settle(c *Case, passed []way) Finding {
	f.ways = nil
	if len(passed) == 0 {
		return f.fix("%s", f.nothing)
	}
	says := passed[0].says
	for _, w := range passed[1:] {
		says = phrase("%s; or %s", says, w.says)
	}
	f = f.fix("%s", says)
	first := passed[0]
	if len(first.change.Resources) == 0 && len(first.change.Options) > 0 {
		f = f.optionsOf(c, first)
	}
	return f
}

// optionsOf are the options of a way: of the arm that measures it, and in the file.
func (f Finding) optionsOf(c *Case, w way) Finding {
	names := slices.Sorted(maps.Keys(w.change.Options))
	var config []string
	for _, name := range names {
		config = append(config, fmt.Sprintf("%s: %q", name, w.change.Options[name]))
	}
	f.Change = "{config: {" + strings.Join(config, ", ") + "}}"
	var edits, below []manifest.Edit
	for _, name := range names {
		if o, ok := c.DB.Option(name); ok {
			if !o.Spot.CanEdit() {
				f.NotMade = notMade(o.Spot)
				return f
			}
			edits = append(edits, manifest.Edit{At: o.Spot, Text: w.change.Options[name]})
		} else if e, ok := c.Set.LineBelow(c.DB.Config.Options, name+"="+w.change.Options[name]); ok {
			below = append(below, e)
		}
	}
	if len(below) == 0 && w.certain {
		f.Edits = append(f.Edits, edits...)
		return f
	}
	f.Proposed = append(append(f.Proposed, edits...), below...)
	return f
}
