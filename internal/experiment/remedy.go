package experiment

import (
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Remedy is a change that a finding asks for, to be measured: its arm is the
// baseline with the change laid over it.
type Remedy struct {
	Arm string
	// Rule and Finding say why: the rule's id, and what it found.
	Rule, Finding string
	// at is the change, a merge patch (RFC 7386) of the arm's settings.
	at document
}

// Remedies are in the order of the file.
type Remedies []Remedy

// remedyFields are what stands in a remedy.
type remedyFields struct {
	Rule    string   `yaml:"rule"`
	Finding string   `yaml:"finding"`
	Change  settings `yaml:"change"`
}

// settings is a mapping that an owner of its own decodes.
type settings struct{ node ast.Node }

func (s *settings) fromNode(d *decoder, node ast.Node, path string) {
	if !isMapping(node) {
		d.fail(node, path, "expected the settings of an arm that the remedy changes, for example {cpu: max}, not %s", kindOf(node))
		return
	}
	s.node = node
}

// fromNode reads a mapping of arms' names to remedies.
func (rs *Remedies) fromNode(d *decoder, node ast.Node, path string) {
	if !isMapping(node) {
		d.fail(node, path, "expected remedies, each the name of an arm with its rule and change, not %s", kindOf(node))
		return
	}
	for _, p := range d.pairs(node) {
		var f remedyFields
		at := join(path, p.key)
		d.fields(d.resolve(p.value), reflect.ValueOf(&f).Elem(), at)
		*rs = append(*rs, Remedy{Arm: p.key, Rule: f.Rule, Finding: f.Finding,
			at: document{file: d.file, path: join(at, "change"), node: f.Change.node, anchors: d.anchors}})
	}
}

// Change is the merge patch as YAML on one line: {cpu: max}.
func (r Remedy) Change() string { return (&decoder{document: r.at}).flow(r.at.node, 0) }

// Remedy is the remedy that an arm measures.
func (e *Experiment) Remedy(arm string) (Remedy, bool) {
	for _, r := range e.Remedies {
		if r.Arm == arm {
			return r, true
		}
	}
	return Remedy{}, false
}

// remedies says what of them is impossible.
func (c *checker) remedies() {
	seen := map[string]bool{}
	for _, a := range c.e.Arms {
		_, remedy := c.e.Remedy(a.Name)
		c.want(!seen[a.Name] || !remedy, "remedies."+a.Name, "an arm has this name already; rename the remedy")
		seen[a.Name] = true
	}
	for _, r := range c.e.Remedies {
		field := "remedies." + r.Arm
		c.want(strings.TrimSpace(r.Rule) != "", field, "the rule is missing; add, for example, rule: K-CFS-02")
		c.want(r.at.node != nil, field, "the change is missing; add, for example, change: {cpu: max}")
	}
	c.want(len(c.e.Remedies) == 0 || c.e.Attribute == nil, "remedies", "attribute: and remedies: exclude each other; leave one out")
}
