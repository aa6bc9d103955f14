package experiment

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Problem is one thing wrong with a file, where it is, and the fix.
type Problem struct {
	File    string
	Line    int // from 1; 0 where there is no place in the file
	Column  int // from 1
	Field   string
	Message string
	// Unavailable: what the field names does not answer or is in use. The file may be right.
	Unavailable bool
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

// Unavailable tells whether nothing is known to be wrong with the file.
func (ps Problems) Unavailable() bool {
	return !slices.ContainsFunc(ps, func(p Problem) bool { return !p.Unavailable })
}

// Err is ps in the order of their files, or nil when there are none. Files are in the
// order in which they were first complained of. One mistake in a layer shows in every
// arm that has it, and is said once.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	files := map[string]int{}
	for i, p := range ps {
		if _, seen := files[p.File]; !seen {
			files[p.File] = i
		}
	}
	sort.SliceStable(ps, func(i, j int) bool {
		if ps[i].File != ps[j].File {
			return files[ps[i].File] < files[ps[j].File]
		}
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
	place := a.Line > 0 && a.File == b.File && a.Line == b.Line && a.Column == b.Column
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
		name, items, _ := strings.Cut(key, "[")
		if child := d.child(node, name); child != nil {
			node = child
		}
		if child := d.item(node, items); child != nil {
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

// item is the item of a list at an index as it is in a path, "2]"; nil without one.
func (d document) item(node ast.Node, index string) ast.Node {
	n, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
	if err != nil {
		return nil
	}
	if items := (&decoder{document: d}).oneOrMore(node); n >= 0 && n < len(items) {
		return items[n]
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
