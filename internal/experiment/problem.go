package experiment

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Problem is one thing wrong with a file, where it is, and what to write instead.
type Problem struct {
	File    string
	Line    int // from 1; 0 where there is no place in the file
	Column  int // from 1
	Field   string
	Message string
}

// Error is `file:line:column: field: message`, the form editors jump to.
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": ")
	if p.Field != "" {
		b.WriteString(p.Field + ": ")
	}
	return b.String() + p.Message
}

// Problems are all that is wrong with a file, in the order of the file.
type Problems []Problem

// Error is one problem a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Err is ps in the order of the file, or nil when there are none. One mistake in
// a layer shows in every arm that has it, and is said once.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	sort.SliceStable(ps, func(i, j int) bool {
		if ps[i].Line != ps[j].Line {
			return ps[i].Line < ps[j].Line
		}
		return ps[i].Column < ps[j].Column
	})
	return slices.CompactFunc(ps, sameMistake)
}

// sameMistake says that two problems stand at one place and speak of different
// arms: a layer's mistake.
func sameMistake(a, b Problem) bool {
	place := a.Line > 0 && a.Line == b.Line && a.Column == b.Column
	return place && (a.Message == b.Message || a.Field != b.Field && armField(a.Field) && armField(a.Field) == armField(b.Field))
}

// armField says that a field belongs to an arm's settings.
func armField(field string) bool {
	return strings.HasPrefix(field, "arms.") && strings.Count(field, ".") >= 2
}

// document is a node of a parsed file, with what is needed to speak of it.
type document struct {
	file    string
	path    string // of the node: "arms.bare"
	node    ast.Node
	anchors map[string]ast.Node
}

// problem says what is wrong with the field at a path below the document, or
// with the document itself where the field is not there.
func (d document) problem(field, format string, args ...any) Problem {
	node, path := d.node, d.path
	for _, key := range strings.Split(field, ".") {
		if key == "" {
			continue
		}
		path = join(path, key)
		if child := d.child(node, key); child != nil {
			node = child
		}
	}
	p := Problem{File: d.file, Field: path, Message: fmt.Sprintf(format, args...)}
	p.Line, p.Column = position(node)
	return p
}

func (d document) child(node ast.Node, key string) ast.Node {
	for _, pair := range (&decoder{document: d}).pairs(node) {
		if pair.key == key {
			return pair.value
		}
	}
	return nil
}

func position(node ast.Node) (line, column int) {
	if node == nil || node.GetToken() == nil {
		return 0, 0
	}
	if m, ok := node.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		node = m.Values[0].Key
	}
	p := node.GetToken().Position
	return p.Line, p.Column
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Problem says what is wrong with a field of the experiment ("load.threads"),
// found by someone who knows more than the file: the machine, a target.
func (e *Experiment) Problem(field, format string, args ...any) Problem {
	return e.at.problem(field, format, args...)
}

// Problem says what is wrong with a field of the arm ("cpu", or "" for the arm).
func (a Arm) Problem(field, format string, args ...any) Problem {
	return a.at.problem(field, format, args...)
}
