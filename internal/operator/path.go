package operator

// Paths in a resource: keys joined by dots, and [name=x] for the item of a list
// whose field name is x.

import (
	"fmt"
	"strings"
)

// step is one part of a path: a key, and the item of the list there.
type step struct{ key, field, value string }

// split reads a path.
func split(path string) ([]step, error) {
	var steps []step
	for part := range strings.SplitSeq(path, ".") {
		s := step{key: part}
		if key, item, ok := strings.Cut(part, "["); ok {
			item, closed := strings.CutSuffix(item, "]")
			field, value, pair := strings.Cut(item, "=")
			if !closed || !pair || field == "" || value == "" {
				return nil, fmt.Errorf("path %q: an item of a list is written [name=x]", path)
			}
			s = step{key: key, field: field, value: value}
		}
		if s.key == "" {
			return nil, fmt.Errorf("path %q: a key is empty", path)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// put sets the value at a path, and makes what is on the way there.
func put(root map[string]any, path string, value any) error {
	steps, err := split(path)
	if err != nil {
		return err
	}
	at := root
	for i, s := range steps {
		if i == len(steps)-1 && s.field == "" {
			at[s.key] = value
			return nil
		}
		if at, err = descend(at, s, path); err != nil {
			return err
		}
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("set %s: an item of a list has fields", path)
	}
	merge(at, fields)
	return nil
}

// descend is the mapping behind a step, made where it is not there.
func descend(at map[string]any, s step, path string) (map[string]any, error) {
	if s.field == "" {
		if at[s.key] == nil {
			at[s.key] = map[string]any{}
		}
		next, ok := at[s.key].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("set %s: %s is not a mapping", path, s.key)
		}
		return next, nil
	}
	list, ok := at[s.key].([]any)
	if at[s.key] != nil && !ok {
		return nil, fmt.Errorf("set %s: %s is not a list", path, s.key)
	}
	for _, item := range list {
		if fields, ok := item.(map[string]any); ok && fields[s.field] == s.value {
			return fields, nil
		}
	}
	item := map[string]any{s.field: s.value}
	at[s.key] = append(list, item)
	return item, nil
}

// look is the value at a path, nil where there is none.
func look(root map[string]any, path string) any {
	steps, err := split(path)
	if err != nil {
		return nil
	}
	var at any = root
	for _, s := range steps {
		fields, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = fields[s.key]
		if s.field == "" {
			continue
		}
		list, _ := at.([]any)
		at = nil
		for _, item := range list {
			if fields, ok := item.(map[string]any); ok && fields[s.field] == s.value {
				at = item
			}
		}
	}
	return at
}

// merge lays mappings over one another (RFC 7386, without its deletion).
func merge(into, over map[string]any) {
	for key, value := range over {
		below, ok := into[key].(map[string]any)
		fields, also := value.(map[string]any)
		if ok && also {
			merge(below, fields)
			continue
		}
		into[key] = value
	}
}

// named is a value with {name} and the like filled in, copied throughout.
func named(value any, fill *strings.Replacer) any {
	switch v := value.(type) {
	case string:
		return fill.Replace(v)
	case float64: // YAML's whole numbers, which the API machinery wants as such
		if whole := int64(v); float64(whole) == v {
			return whole
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = named(item, fill)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = named(item, fill)
		}
		return out
	}
	return value
}
