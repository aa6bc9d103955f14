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
	// last is whether it is proposed only where no other way passes.
	last bool
	// grace is whether terminationGracePeriodSeconds is to be raised as well, for a buffer pool that has become large.
	grace bool
	// names are rules that the way leads to and whose findings it names, because no value here removes them.
	names []string
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

// inPlaceOf is the way, which sets one option, with others that go: the first of them has the one's place in the file.
func (w way) inPlaceOf(names ...string) way {
	w.change.Without = names
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
	both := way{says: says, certain: w.certain, grace: w.grace, change: manifest.Change{Options: map[string]string{}, Resources: map[string]string{}}}
	for _, one := range []way{w, other} {
		maps.Copy(both.change.Options, one.change.Options)
		maps.Copy(both.change.Resources, one.change.Resources)
	}
	return both
}

// judged are the findings of a database with those ways that pass by these rules.
func judged(c *Case, all []Finding, rules []Rule) []Finding {
	judge := func(f Finding) bool { return len(f.ways) > 0 || !f.nothing.empty() }
	if !slices.ContainsFunc(all, judge) {
		return all
	}
	before := grave(unjudged(c, rules))
	for i, f := range all {
		if !judge(f) {
			continue
		}
		var passed []way
		for _, w := range f.ways {
			if w, ok := w.completed(c, f.Rule, rules, before); ok {
				passed = append(passed, w)
			}
		}
		if best := slices.DeleteFunc(slices.Clone(passed), func(w way) bool { return w.last }); len(best) > 0 {
			passed = best
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

// grave counts findings by rule, and errors besides: a finding that becomes an error is a new one.
func grave(all []Finding) map[string]int {
	n := map[string]int{}
	for _, f := range all {
		if f.Found() {
			n[f.Rule]++
			if f.Severity == Error {
				n[f.Rule+" error"]++
			}
		}
	}
	return n
}

// completed is the way with what has to change together with it, and whether it then removes a finding of the
// rule and brings none that is not there before, or that becomes an error.
func (w way) completed(c *Case, rule string, rules []Rule, before map[string]int) (way, bool) {
	const steps = 3
	for range steps {
		changed := *c
		changed.DB = c.DB.With(w.change)
		if !changed.valid() && c.valid() {
			return w, false
		}
		after := grave(unjudged(&changed, rules))
		if after[rule] >= before[rule] {
			return w, false
		}
		var new []string
		for _, key := range slices.Sorted(maps.Keys(after)) {
			if key, _, _ = strings.Cut(key, " "); after[key] > before[key] && !slices.Contains(new, key) || after[key+" error"] > before[key+" error"] && !slices.Contains(new, key) {
				new = append(new, key)
			}
		}
		if w.grace {
			new = slices.DeleteFunc(new, func(id string) bool { return id == "K-OPS-05" })
		}
		// The redo log is as small as it was: of servers below 1 GiB the rule says nothing.
		small := func(id string) bool { return id == "M-REDO-01" && len(w.change.Resources) > 0 }
		new = slices.DeleteFunc(new, func(id string) bool { return slices.Contains(w.names, id) || small(id) })
		if len(new) == 0 {
			return w, true
		}
		if !w.extend(&changed, new[0]) {
			return w, false
		}
	}
	return w, false
}

// valid is whether the API server accepts the server's container: no request is above its limit.
func (c *Case) valid() bool {
	if c.DB.Pod == nil {
		return true
	}
	for _, name := range []string{"cpu", "memory"} {
		if r, l := c.DB.Server.Request(name), c.DB.Server.Limit(name); r.Set && l.Set && r.Value > l.Value {
			return false
		}
	}
	return true
}

// extend adds to the way what removes a finding of another rule that it brings; false where that is none of its
// business. A memory limit asks for a buffer pool, and a large buffer pool for time to flush it.
func (w *way) extend(changed *Case, rule string) bool {
	switch {
	case rule == "K-OPS-05" && !w.grace:
		w.grace = true
		w.says = phrase("%s, together with terminationGracePeriodSeconds: 600", w.says)
		return true
	case (rule == "K-QOS-03" || rule == "K-CPU-02") && !slices.Contains(w.names, rule):
		w.names = append(w.names, rule)
		w.says = map[string]Phrase{
			"K-QOS-03": phrase("%s; the pod is Guaranteed once its other containers have equal requests and limits as well (K-QOS-03)", w.says),
			"K-CPU-02": phrase("%s; exclusive CPUs need a whole number besides (K-CPU-02)", w.says),
		}[rule]
		return true
	case rule == "K-MEM-11" && w.change.Resources["requests.memory"] == "": // a larger buffer pool than the request
		limit := changed.DB.Server.Limit("memory")
		if !limit.Positive() {
			return false
		}
		*w = w.with(resources(Phrase{}, "requests.memory", limit.At.Text()), phrase("%s, together with requests.memory: %s", w.says, limit.At.Text()))
		return true
	case rule == "M-BP-01" && w.change.Options["innodb_buffer_pool_size"] == "":
		limit, _ := changed.DB.MemoryLimit()
		s, _ := changed.memoryOf()
		size := pool(s, limit)
		if size < chunk {
			return false
		}
		w.pool(size)
		return true
	}
	return false
}

// pool adds a buffer pool to the way.
func (w *way) pool(size int64) {
	options := maps.Clone(w.change.Options)
	if options == nil {
		options = map[string]string{}
	}
	options["innodb_buffer_pool_size"] = manifest.MySize(size)
	w.change.Options = options
	w.says = phrase("%s, together with innodb_buffer_pool_size=%s, which fits into that limit", w.says, manifest.MySize(size))
}

// withOnlyNew adds to the fixes of fields that the operator reads once that they do not reach a cluster which exists.
func (c *Case) withOnlyNew(all []Finding) []Finding {
	if len(c.DB.OnlyNew) == 0 {
		return all
	}
	for i, f := range all {
		path := c.DB.OnlyNew[0]
		if f.Found() && f.Fix != "" && (strings.Contains(f.Fix, path) || strings.Contains(f.Fix, "limits.") || strings.Contains(f.Fix, "requests.")) {
			all[i] = f.fix("%s; %s does not bring changes of %s to a cluster that exists: change its StatefulSet as well", f.FixPhrase, c.DB.Operator, path)
		}
	}
	return all
}

// settle writes the fix of a finding from the ways that have passed.
func (f Finding) settle(c *Case, passed []way) Finding {
	nothing := f.nothing
	f.ways, f.nothing = nil, Phrase{}
	if len(passed) == 0 {
		return f.fix("%s", nothing)
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
	for _, name := range w.change.Without {
		config = append(config, name+": null")
	}
	f.Change = "{config: {" + strings.Join(config, ", ") + "}}"
	if len(w.change.Without) > 0 {
		return f.replacing(c, w)
	}
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
		} else if len(names) > 1 {
			return f // all of them together, or none
		}
	}
	if w.grace {
		more, err := c.DB.Pod.Spec.Patch("{terminationGracePeriodSeconds: 600}")
		if err != nil {
			f.NotMade = term("terminationGracePeriodSeconds would have to change with it, and cannot be written in place")
			return f
		}
		edits = append(edits, more...)
	}
	if len(below) == 0 && w.certain {
		f.Edits = append(f.Edits, edits...)
		return f
	}
	f.Proposed = append(append(f.Proposed, edits...), below...)
	return f
}

// replacing is the edits of a way that sets one option in the place of others.
func (f Finding) replacing(c *Case, w way) Finding {
	var edits []manifest.Edit
	for i, old := range w.change.Without {
		o, _ := c.DB.Option(old)
		e, ok := manifest.Edit{}, false
		if i > 0 {
			e, ok = c.Set.Line(o, "")
		}
		for name, value := range w.change.Options {
			if i == 0 {
				e, ok = c.Set.Renamed(o, name, value)
			}
		}
		if !ok {
			f.NotMade = term("the option is not a line of its own: write the change as the fix says")
			return f
		}
		edits = append(edits, e)
	}
	f.Edits = append(f.Edits, edits...)
	return f
}
