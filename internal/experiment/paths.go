package experiment

// This file makes the paths of an experiment absolute. They are relative to its file; a run is resumed, and a new
// experiment is written, from another directory.

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// PathField is a field of an experiment that is a path.
type PathField struct {
	// Name is the field's, with [] after a list: patches[].path. Of an arm's settings, those of layers, remedies and
	// defaults included, it begins with arms.NAME.
	Name string
	// split divides a value into what stands before a path and the path; ok is false for a value that is no path.
	split func(value string) (before, path string, ok bool)
}

// PathFields are all fields that are paths. Options of the server are not among them: the server reads those, in its
// own file system. Nor is a workload file, whose text is kept with the record.
func PathFields() []PathField {
	return []PathField{
		{"database.image", imagePath}, {"database.rootfs", always}, {"database.oci", always}, {"database.path", withSlash},
		{"data.directory", always}, {"data.from.directory", always}, {"data.from.dump", always}, {"data.from.clone.passwordFile", always}, {"data.from.clone.ca", always},
		{"load.workload", script}, {"load.from.kubeconfig", always}, {"load.from.programs[]", always},
		{"arms.NAME.database.image", imagePath}, {"arms.NAME.database.rootfs", always}, {"arms.NAME.database.oci", always}, {"arms.NAME.database.path", withSlash},
		{"arms.NAME.kubeconfig", always}, {"arms.NAME.manifests[]", always}, {"arms.NAME.patches[].path", always},
		{"arms.NAME.operator", descriptor}, {"arms.NAME.resource", always}, {"arms.NAME.programs[]", always},
		{"arms.NAME.socket", always}, {"arms.NAME.passwordFile", always}, {"arms.NAME.ca", always},
	}
}

func always(value string) (before, path string, ok bool) { return "", value, true }

// imagePath: rootfs:/path and oci:/path are paths in the place of an image.
func imagePath(value string) (before, path string, ok bool) {
	for _, kind := range []string{"rootfs:", "oci:"} {
		if rest, is := strings.CutPrefix(value, kind); is {
			return kind, rest, true
		}
	}
	return "", "", false
}

// withSlash: a name alone is looked up on PATH.
func withSlash(value string) (before, path string, ok bool) {
	return "", value, strings.Contains(value, "/")
}

func script(value string) (before, path string, ok bool) { return "", value, IsScript(value) }

// descriptor: a name alone is a shipped operator's.
func descriptor(value string) (before, path string, ok bool) {
	return "", value, strings.Contains(value, "/") || IsWorkloadFile(value)
}

// ParseIn reads an experiment whose relative paths are those of a directory. They are absolute in what is returned, in
// its text as well. The error is that of [Parse].
func ParseIn(dir, file string, text []byte) (*Experiment, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, Problems{{File: file, Message: fmt.Sprintf("relative paths cannot be followed: %s", err)}}
	}
	root, err := parseYAML(file, text, experimentFile)
	if err != nil {
		return nil, err
	}
	at := document{file: file, node: root, anchors: anchorsOf(root)}
	d := &decoder{document: at}
	text = d.absolute(dir, text)
	e, err := decoded(at, text)
	if len(d.problems) == 0 {
		return e, err
	}
	if more, ok := err.(Problems); ok { //nolint:errorlint // Parse returns nothing else
		d.problems = append(d.problems, more...)
	}
	return e, d.problems.Err()
}

// absolute makes the paths of the document absolute, and returns the text with them.
func (d *decoder) absolute(dir string, text []byte) []byte {
	var edits []edit
	seen := map[ast.Node]bool{} // an anchor's value has several places
	d.eachPath(func(f PathField, node ast.Node, path string) {
		value, ok := scalarText(node)
		if _, null := node.(*ast.NullNode); null { // also written ~
			return
		}
		before, name, is := f.split(value)
		if !ok || !is || seen[node] || name == "" || filepath.IsAbs(name) {
			return
		}
		seen[node] = true
		after := before + filepath.Join(dir, name)
		e, found := scalarIn(text, node)
		s, plain := node.(*ast.StringNode)
		if !found || !plain {
			d.fail(node, path, "expected a path on one line; a path that looks like a number needs quotes")
			return
		}
		s.Value, e.now = after, spelled(after)
		edits = append(edits, e)
	})
	slices.SortFunc(edits, func(a, b edit) int { return b.from - a.from })
	text = bytes.Clone(text)
	for _, e := range edits {
		text = slices.Replace(text, e.from, e.to, []byte(e.now)...)
	}
	return text
}

