package manifest

// This file lays a merge patch over a mapping of a file: a value that stands there
// is replaced, one that does not is written as the mapping's first, and every
// other byte stays.

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Patch are the edits that lay a merge patch (RFC 7386), YAML on one line, over a
// mapping. The error says what cannot be written in place, and where it belongs.
func (v Value) Patch(patch string) ([]Edit, error) {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(patch), &root); err != nil || root.Kind == 0 || root.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("read patch %s: not a mapping on one line", patch)
	}
	return v.lay(root.Content[0])
}

func (v Value) lay(patch *yaml.Node) ([]Edit, error) {
	var all []Edit
	var missing []string // keys with their values, to be written together
	for i := 0; i+1 < len(patch.Content); i += 2 {
		key, to := patch.Content[i].Value, patch.Content[i+1]
		at, null := v.Get(key), to.Tag == "!!null"
		switch {
		case null && at.node == nil:
		case !v.owns(key):
			missing = append(missing, spelled(key, to))
		case to.Kind == yaml.MappingNode && at.IsMap() && !at.shared:
			edits, err := at.lay(to)
			if err != nil {
				return nil, err
			}
			all = append(all, edits...)
		case null && at.Spot().CanEdit():
			all = append(all, Edit{At: at.quoted(), Text: "null"})
		case to.Kind == yaml.ScalarNode && at.Spot().CanEdit():
			all = append(all, Edit{At: at.Spot(), Text: to.Value})
		default:
			return nil, fmt.Errorf("%s: %s cannot be changed in place (an anchor, folded text or a list): write %s there by hand", at.Spot(), at.path, spelled(key, to))
		}
	}
	if len(missing) == 0 {
		return all, nil
	}
	insert, err := v.insert(missing)
	return append(all, insert), err
}

// quoted is the value's place with its quotes: "null" in quotes is a word.
func (v Value) quoted() Spot {
	s := v.Spot()
	if v.node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		s.start, s.end, s.Column = s.start-1, s.end+1, s.Column-1
	}
	return s
}

// owns is whether a mapping has the key itself, and not by a merge key.
func (v Value) owns(key string) bool {
	n := v.node
	for i := 0; n != nil && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return true
		}
	}
	return false
}

// insert writes keys as the first of the mapping: there its style and its
// indentation are certain.
func (v Value) insert(keys []string) (Edit, error) {
	n := v.node
	if n == nil || n.Kind != yaml.MappingNode || v.shared || n.Anchor != "" || v.file.odd {
		return Edit{}, fmt.Errorf("%s: %s cannot be changed in place (it is not there, or an anchor shares it): write %s there by hand", v.Spot(), v.path, strings.Join(keys, ", "))
	}
	eol := "\n"
	if bytes.Contains(v.file.Text, []byte("\r\n")) {
		eol = "\r\n"
	}
	at, between := v.file.offset(n.Line, n.Column), eol+strings.Repeat(" ", n.Column-1)
	if n.Style&yaml.FlowStyle != 0 {
		at, between = at+1, ", "
	}
	text := strings.Join(keys, between)
	if len(n.Content) > 0 {
		text += between
	}
	return Edit{At: v.file.spot(at, 0), Text: text, Insert: true}, nil
}

// spelled is a key with its value on one line, as flow style has it.
func spelled(key string, to *yaml.Node) string {
	flow := *to
	flow.Style |= yaml.FlowStyle
	if to.Kind == yaml.ScalarNode {
		flow.Style = to.Style
	}
	text, err := yaml.Marshal(map[string]*yaml.Node{key: &flow})
	if err != nil {
		return key + ": " + to.Value
	}
	return strings.TrimSpace(string(text))
}
