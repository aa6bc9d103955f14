package manifest

// This file splits YAML into documents and objects: each document is read by
// itself, so that one that is broken (or still a template) does not hide the
// others, and memory is bounded by the largest.

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// optionFile is the Kind of an Object that is a my.cnf by itself.
const optionFile = "my.cnf"

const (
	maxObjects = 10000 // of a file
	maxNesting = 4     // Lists within Lists
)

// Object is one Kubernetes object, or an option file by itself.
type Object struct {
	APIVersion, Kind, Name, Namespace string
	Value                             Value
	file                              *File
	options                           Config // of an option file
}

// Title is how findings call the object.
func (o *Object) Title() string {
	if o.Kind == optionFile {
		return o.Name
	}
	return o.Kind + " " + o.Name
}

// group is the API group, "" for the core.
func (o *Object) group() string {
	g, _, ok := strings.Cut(o.APIVersion, "/")
	if !ok {
		return ""
	}
	return g
}

var documentMark = regexp.MustCompile(`(?m)^---([ \t].*)?\r?$`)

// readYAML reads the documents of a file. By the YAML specification (9.1.2) three
// hyphens at the start of a line end a document whatever is open, also a block
// scalar, so that splitting the text is exact.
func readYAML(f *File) (objects []*Object, problems []Problem) {
	text := bytes.TrimPrefix(f.Text, []byte("\ufeff"))
	at := len(f.Text) - len(text)
	var starts []int
	for _, m := range documentMark.FindAllIndex(f.Text, -1) {
		starts = append(starts, m[0])
	}
	for _, next := range append(starts, len(f.Text)) {
		if len(objects) >= maxObjects {
			p := f.spot(at, 0)
			return objects, append(problems, Problem{f.Name, p.Line, p.Column, fmt.Sprintf("more than %d objects; the rest is not read", maxObjects)})
		}
		if next > at {
			found, problem := readDocument(f, at, next, len(objects))
			objects = append(objects, found...)
			if problem != nil {
				problems = append(problems, *problem)
			}
		}
		at = next
	}
	return objects, problems
}

// readDocument reads the bytes from..to, which may begin with the mark.
func readDocument(f *File, from, to, already int) ([]*Object, *Problem) {
	before := f.spot(from, 0).Line - 1
	var root yaml.Node
	if err := decode(f.Text[from:to], &root); err != nil {
		return nil, syntaxProblem(f, err, before)
	}
	if root.Kind == 0 {
		return nil, nil
	}
	shift(&root, before)
	body := Value{file: f, node: root.Content[0], near: root.Content[0]}
	if body.node.Kind != yaml.MappingNode { // YAML, but nothing of Kubernetes
		return nil, nil
	}
	if kind := body.Get("kind"); kind.IsMap() || kind.IsList() { // {{ }} is YAML of a kind
		s := kind.Spot()
		return nil, &Problem{f.Name, s.Line, s.Column, "kind is not a word; render templates first: `helm template CHART | tare lint -`"}
	}
	return expand(f, body, 0, already), nil
}

// decode is yaml.Unmarshal that survives what the library does not: fuzzing it
// upstream has found panics before.
func decode(text []byte, into *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("the YAML parser failed")
		}
	}()
	err = yaml.NewDecoder(bytes.NewReader(text)).Decode(into)
	if err != nil && err.Error() == "EOF" {
		return nil
	}
	return err
}

func shift(n *yaml.Node, lines int) {
	n.Line += lines
	for _, c := range n.Content {
		shift(c, lines)
	}
}

var lineOfError = regexp.MustCompile(`line (\d+): `)

func syntaxProblem(f *File, err error, before int) *Problem {
	message, line := strings.TrimPrefix(err.Error(), "yaml: "), before+1
	if m := lineOfError.FindStringSubmatch(message); m != nil {
		n, _ := strconv.Atoi(m[1])
		line, message = before+n, strings.Replace(message, m[0], "", 1)
	}
	message = "not YAML: " + message
	if bytes.Contains(f.Text, []byte("{{")) {
		message += "; this looks like a template: render it first, `helm template CHART | tare lint -`"
	}
	return &Problem{f.Name, min(line, len(f.lines)), 1, message}
}

// expand is the object, or the items of a List (kubectl get -o yaml).
func expand(f *File, v Value, depth, already int) []*Object {
	kind := v.Get("kind").Text()
	items := v.Get("items")
	if strings.HasSuffix(kind, "List") && items.IsList() && depth < maxNesting {
		var all []*Object
		for _, item := range items.Items() {
			if already+len(all) >= maxObjects {
				break
			}
			all = append(all, expand(f, item, depth+1, already+len(all))...)
		}
		return all
	}
	return []*Object{{
		APIVersion: v.Get("apiVersion").Text(), Kind: kind,
		Name: v.Get("metadata", "name").Text(), Namespace: v.Get("metadata", "namespace").Text(),
		Value: v, file: f,
	}}
}

// Find is the first object of a kind and name; any name where it is "".
func (s *Set) Find(kind, name string) *Object {
	for _, o := range s.Objects {
		if o.Kind == kind && (name == "" || o.Name == name) {
			return o
		}
	}
	return nil
}

// MayBeIn is whether the object is in a namespace: in the one that is named, or where either of the
// two has no name, because it is then that of whoever applies the file.
func (o *Object) MayBeIn(namespace string) bool {
	return o.Namespace == namespace || o.Namespace == "" || namespace == ""
}

// FindIn is the object of a kind and name that an object of a namespace refers to: the one of
// that namespace, or else one that may be in it.
func (s *Set) FindIn(kind, name, namespace string) *Object {
	var near *Object
	for _, o := range s.All(kind) {
		switch {
		case name == "" || o.Name != name:
		case o.Namespace == namespace:
			return o
		case near == nil && o.MayBeIn(namespace):
			near = o
		}
	}
	return near
}

// All are the objects of a kind.
func (s *Set) All(kind string) []*Object {
	var all []*Object
	for _, o := range s.Objects {
		if o.Kind == kind {
			all = append(all, o)
		}
	}
	return all
}