// eachPath calls visit for every value of a path in the document.
func (d *decoder) eachPath(visit func(f PathField, node ast.Node, path string)) {
	for _, f := range PathFields() {
		d.visited = 0
		setting, ofArm := strings.CutPrefix(f.Name, "arms.NAME.")
		if !ofArm {
			d.walk(d.node, "", strings.Split(f.Name, "."), func(node ast.Node, path string) { visit(f, node, path) })
			continue
		}
		for _, place := range []string{"defaults", "arms.*", "attribute.layers.*", "remedies.*.change"} {
			d.walk(d.node, "", strings.Split(place+"."+setting, "."), func(node ast.Node, path string) { visit(f, node, path) })
		}
	}
}

// PathProblems says a message of every value that is a path, of the experiment and of these arms, which have the paths of
// defaults, layers and remedies. Of says which fields are meant, by their names in [PathFields].
func (e *Experiment) PathProblems(arms []Arm, of func(field string) bool, message string) (all Problems) {
	for _, f := range PathFields() {
		if !of(f.Name) {
			continue
		}
		setting, ofArm := strings.CutPrefix(f.Name, "arms.NAME.")
		places := []document{e.at}
		if ofArm {
			places = nil
			for _, arm := range arms {
				places = append(places, arm.at)
			}
		}
		for _, at := range places {
			d := &decoder{document: at}
			d.walk(at.node, at.path, strings.Split(setting, "."), func(node ast.Node, path string) {
				value, _ := scalarText(node)
				if _, name, is := f.split(value); is && name != "" {
					d.fail(node, path, "%s", message)
				}
			})
			all = append(all, d.problems...)
		}
	}
	return all
}

// walk calls visit for the values of a field, whose name has * for any key and [] after a list.
func (d *decoder) walk(node ast.Node, path string, names []string, visit func(node ast.Node, path string)) {
	if d.visited++; d.visited > maxNodes {
		return // aliases that lead back to themselves; value says so
	}
	if node = d.resolve(node); node == nil {
		return
	}
	if len(names) == 0 {
		visit(node, path)
		return
	}
	name, list := strings.CutSuffix(names[0], "[]")
	for _, p := range d.pairs(node) {
		if name != "*" && p.key != name {
			continue
		}
		at := join(path, p.key)
		if !list {
			d.walk(p.value, at, names[1:], visit)
			continue
		}
		for i, item := range d.oneOrMore(p.value) {
			d.walk(item, fmt.Sprintf("%s[%d]", at, i), names[1:], visit)
		}
	}
}

// edit replaces a part of a text.
type edit struct {
	from, to int
	now      string
}

// scalarIn is where a value of one line stands in the text, its quotes included.
func scalarIn(text []byte, node ast.Node) (e edit, ok bool) {
	tok := node.GetToken()
	line, column := tok.Position.Line, tok.Position.Column
	for ; line > 1; line-- {
		end := bytes.IndexByte(text[e.from:], '\n')
		if end < 0 {
			return edit{}, false
		}
		e.from += end + 1
	}
	for ; column > 1 && e.from < len(text); column-- { // columns are counted in characters
		_, size := utf8.DecodeRune(text[e.from:])
		e.from += size
	}
	rest, _, _ := bytes.Cut(text[e.from:], []byte("\n"))
	n := len(tok.Value)
	switch tok.Type {
	case token.SingleQuoteType:
		n = quotedLength(rest, '\'')
	case token.DoubleQuoteType:
		n = quotedLength(rest, '"')
	default:
		if !bytes.HasPrefix(rest, []byte(tok.Value)) {
			return edit{}, false
		}
	}
	e.to = e.from + n
	return e, n > 0
}

// quotedLength is the length of a quoted value at the beginning of a line; 0 if it does not end on it.
func quotedLength(line []byte, quote byte) int {
	if len(line) == 0 || line[0] != quote {
		return 0
	}
	for i := 1; i < len(line); i++ {
		switch {
		case quote == '"' && line[i] == '\\':
			i++
		case line[i] == quote && quote == '\'' && i+1 < len(line) && line[i+1] == quote:
			i++
		case line[i] == quote:
			return i + 1
		}
	}
	return 0
}
