package experiment

// This file changes an experiment as the command line asks: what was used is then in its text.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Setting is a setting of an arm with its value.
type Setting struct{ Name, Value string }

// WithRounds is the experiment with a fixed number of rounds. The error is that of [Parse].
func (e *Experiment) WithRounds(n int) (*Experiment, error) {
	return e.withProtocol("rounds", fmt.Sprint(n), fmt.Sprintf("The number of rounds was given on the command line: %d.", n))
}

// WithOthers is the experiment with this limit to what others may use of the machine (protocol.othersCPU). The error
// is that of [Parse].
func (e *Experiment) WithOthers(limit Percent) (*Experiment, error) {
	return e.withProtocol("othersCPU", limit.String(), fmt.Sprintf("What others may use of the CPU time was given on the command line: %s.", limit))
}

// withProtocol is the experiment with another value of a field of its protocol.
func (e *Experiment) withProtocol(field, value, note string) (*Experiment, error) {
	d := &decoder{document: e.at}
	protocol := d.with(d.child(d.node, "protocol"), e.at.node, pair{key: field, value: scalarAt(value, e.at.node)})
	return e.changed(d.with(d.node, d.node, pair{key: "protocol", value: protocol}), note)
}

// NoProtocol says that neither the file nor the command line has a protocol: all of it are the defaults.
func (e *Experiment) NoProtocol() bool {
	d := &decoder{document: e.at}
	return len(d.pairs(d.child(d.node, "protocol"))) == 0
}

// WithSettings is the experiment with settings laid over the chosen arms of the file, and over the pods of
// load.from. Arms that are made of those, by layers and remedies, have them too. The error is that of [Parse].
func (e *Experiment) WithSettings(chosen func(Arm) bool, settings []Setting) (*Experiment, error) {
	d := &decoder{document: e.at}
	arms, root := d.child(d.node, "arms"), d.node
	for _, arm := range e.Arms {
		if body := d.child(arms, arm.Name); body != nil && chosen(arm) {
			arms = d.with(arms, arms, pair{key: arm.Name, value: d.with(body, body, settingPairs(settings, body)...)})
		}
	}
	root = d.with(root, root, pair{key: "arms", value: arms})
	if e.Load.From.Pods() {
		load := d.child(root, "load")
		from := d.child(load, "from")
		from = d.with(from, from, settingPairs(settings, from)...)
		root = d.with(root, root, pair{key: "load", value: d.with(load, load, pair{key: "from", value: from})})
	}
	given := make([]string, len(settings))
	for i, s := range settings {
		given[i] = s.Name + " " + s.Value
	}
	return e.changed(root, "Given on the command line: "+strings.Join(given, ", ")+".")
}

// Setting is one setting of the pods as YAML on one line, and whether the file gives it.
func (f *From) Setting(field string) (text string, given bool) {
	if !f.Pods() {
		return "", false
	}
	return Arm{at: f.at}.Setting(field)
}

func settingPairs(settings []Setting, at ast.Node) (all []pair) {
	for _, s := range settings {
		all = append(all, pair{key: s.Name, value: scalarAt(s.Value, at)})
	}
	return all
}

// changed is the experiment with another root, whose text says what was changed. Places in the
// file stay those that the user wrote.
func (e *Experiment) changed(root ast.Node, note string) (*Experiment, error) {
	at := e.at
	at.node = root
	notes := append(slices.Clone(e.notes), note)
	d, text := &decoder{document: at}, strings.Builder{}
	for _, n := range notes {
		fmt.Fprintf(&text, "# %s\n", strings.ReplaceAll(n, "\n", " "))
	}
	for _, p := range d.pairs(root) {
		fmt.Fprintf(&text, "%s: %s\n", p.key, d.flow(p.value, 0))
	}
	after, err := decoded(at, []byte(text.String()))
	if after == nil || err != nil {
		return after, err
	}
	after.notes, after.WorkloadFile, after.Script = notes, e.WorkloadFile, e.Script
	if _, err := Parse(e.Metadata.Name, after.Source); err != nil {
		return nil, fmt.Errorf("change experiment: %w", err)
	}
	return after, nil
}

// with is a mapping with entries added or replaced. It stands where it stood; one that was not there
// (no node, or null) stands at the node at.
func (d *decoder) with(mapping, at ast.Node, entries ...pair) ast.Node {
	if mapping != nil {
		at = mapping
	}
	all := d.pairs(mapping)
	for _, e := range entries {
		e.at = scalarAt(e.key, at)
		if i := slices.IndexFunc(all, func(have pair) bool { return have.key == e.key }); i >= 0 {
			all[i].value = e.value
			continue
		}
		all = append(all, e)
	}
	made := ast.Mapping(scalarAt("", at).GetToken(), true)
	for _, p := range all {
		if key, ok := p.at.(ast.MapKeyNode); ok {
			made.Values = append(made.Values, ast.MappingValue(p.at.GetToken(), key, p.value))
		}
	}
	return made
}

// scalarAt is a value that stands where another node does.
func scalarAt(text string, at ast.Node) *ast.StringNode {
	line, column := position(at)
	return ast.String(token.New(text, text, &token.Position{Line: line, Column: column}))
}
