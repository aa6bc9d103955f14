package experiment

// This file writes a new experiment from one that was read: the same database,
// data, load and protocol with other arms.

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Derived is what differs in an experiment that is made from another.
type Derived struct {
	Name string
	// Opening is the comment at its head, a line each.
	Opening []string
	// Arms are those of the new experiment, the first its baseline; Settings are
	// the target and the rest of an arm as YAML on one line.
	Arms []DerivedArm
	// Remedies are measured against the baseline.
	Remedies []DerivedRemedy
	// Rounds are the minimum; more stay as they are.
	Rounds int
}

// DerivedArm is an arm of a new experiment.
type DerivedArm struct{ Name, Settings string }

// DerivedRemedy is a remedy of a new experiment; Change is YAML on one line.
type DerivedRemedy struct{ Arm, Rule, Finding, Change string }

// Derive is the text of the new experiment. It can be read.
func (e *Experiment) Derive(n Derived) ([]byte, error) {
	if len(n.Arms) == 0 {
		return nil, errors.New("derive experiment: it has no arm")
	}
	var b strings.Builder
	for _, line := range n.Opening {
		fmt.Fprintf(&b, "# %s\n", line)
	}
	d := &decoder{document: e.at}
	for _, p := range d.pairs(e.at.node) {
		switch p.key {
		case "baseline", "defaults", "arms", "attribute", "remedies", "hypotheses": // arms have the defaults in them; the others name arms
		case "protocol":
			fmt.Fprintf(&b, "protocol: %s\n", d.flow(d.atLeast(p.value, e.Protocol.Rounds, n.Rounds), 0))
		case "metadata":
			fmt.Fprintf(&b, "metadata: {name: %s}\n", spelled(n.Name))
		default:
			fmt.Fprintf(&b, "%s: %s\n", p.key, d.flow(p.value, 0))
		}
	}
	if err := n.write(&b); err != nil {
		return nil, fmt.Errorf("derive experiment: %w", err)
	}
	text := []byte(b.String())
	if _, err := Parse(n.Name, text); err != nil {
		return nil, fmt.Errorf("derive experiment: %w", err)
	}
	return text, nil
}

// atLeast is a protocol with that many rounds.
func (d *decoder) atLeast(protocol ast.Node, have Rounds, want int) ast.Node {
	if have.Max >= want {
		return protocol
	}
	return d.withRounds(protocol, want)
}

// withRounds is a protocol with a number of rounds.
func (d *decoder) withRounds(protocol ast.Node, want int) ast.Node {
	patch, err := parseYAML("rounds", fmt.Appendf(nil, "{rounds: %d}", want), experimentFile)
	if err != nil {
		panic(err) // a number alone stands in it
	}
	return d.merge(d.resolve(protocol), patch)
}

// write writes the arms, and what is measured against the first of them.
func (n Derived) write(b *strings.Builder) error {
	fmt.Fprintf(b, "baseline: %s\narms:\n", spelled(n.Arms[0].Name))
	for _, a := range n.Arms {
		settings, err := OneLine(a.Settings)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "  %s: %s\n", spelled(a.Name), settings)
	}
	if len(n.Remedies) > 0 {
		b.WriteString("remedies:\n")
	}
	for _, r := range n.Remedies {
		change, err := OneLine(r.Change)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "  %s:\n    rule: %s\n    finding: %s\n    change: %s\n", spelled(r.Arm), spelled(r.Rule), spelled(r.Finding), change)
	}
	return nil
}

// Has is whether the arm has a setting of that name.
func (a Arm) Has(field string) bool { return a.at.child(a.at.node, field) != nil }

// NamesNode is whether the arm says on which node of a cluster its server runs, by name or by labels.
func (a Arm) NamesNode() bool { return a.Has("node") || a.Has("nodeSelector") }

// Setting is one setting of the arm as YAML on one line, and whether the file gives it.
func (a Arm) Setting(field string) (text string, given bool) {
	node := a.at.child(a.at.node, field)
	if node == nil {
		return "", false
	}
	return (&decoder{document: a.at}).flow(node, 0), true
}

// Settings are the arm's target and settings as YAML on one line.
func (a Arm) Settings() string { return (&decoder{document: a.at}).flow(a.at.node, 0) }

// Same is whether the arm has exactly these settings, YAML on one line, in
// whichever order.
func (a Arm) Same(settings string) bool {
	node, err := parseYAML("settings", []byte(settings), experimentFile)
	if err != nil {
		return false
	}
	d := &decoder{document: document{node: node}}
	return a.sorted(a.at.node) == (Arm{at: d.document}).sorted(node)
}

// Canonical are the arm's settings in a form that two arms share if and only if they have
// the same settings.
func (a Arm) Canonical() string { return a.sorted(a.at.node) }

// SameBut is whether two arms have the same settings but for some fields: config.innodb_buffer_pool_size is one
// within another.
func (a Arm) SameBut(b Arm, fields []string) bool {
	for _, f := range fields {
		path := strings.Split(f, ".")
		without := "null"
		for _, name := range slices.Backward(path) {
			without = "{" + spelled(name) + ": " + without + "}"
		}
		patch, err := parseYAML("fields", []byte(without), experimentFile)
		if err != nil {
			return false
		}
		a, b = a.laid(patch), b.laid(patch)
	}
	return a.Canonical() == b.Canonical()
}

// SameIn is whether two arms have the same settings in some fields, or none there.
func (a Arm) SameIn(b Arm, fields []string) bool {
	for _, f := range fields {
		if a.sorted(a.at.child(a.at.node, f)) != b.sorted(b.at.child(b.at.node, f)) {
			return false
		}
	}
	return true
}

