package experiment

import (
	"fmt"
	"reflect"

	"github.com/goccy/go-yaml/ast"
)

// From is where the load of all arms comes from. nil leaves that to the arms.
type From struct {
	// Host is this machine, written as `from: host`.
	Host bool
	at   document // the fields of pods; no node where there are none
}

// fromHost is this machine in a file.
const fromHost = "host"

// Pods says that the load comes from pods of a cluster, whose settings [From.Decode] reads.
func (f *From) Pods() bool { return f != nil && f.at.node != nil }

// fromNode reads the word host, or keeps the fields of pods for those who know them.
func (f *From) fromNode(d *decoder, node ast.Node, path string) {
	if isMapping(node) {
		f.at = document{file: d.file, path: path, node: node, anchors: d.anchors}
		return
	}
	if s, ok := scalarText(node); ok && s == fromHost {
		f.Host = true
		return
	}
	d.fail(node, path, "expected host, which is this machine, or the fields of pods: {image: registry.example.com/tare:1, clients: 2}")
}

// Decode fills the settings of the pods; into is a pointer to a struct with yaml tags.
// The error is a Problems with every unknown field and every value that does not fit.
func (f *From) Decode(into any) error {
	if t := reflect.TypeOf(into); t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("decode settings of load.from: expected a pointer to a struct, not %T", into)
	}
	d := &decoder{document: f.at}
	d.fields(f.at.node, reflect.ValueOf(into).Elem(), f.at.path)
	return d.problems.Err()
}

// Has says that a field of the pods is given.
func (f *From) Has(field string) bool { return f.Pods() && f.at.child(f.at.node, field) != nil }

// Problem says what is wrong with a field of the pods, or with all of load.from ("").
func (f *From) Problem(field, format string, args ...any) Problem {
	return f.at.problem(field, format, args...)
}
