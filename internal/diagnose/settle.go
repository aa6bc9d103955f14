package diagnose

// This file judges the edits of --fix: they are made in memory, all together, and the rules look at the
// files again. An edit stays only where its finding is gone afterwards, no finding is new, and a second
// run would change nothing. Where all of them together do not pass, they are taken one after the other.

import (
	"cmp"
	"slices"

	"github.com/tarebench/tare/internal/manifest"
)

// Settle is the result with those edits alone that pass. The set is the one that the result is of.
func Settle(set *manifest.Set, facts Facts, rules []Rule, r Result) Result {
	s := settling{set: set, facts: facts, rules: rules, before: r}
	all := s.withEdits()
	r.Findings = slices.Clone(r.Findings)
	defer sayNotMade(r.Findings)
	if len(all) == 0 || s.passes(all) == "" {
		return r
	}
	var kept []int
	for _, i := range all {
		if s.passes(append(slices.Clone(kept), i)) == "" {
			kept = append(kept, i)
		}
	}
	for _, i := range all {
		if slices.Contains(kept, i) {
			continue
		}
		why := s.passes(append(slices.Clone(kept), i))
		r.Findings[i].Edits, r.Findings[i].NotMade = nil, s.refusal(why)
	}
	return r
}

// sayNotMade gives each finding that --fix leaves, and that has no reason of its own, the reason of its kind.
func sayNotMade(findings []Finding) {
	for i := range findings {
		f := &findings[i]
		if f.Found() && len(f.Edits) == 0 && f.NotMade.String() == "" {
			f.NotMade = dependsOn(f.Rule)
		}
	}
}

// Edits are what --fix makes of the files: those of all findings.
func (r Result) Edits() []manifest.Edit {
	var all []manifest.Edit
	for _, f := range r.Findings {
		all = append(all, f.Edits...)
	}
	return all
}

// settling is one result whose edits are judged.
type settling struct {
	set    *manifest.Set
	facts  Facts
	rules  []Rule
	before Result
}

// withEdits are the findings that have edits, by their place in the result.
func (s settling) withEdits() (all []int) {
	for i, f := range s.before.Findings {
		if len(f.Edits) > 0 {
			all = append(all, i)
		}
	}
	return all
}

// What keeps edits from passing, beside the ids of rules.
const (
	unreadableAfter = "unreadable"
	remains         = "remains"
)

// passes is "" where the edits of these findings pass together, or what keeps them from it: the rule of a
// finding that is new, or one of the words above.
func (s settling) passes(these []int) string {
	var edits []manifest.Edit
	for _, i := range these {
		for _, e := range s.before.Findings[i].Edits {
			if !slices.Contains(edits, e) { // databases share a ConfigMap
				edits = append(edits, e)
			}
		}
	}
	set, err := s.set.Reread(edits)
	if err != nil {
		return unreadableAfter
	}
	after := Lint(set, s.facts, s.rules)
	old, now := perSubject(s.before), perSubject(after)
	for _, key := range now.order {
		if now.count[key] > old.count[key] {
			return key.rule
		}
	}
	for _, i := range these {
		f := s.before.Findings[i]
		key := subjectRule{f.Subject, f.Rule}
		fixed := 0
		for _, j := range these {
			if g := s.before.Findings[j]; g.Subject == f.Subject && g.Rule == f.Rule {
				fixed++
			}
		}
		if now.count[key] > old.count[key]-fixed {
			return remains
		}
	}
	return ""
}

// refusal says in words why edits do not pass.
func (s settling) refusal(why string) Phrase {
	switch why {
	case unreadableAfter:
		return term("the file could not be read afterwards, or another change replaces the same text")
	case remains:
		return term("the finding would remain")
	}
	return phrase("it would lead to another finding: `tare explain %s`", why)
}

// subjectRule is a rule's findings of one database.
type subjectRule struct{ subject, rule string }

// tally is findings by database and rule.
type tally struct {
	count map[subjectRule]int
	order []subjectRule
}

func perSubject(r Result) tally {
	c := tally{count: map[subjectRule]int{}}
	for _, f := range r.Findings {
		if !f.Found() {
			continue
		}
		key := subjectRule{f.Subject, f.Rule}
		if c.count[key] == 0 {
			c.order = append(c.order, key)
		}
		c.count[key]++
	}
	slices.SortFunc(c.order, func(a, b subjectRule) int {
		return cmp.Or(cmp.Compare(a.subject, b.subject), cmp.Compare(a.rule, b.rule))
	})
	return c
}
