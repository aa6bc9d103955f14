package experiment

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// pair is one entry of a mapping, with merge keys written out.
type pair struct {
	key   string
	at    ast.Node // where the key stands
	value ast.Node
}

// pairs lists the entries of a mapping. An entry written in the mapping itself
// wins over one that a merge key (<<: *base) brings in.
func (d *decoder) pairs(node ast.Node) []pair {
	var own, merged []pair
	for _, v := range mappingValues(d.resolve(node)) {
		if _, merge := v.Key.(*ast.MergeKeyNode); merge {
			if d.visited++; d.visited <= maxNodes {
				merged = append(merged, d.pairs(v.Value)...)
			}
			continue
		}
		own = append(own, pair{key: keyText(v.Key), at: v.Key, value: v.Value})
	}
	have := map[string]bool{}
	for _, p := range own {
		have[p.key] = true
	}
	for _, p := range merged {
		if !have[p.key] {
			own = append(own, p)
			have[p.key] = true
		}
	}
	return own
}

func mappingValues(node ast.Node) []*ast.MappingValueNode {
	switch n := node.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

func keyText(key ast.MapKeyNode) string {
	if s, ok := scalarText(key); ok {
		return s
	}
	return key.String()
}

// resolve follows anchors, aliases and tags to the node they stand for. An
// alias that leads back to itself ends as nil.
func (d *decoder) resolve(node ast.Node) ast.Node {
	for range maxDepth {
		switch n := node.(type) {
		case *ast.AnchorNode:
			node = n.Value
		case *ast.AliasNode:
			node = d.anchors[n.Value.GetToken().Value]
		case *ast.TagNode:
			node = n.Value
		default:
			return node
		}
	}
	return nil
}

// oneOrMore are the values of a list, or the node itself where one value stands
// in place of a list.
func (d *decoder) oneOrMore(node ast.Node) []ast.Node {
	if s, ok := d.resolve(node).(*ast.SequenceNode); ok {
		return s.Values
	}
	return []ast.Node{node}
}

// anchorsOf collects the anchors of a file.
func anchorsOf(node ast.Node) map[string]ast.Node {
	found := anchorVisitor{}
	ast.Walk(found, node)
	return found
}

type anchorVisitor map[string]ast.Node

func (v anchorVisitor) Visit(node ast.Node) ast.Visitor {
	if a, ok := node.(*ast.AnchorNode); ok {
		v[a.Name.GetToken().Value] = a.Value
	}
	return v
}

// scalarText is the value as it is written in the file (quotes taken off), so
// that 010 and 1e3 are not turned into something else on the way.
func scalarText(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.MappingKeyNode:
		return scalarText(n.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode, *ast.NullNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func isMapping(node ast.Node) bool {
	switch node.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return true
	}
	return false
}

func kindOf(node ast.Node) string {
	switch node.(type) {
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "fields"
	case *ast.StringNode, *ast.LiteralNode:
		return "text"
	}
	return "one value"
}

func expectedKind(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	}
	return "text"
}

// names are the yaml names of a struct's fields.
func names(t reflect.Type) []string {
	var all []string
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name != "" && name != "-" {
			all = append(all, name)
		}
	}
	return all
}

func fieldByTag(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.NumField() {
		if tag := v.Type().Field(i).Tag.Get("yaml"); tag == name && tag != "" && tag != "-" {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

// suggest says what could have been meant: the field that other words stand for, the nearest name where one is near
// (at most two edits), else all of them.
func suggest(got string, known []string) string {
	if all := meant(got, known); len(all) > 0 {
		return fmt.Sprintf("did you mean %s?", strings.Join(all, ", "))
	}
	best, distance := "", 3
	for _, k := range known {
		if n := edits(strings.ToLower(got), strings.ToLower(k)); n < distance {
			best, distance = k, n
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %s?", best)
	}
	sorted := append([]string(nil), known...)
	sort.Strings(sorted)
	return "known here: " + strings.Join(sorted, ", ")
}

// edits is the Levenshtein distance, cut off for long names.
func edits(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
