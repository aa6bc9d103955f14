package experiment

// This file reads YAML files of other kinds with the strictness, the messages and the
// places of an experiment's: a workload file, for one.

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// File is a decoded file, with what is needed to speak of its fields.
type File struct{ at document }

// Problem says what is wrong with a field of the file, named by its path:
// "transactions.buy.statements[0].sql".
func (f File) Problem(field, format string, args ...any) Problem {
	return f.at.problem(field, format, args...)
}

// DecodeFile decodes a YAML file into v, a pointer to a struct with yaml tags. The problems
// are those of its form; noun ("workload") is what messages call the file, empty is what
// helps someone whose file is empty. ok is false where nothing of the file can be checked
// further.
func DecodeFile(name string, text []byte, noun, empty string, v any) (f File, found Problems, ok bool) {
	root, err := parseYAML(name, text, fileKind{noun: noun, empty: empty})
	if err != nil {
		errors.As(err, &found) // parseYAML returns nothing else
		return File{document{file: name}}, found, false
	}
	d := &decoder{document: document{file: name, node: root, anchors: anchorsOf(root)}}
	d.value(root, reflect.ValueOf(v).Elem(), "")
	return File{d.document}, d.problems, isMapping(d.resolve(root))
}

// NodeReader is a type of another package that reads itself from a node. An empty field
// (null) keeps its default: ReadNode is not called.
type NodeReader interface{ ReadNode(n Node) }

// Node is a value in a file that is being decoded.
type Node struct {
	d    *decoder
	node ast.Node
	path string
}

// Entry is one entry of a mapping.
type Entry struct {
	Key   string
	At    Node // where the key is
	Value Node
}

// Path names the field: "transactions.buy.statements[0].sql".
func (n Node) Path() string { return n.path }

// Fail notes a problem of the node.
func (n Node) Fail(format string, args ...any) { n.d.fail(n.node, n.path, format, args...) }

// Kind says in words what the node is: text, a list, fields, one value.
func (n Node) Kind() string { return kindOf(n.d.resolve(n.node)) }

// Decode fills v, a pointer, from the node.
func (n Node) Decode(v any) { n.d.value(n.node, reflect.ValueOf(v).Elem(), n.path) }

// Fields fills v, a pointer to a struct, by its yaml tags, also where v reads itself: a
// type with a short form calls it for the long one.
func (n Node) Fields(v any) { n.d.fields(n.node, reflect.ValueOf(v).Elem(), n.path) }

// Entries are the entries of a mapping in the order of the file; ok is false where the
// node is none.
func (n Node) Entries() (all []Entry, ok bool) {
	node := n.d.resolve(n.node)
	if node == nil || !isMapping(node) {
		return nil, false
	}
	for _, p := range n.d.pairs(node) {
		path := join(n.path, p.key)
		all = append(all, Entry{Key: p.key, At: Node{n.d, p.at, path}, Value: Node{n.d, p.value, path}})
	}
	return all, true
}

// Items are the items of a list, or the node itself where it is none.
func (n Node) Items() (all []Node) {
	for i, item := range n.d.oneOrMore(n.node) {
		all = append(all, Node{n.d, item, fmt.Sprintf("%s[%d]", n.path, i)})
	}
	return all
}

// IsList says that the node is a list.
func (n Node) IsList() bool {
	_, ok := n.d.resolve(n.node).(*ast.SequenceNode)
	return ok
}

// Scalar is one value as it is written, without its quotes; quoted says that it is text
// although it may look like a number, null that it is YAML's null.
func (n Node) Scalar() (text string, quoted, null, ok bool) {
	node := n.d.resolve(n.node)
	switch node.(type) {
	case *ast.NullNode:
		return "", false, true, true
	case *ast.StringNode, *ast.LiteralNode:
		quoted = true
	}
	if node == nil {
		return "", false, false, false
	}
	text, ok = scalarText(node)
	return text, quoted, false, ok
}

// Suggest says what could have been meant by a name: the nearest of those known, or all.
func Suggest(got string, known []string) string { return suggest(got, known) }

// IsScript says that load.workload is the path of a Lua script of sysbench's rather than a
// name, which never has a slash or ends in .lua.
func IsScript(workload string) bool {
	return !IsWorkloadFile(workload) && (strings.Contains(workload, "/") || strings.HasSuffix(workload, ".lua"))
}

// Name is what reports call the load: of a script the name of its file.
func (l Load) Name() string {
	if IsScript(l.Workload) {
		return filepath.Base(l.Workload)
	}
	return l.Workload
}

// IsWorkloadFile says that load.workload is the path of a workload file, rather than a name
// or the path of a script of sysbench's.
func IsWorkloadFile(workload string) bool {
	return strings.HasSuffix(workload, ".yaml") || strings.HasSuffix(workload, ".yml")
}
