package diagnose

// This file is the engine: every rule on every database. A rule that crashes
// becomes unknown and stops no other.

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

// Facts are what is known besides the files themselves.
type Facts struct {
	Node *manifest.Set // a node's file: Node, its pods, KubeletConfiguration; nil for none
	// Assumed is what the user says of servers whose files do not tell.
	Assumed manifest.Assumed
	// Named is whether the user has named the release that the options are for: they are to change then, and not it.
	Named bool
}

// Result is what lint says of a set of files.
type Result struct {
	Databases []Summary
	Unread    []NotRead
	Findings  []Finding // errors first, then in the order of the files; of Unknown, one for each rule and database
}

// NotRead is a document that may hold a database and was not read.
type NotRead struct {
	Title, Kind string
	Where       manifest.Spot
	Why         Phrase
}

// Summary is a database in one line.
type Summary struct {
	Title   string
	Where   manifest.Spot
	Says    string // Phrases in English
	Phrases []Phrase
	Memory  *MemoryTaken // nil where it is not known
}

func (s Summary) saying(all []Phrase) Summary {
	s.Says, s.Phrases = Say(all, "en"), all
	return s
}

// Lint runs the rules over all databases of a set.
func Lint(set *manifest.Set, facts Facts, rules []Rule) Result {
	var r Result
	around := surroundings(set, facts)
	for _, db := range set.Databases() {
		c := around
		c.DB = db
		db.Assume(facts.Assumed)
		c.Named = facts.Named && db.Product == facts.Assumed.Product && db.Version == facts.Assumed.Version
		if c.Node != nil {
			gate := c.Kubelet != nil && c.Kubelet.Value.Get("featureGates", "PodLevelResources").IsTrue()
			db.OnKubelet(c.Node.Info("kubeletVersion"), gate)
		}
		r.Databases = append(r.Databases, summary(&c))
		r.Findings = append(r.Findings, c.withOnlyNew(judged(&c, unjudged(&c, rules), Rules()))...)
	}
	for _, u := range set.Unread() {
		r.Unread = append(r.Unread, NotRead{u.Title, u.Kind, u.Where, ofText(u.Why)})
	}
	slices.SortStableFunc(r.Findings, bySeverity(set, facts))
	r.Findings = slices.CompactFunc(r.Findings, func(a, b Finding) bool {
		return a.Verdict != Unknown && a.Rule == b.Rule && a.Where == b.Where && a.Says == b.Says
	})
	return r.inSource(set, facts.Node)
}

// bySeverity orders findings by severity, errors first, and then as the files were given,
// those of the node's file last.
func bySeverity(set *manifest.Set, facts Facts) func(a, b Finding) int {
	order := map[string]int{}
	for _, s := range []*manifest.Set{set, facts.Node} {
		if s == nil {
			continue
		}
		for _, f := range s.Files {
			if _, seen := order[f.Name]; !seen {
				order[f.Name] = len(order)
			}
		}
	}
	rank := map[Severity]int{Error: 0, Warning: 1, Note: 2}
	return func(a, b Finding) int {
		return cmp.Or(cmp.Compare(rank[a.Severity], rank[b.Severity]), cmp.Compare(order[a.Where.File], order[b.Where.File]),
			cmp.Compare(a.Where.Line, b.Where.Line), cmp.Compare(a.Where.Column, b.Where.Column))
	}
}

// surroundings are what all databases of a set share: a Case without one.
func surroundings(set *manifest.Set, facts Facts) Case {
	c := Case{Set: set}
	for _, s := range []*manifest.Set{facts.Node, set} {
		if s == nil {
			continue
		}
		if c.Node == nil {
			c.Node = manifest.NodeOf(s)
		}
		if c.Kubelet == nil {
			c.Kubelet = s.Find("KubeletConfiguration", "")
		}
	}
	return c
}

// Crashed is whether a finding says that its rule has crashed.
func Crashed(f Finding) bool {
	return f.Verdict == Unknown && strings.HasPrefix(f.Says, "the rule crashed: ")
}

// run is one rule on one case.
func run(rule Rule, c *Case) (all []Finding) {
	defer func() {
		if crash := recover(); crash != nil {
			all = label(rule, c, list(unknown("the rule crashed: %v", crash)))
		}
	}()
	for _, n := range rule.Needs {
		why, skip := n.missing(c)
		if skip {
			return nil
		}
		if !why.empty() {
			return label(rule, c, list(unknown("%s", why)))
		}
	}
	return label(rule, c, rule.Check(c))
}

// label gives findings what their rule knows.
func label(rule Rule, c *Case, all []Finding) []Finding {
	for i := range all {
		f := &all[i]
		f.Rule, f.Title, f.Subject = rule.ID, rule.Title, c.DB.Title()
		f.Severity = cmp.Or(f.Severity, rule.Severity)
		if f.Verdict == Confirmed || f.Verdict == Hint {
			if !f.idle {
				f.Impact = cmp.Or(f.Impact, rule.Impact)
			}
		}
		if f.Where.File == "" {
			f.Where = c.object()
		}
	}
	return all
}

func summary(c *Case) Summary {
	server := term("a server")
	if product := string(c.DB.Product); product != "" {
		server = verbatim(product)
	}
	switch {
	case c.DB.Version.Known():
		server = phrase("%s %s", server, c.DB.Version.Series())
	case c.DB.Tag != "":
		server = phrase("%s of unknown version (the tag %s moves)", server, c.DB.Tag)
	default:
		server = phrase("%s of unknown version", server)
	}
	says := []Phrase{server}
	if c.DB.Pod != nil {
		says = []Phrase{phrase("QoS %s, %s, %s; %s", string(c.DB.Pod.QoS()), amounts(c, "cpu", manifest.CPUs), amounts(c, "memory", manifest.Size), server)}
	}
	if size, from, ok := c.DB.BufferPool(); ok {
		says = append(says, phrase("; buffer pool %s, %s", manifest.Size(size), ofText(from)))
	} else {
		says = append(says, term("; buffer pool unknown"))
	}
	taken, why := c.memoryTaken()
	return Summary{Title: c.DB.Title(), Where: c.object(), Memory: taken}.saying(append(says, why...))
}

// amounts are the server's request and limit of a resource.
func amounts(c *Case, name string, write func(int64) string) Phrase {
	r, l := c.DB.Server.Request(name), c.DB.Server.Limit(name)
	if whole := c.DB.Pod.Resources; !r.Set && !l.Set && whole.Exists() {
		r, l = whole.Get("requests", name).Amount(name), whole.Get("limits", name).Amount(name)
		if !r.Set {
			r = l
		}
		name = "pod's " + name
	}
	switch {
	case !r.Set && !l.Set:
		return phrase("no %s", name)
	case r.Value == l.Value:
		return verbatim(name + " " + write(r.Value))
	case !l.Set:
		return phrase("%s request %s, no limit", name, write(r.Value))
	case !r.Set:
		return phrase("%s limit %s", name, write(l.Value))
	}
	return phrase("%s request %s limit %s", name, write(r.Value), write(l.Value))
}