func (a Arm) laid(patch ast.Node) Arm {
	d := &decoder{document: a.at}
	a.at.node = d.merge(d.resolve(a.at.node), patch)
	return a
}

// ChangeTo is the merge patch (RFC 7386) that makes the settings of b of those of a, as YAML on one line.
func (a Arm) ChangeTo(b Arm) string {
	d, of := &decoder{document: a.at}, &decoder{document: b.at}
	return d.changed(d.resolve(a.at.node), of, of.resolve(b.at.node))
}

// LayersTo are the settings in which b differs from a, each as a layer of an attribution: "address: {address: service}". A
// server option is one of its own; the requests and limits of a pod are one together, as not every part of them makes a pod.
// What is no layer is left out: a neighbour, a price, and another target.
func (a Arm) LayersTo(b Arm) (layers []string) {
	d, of := &decoder{document: a.at}, &decoder{document: b.at}
	var quota []string
	for _, c := range d.changes(d.resolve(a.at.node), of, of.resolve(b.at.node)) {
		switch name, _, _ := strings.Cut(c, ":"); name {
		case "neighbour", "price", "target":
		case "qos", "cpu", "memory", "cpuRequest", "memoryRequest":
			quota = append(quota, c)
		case "config":
			was, is := d.resolve(d.child(a.at.node, name)), of.resolve(of.child(b.at.node, name))
			for _, option := range d.changes(was, of, is) {
				key, _, _ := strings.Cut(option, ":")
				layers = append(layers, layerName(key)+": {config: {"+option+"}}")
			}
		default:
			layers = append(layers, layerName(name)+": {"+c+"}")
		}
	}
	if len(quota) > 0 {
		layers = append(layers, "quota: {"+strings.Join(quota, ", ")+"}")
	}
	return layers
}

// layerName is the name of a setting as a layer can have it: lower-case letters, digits and dashes, at most 40.
func layerName(setting string) string {
	name := strings.ReplaceAll(strings.ToLower(setting), "_", "-")
	return name[:min(len(name), 40)]
}

func (d *decoder) changed(from ast.Node, other *decoder, to ast.Node) string {
	return "{" + strings.Join(d.changes(from, other, to), ", ") + "}"
}

// changes are the entries of the merge patch from one mapping to the other.
func (d *decoder) changes(from ast.Node, other *decoder, to ast.Node) (parts []string) {
	for _, p := range other.pairs(to) {
		was, is := d.resolve(d.child(from, p.key)), other.resolve(p.value)
		switch {
		case was != nil && d.flow(was, 0) == other.flow(is, 0):
		case was != nil && isMapping(was) && isMapping(is):
			parts = append(parts, spelled(p.key)+": "+d.changed(was, other, is))
		default:
			parts = append(parts, spelled(p.key)+": "+other.flow(is, 0))
		}
	}
	for _, p := range d.pairs(from) {
		if other.child(to, p.key) == nil {
			parts = append(parts, spelled(p.key)+": null")
		}
	}
	return parts
}

// sorted is a node on one line with the keys of mappings in order, and without
// those that are null.
func (a Arm) sorted(node ast.Node) string {
	d := &decoder{document: a.at}
	node = d.resolve(node)
	if node == nil || !isMapping(node) {
		return d.flow(node, 0)
	}
	var parts []string
	for _, p := range d.pairs(node) {
		if value := a.sorted(p.value); value != "null" {
			parts = append(parts, spelled(p.key)+": "+value)
		}
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ", ") + "}"
}

// Laid is the arm's settings with a merge patch (RFC 7386) laid over them; both
// are YAML on one line.
func (a Arm) Laid(change string) (string, error) {
	patch, err := parseYAML("change", []byte(change), experimentFile)
	if err != nil {
		return "", fmt.Errorf("read change: %w", err)
	}
	d := &decoder{document: a.at}
	return d.flow(d.merge(d.resolve(a.at.node), patch), 0), nil
}

// OneLine is YAML on one line as this package writes it: two texts that mean the
// same settings, in the same order, are then equal.
func OneLine(text string) (string, error) {
	node, err := parseYAML("text", []byte(text), experimentFile)
	if err != nil {
		return "", err
	}
	return (&decoder{document: document{node: node, anchors: anchorsOf(node)}}).flow(node, 0), nil
}

// flow is a node on one line, with aliases and merge keys written out and every
// scalar as it was written: 1G stays 1G.
func (d *decoder) flow(node ast.Node, depth int) string {
	if d.visited++; d.visited > maxNodes || depth > maxDepth {
		return "null" // aliases that stand for more than a file holds; Parse refused them
	}
	node = d.resolve(node)
	var parts []string
	switch n := node.(type) {
	case nil:
		return "null"
	case *ast.MappingNode, *ast.MappingValueNode:
		for _, p := range d.pairs(node) {
			parts = append(parts, spelled(p.key)+": "+d.flow(p.value, depth+1))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case *ast.SequenceNode:
		for _, v := range n.Values {
			parts = append(parts, d.flow(v, depth+1))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *ast.NullNode:
		return "null"
	}
	text, _ := scalarText(node)
	return spelled(text)
}

// plainScalar needs no quotes anywhere, and is no other type's word. Numbers need
// none: this package reads every scalar as it is written.
var plainScalar = regexp.MustCompile(`^[A-Za-z0-9./+-]([A-Za-z0-9_./+%-]*[A-Za-z0-9_/%])?$`)

// spelled is a scalar in flow style: JSON's strings are YAML's.
func spelled(s string) string {
	if plainScalar.MatchString(s) && s != "null" && !strings.HasPrefix(s, "-") {
		return s
	}
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(b)
}
