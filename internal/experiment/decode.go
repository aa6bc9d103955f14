package experiment

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// decoder fills Go values from YAML nodes and collects every problem instead of
// stopping at the first. goccy/go-yaml's own strict decoder stops at the first
// unknown field, and a user who has made three mistakes should be told three.
type decoder struct {
	document
	problems Problems
	visited  int
}

// limits against files made to exhaust the reader: aliases can be nested so
// that a few lines stand for billions of nodes ("billion laughs").
const (
	maxNodes = 100_000
	maxDepth = 64
)

// fromNode is a value that reads itself from a node.
type fromNode interface {
	fromNode(d *decoder, node ast.Node, path string)
}

func (d *decoder) fail(node ast.Node, path, format string, args ...any) {
	line, column := position(node)
	d.problems = append(d.problems, Problem{
		File: d.file, Line: line, Column: column, Field: path, Message: fmt.Sprintf(format, args...),
	})
}

// value decodes node into v, a settable value.
func (d *decoder) value(node ast.Node, v reflect.Value, path string) {
	if d.visited++; d.visited > maxNodes || strings.Count(path, ".") > maxDepth {
		if d.visited <= maxNodes+1 {
			d.fail(node, path, "the file is too large or too deep once its aliases are written out")
		}
		d.visited = maxNodes + 2
		return
	}
	from := node
	node = d.resolve(node)
	if node == nil {
		d.fail(from, path, "the alias refers to nothing, or to itself")
		return
	}
	if _, null := node.(*ast.NullNode); null && path != "" {
		return // an empty field keeps its default
	}
	if f, ok := v.Addr().Interface().(fromNode); ok {
		f.fromNode(d, node, path)
		return
	}
	if f, ok := v.Addr().Interface().(NodeReader); ok {
		f.ReadNode(Node{d: d, node: node, path: path})
		return
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		d.value(node, v.Elem(), path)
		return
	}
	// A struct that reads itself from text can also be written field by field: a
	// preset, or what it stands for.
	whole := v.Kind() == reflect.Struct && isMapping(node)
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok && !whole {
		d.text(node, u, path)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.fields(node, v, path)
	case reflect.Map:
		d.stringMap(node, v, path)
	case reflect.Slice:
		d.list(node, v, path)
	default:
		d.scalar(node, v, path)
	}
}

// fields decodes a mapping into a struct by its yaml tags and reports the rest.
func (d *decoder) fields(node ast.Node, v reflect.Value, path string) {
	if !isMapping(node) {
		d.fail(node, path, "expected fields, not %s; the fields are: %s", kindOf(node), strings.Join(names(v.Type()), ", "))
		return
	}
	for _, pair := range d.pairs(node) {
		field, ok := fieldByTag(v, pair.key)
		if !ok {
			d.fail(pair.at, join(path, pair.key), "unknown field; %s", suggest(pair.key, names(v.Type())))
			continue
		}
		d.value(pair.value, field, join(path, pair.key))
	}
}

// list decodes a sequence; one value alone is a list of one.
func (d *decoder) list(node ast.Node, v reflect.Value, path string) {
	items := []ast.Node{node}
	if s, ok := node.(*ast.SequenceNode); ok {
		items = s.Values
	}
	all := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		d.value(item, all.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
	v.Set(all)
}

func (d *decoder) text(node ast.Node, into encoding.TextUnmarshaler, path string) {
	s, ok := scalarText(node)
	if !ok {
		d.fail(node, path, "expected one value, not %s", kindOf(node))
		return
	}
	if err := into.UnmarshalText([]byte(s)); err != nil {
		d.fail(node, path, "%s", err)
	}
}

// stringMap decodes options: values are kept as they are written, so that
// innodb_buffer_pool_size: 1G and 0x10 reach the server unchanged.
func (d *decoder) stringMap(node ast.Node, v reflect.Value, path string) {
	if !isMapping(node) {
		d.fail(node, path, "expected names with values, not %s", kindOf(node))
		return
	}
	m := map[string]string{}
	for _, pair := range d.pairs(node) {
		s, ok := scalarText(d.resolve(pair.value))
		if !ok {
			d.fail(pair.value, join(path, pair.key), "expected one value, not %s", kindOf(d.resolve(pair.value)))
			continue
		}
		m[pair.key] = s
	}
	v.Set(reflect.ValueOf(m).Convert(v.Type()))
}

func (d *decoder) scalar(node ast.Node, v reflect.Value, path string) {
	s, ok := scalarText(node)
	if !ok {
		d.fail(node, path, "expected %s, not %s", expectedKind(v.Kind()), kindOf(node))
		return
	}
	var err error
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(s)
		v.SetBool(b)
	case reflect.Int, reflect.Int64:
		var n int64
		n, err = strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, v.Type().Bits())
		v.SetInt(n)
	case reflect.Uint64:
		var n uint64
		n, err = strconv.ParseUint(s, 10, 64)
		v.SetUint(n)
	case reflect.Float64:
		var f float64
		f, err = strconv.ParseFloat(s, 64)
		v.SetFloat(f)
	default:
		panic("decode: no rule for " + v.Type().String()) // a mistake in our own types
	}
	if err != nil {
		d.fail(node, path, "expected %s, not %q", expectedKind(v.Kind()), s)
	}
}
