package manifest

// This file is the cursor through YAML: it follows aliases and merge keys a
// bounded number of times, so that a bomb costs no more than any other file.

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	maxAliases = 8
	maxMerges  = 8 // mappings that one `<<` may name
)

// Value is a value of a file, or the place where it would stand. The zero Value
// is nowhere.
type Value struct {
	file *File
	node *yaml.Node // nil: not there
	near *yaml.Node // the closest that is there
	path string
	// shared is whether an anchor makes the value count elsewhere too: it is
	// then not edited, for the other place may mean something else.
	shared bool
}

// Exists is whether the file has the value; an explicit null is none.
func (v Value) Exists() bool {
	n := v.resolved()
	return n != nil && n.Tag != "!!null"
}

// Path is where the value stands in its object: "spec.template.spec".
func (v Value) Path() string { return v.path }

func (v Value) resolved() *yaml.Node {
	n := v.node
	for range maxAliases {
		if n == nil || n.Kind != yaml.AliasNode {
			return n
		}
		n = n.Alias
	}
	return nil
}

// Get is the value below keys, or its place.
func (v Value) Get(keys ...string) Value {
	for _, key := range keys {
		child, merged := lookup(v.resolved(), key, 0)
		shared := v.shared || merged || v.node != nil && (v.node.Kind == yaml.AliasNode || v.node.Anchor != "")
		v = Value{file: v.file, node: child, near: v.near, path: join(v.path, key), shared: shared}
		if child != nil {
			v.near = child
		}
	}
	return v
}

// At is Get by a path with dots; "a[name=b]" steps into the item of a list whose
// name is b.
func (v Value) At(path string) Value {
	for _, step := range strings.Split(path, ".") {
		key, name, listed := strings.Cut(strings.TrimSuffix(step, "]"), "[name=")
		v = v.Get(key)
		if listed {
			v = v.Named(name)
		}
	}
	return v
}

// Named is the item of a list whose name is given.
func (v Value) Named(name string) Value {
	for _, item := range v.Items() {
		if item.Get("name").Text() == name {
			return item
		}
	}
	return Value{file: v.file, near: v.near, path: v.path + "[name=" + name + "]"}
}

// lookup is a key of a mapping. A merge key (`<<`) counts where the mapping
// itself does not have the key, as the API server's reader has it.
func lookup(n *yaml.Node, key string, depth int) (child *yaml.Node, merged bool) {
	if n == nil || n.Kind != yaml.MappingNode || depth > 2 {
		return nil, false
	}
	var merge *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch n.Content[i].Value {
		case key:
			return n.Content[i+1], false
		case "<<":
			merge = Value{node: n.Content[i+1]}.resolved()
		}
	}
	if merge == nil {
		return nil, false
	}
	parts := []*yaml.Node{merge}
	if merge.Kind == yaml.SequenceNode {
		parts = merge.Content[:min(len(merge.Content), maxMerges)]
	}
	for _, part := range parts {
		if found, _ := lookup(Value{node: part}.resolved(), key, depth+1); found != nil {
			return found, true
		}
	}
	return nil, false
}

// IsList is whether the value is a list.
func (v Value) IsList() bool {
	n := v.resolved()
	return n != nil && n.Kind == yaml.SequenceNode
}

// IsMap is whether the value is a mapping.
func (v Value) IsMap() bool {
	n := v.resolved()
	return n != nil && n.Kind == yaml.MappingNode
}

// Items are the elements of a list.
func (v Value) Items() []Value {
	if !v.IsList() {
		return nil
	}
	var all []Value
	for i, c := range v.resolved().Content {
		all = append(all, v.child(c, v.path+"["+strconv.Itoa(i)+"]"))
	}
	return all
}

func (v Value) child(n *yaml.Node, path string) Value {
	shared := v.shared || v.node.Kind == yaml.AliasNode || v.node.Anchor != ""
	return Value{file: v.file, node: n, near: n, path: path, shared: shared}
}

// Field is one key of a mapping.
type Field struct {
	Key string
	Value
}

// Fields are the keys of a mapping in the order of the file.
func (v Value) Fields() []Field {
	if !v.IsMap() {
		return nil
	}
	var all []Field
	content := v.resolved().Content
	for i := 0; i+1 < len(content); i += 2 {
		key := content[i].Value
		all = append(all, Field{key, v.child(content[i+1], join(v.path, key))})
	}
	return all
}

// Text is a scalar as written, without quotes; "" for anything else.
func (v Value) Text() string {
	n := v.resolved()
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return n.Value
}

// Int is a scalar as a whole number; or where the scalar is none.
func (v Value) Int(or int64) int64 {
	n, err := strconv.ParseInt(v.Text(), 10, 64)
	if err != nil {
		return or
	}
	return n
}

// IsTrue is whether the scalar says so in YAML 1.1, which Kubernetes reads.
func (v Value) IsTrue() bool {
	switch strings.ToLower(v.Text()) {
	case "true", "yes", "on", "y":
		return true
	}
	return false
}

// IsFalse is whether the scalar says no in YAML 1.1.
func (v Value) IsFalse() bool {
	switch strings.ToLower(v.Text()) {
	case "false", "no", "off", "n":
		return true
	}
	return false
}

// Spot is the place of the value, or of the closest that is there.
func (v Value) Spot() Spot {
	n := v.node
	if n == nil {
		n = v.near
	}
	if v.file == nil || n == nil {
		return Spot{}
	}
	s := Spot{File: v.file.Name, Line: min(n.Line, len(v.file.lines)), Column: n.Column}
	s.start = max(v.file.offset(n.Line, n.Column), 0)
	s.end = s.start
	switch {
	case v.node == nil:
		return s
	case n.Kind == yaml.AliasNode:
		s.fixed = anchored
		return s
	case n.Kind != yaml.ScalarNode:
		return s
	}
	switch {
	case v.shared || n.Anchor != "":
		s.fixed = anchored
	case v.file.odd:
		s.fixed = v.file.hindrance()
	default:
		if s.start, s.end = written(v.file.Text, s.start, n); s.end == s.start {
			s.fixed = folded
		}
	}
	return s
}

// written is where the characters of a scalar stand, inside its quotes. A scalar
// whose text is not in the file as it reads (escapes, folded lines, block
// scalars) has no such place.
func written(text []byte, at int, n *yaml.Node) (start, end int) {
	after := ""
	if n.Style&yaml.DoubleQuotedStyle != 0 {
		at, after = at+1, `"`
	} else if n.Style&yaml.SingleQuotedStyle != 0 {
		at, after = at+1, "'"
	} else if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return at, at
	}
	// The quote has to follow, and not as one of two that stand for itself: a line break after a blank
	// is folded into one blank, as the text before it reads.
	if whole := n.Value + after; n.Value == "" || after == "'" && strings.Contains(n.Value, after) || !strings.HasPrefix(string(text[min(at, len(text)):min(at+len(whole), len(text))]), whole) {
		return at, at
	}
	return at, at + len(n.Value)
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
