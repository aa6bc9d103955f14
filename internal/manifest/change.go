package manifest

// This file makes a database as it would be with other options and resources: what a change
// leads to is judged before the change is proposed.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Change is what would be written, all of it together.
type Change struct {
	// Options are the server's, by name.
	Options map[string]string
	// Without are options that go.
	Without []string
	// Resources are those of the server's container, by "limits.memory", "requests.cpu" and the like.
	// A pod that has resources as a whole and none for the container gets them there.
	Resources map[string]string
}

// proposed is where an option of a change comes from.
const proposed = "the change"

// With is the database with the change made. d stays as it is.
func (d *Database) With(c Change) *Database {
	n := *d
	n.Config.Options = slices.DeleteFunc(slices.Clone(d.Config.Options), func(o Option) bool { return slices.Contains(c.Without, o.Name) })
	for _, name := range slices.Sorted(maps.Keys(c.Options)) {
		old, set := d.Option(name)
		if i := slices.Index(n.Config.Options, old); set && i >= 0 { // its value is replaced where it stands
			n.Config.Options[i].Value = c.Options[name]
			continue
		}
		n.Config.Options = append(n.Config.Options, Option{Group: "mysqld", Name: name, Value: c.Options[name], From: proposed, Spot: d.spotOf(name)})
	}
	if len(c.Resources) == 0 || d.Server == nil {
		return &n
	}
	if d.Pod == nil {
		server := *d.Server
		server.Resources = changed(server.Resources, c.Resources)
		n.Server = &server
		return &n
	}
	pod := *d.Pod
	n.Pod = &pod
	if pod.Resources.Exists() && !d.Server.Limit("memory").Set && !d.Server.Request("memory").Set {
		pod.Resources = changed(pod.Resources, c.Resources)
		return &n
	}
	server := *d.Server
	server.Resources = changed(server.Resources, c.Resources)
	n.Server = &server
	pod.Containers = slices.Clone(d.Pod.Containers)
	for i, container := range pod.Containers {
		if container == d.Server {
			pod.Containers[i] = &server
		}
	}
	return &n
}

// spotOf is where an option stands that is set, or else where the database does.
func (d *Database) spotOf(name string) Spot {
	if o, ok := d.Option(name); ok {
		return o.Spot
	}
	return d.Object.Value.Spot()
}

// changed are resources with some of their amounts replaced. The rest of what a file may have
// there is of no interest to a rule.
func changed(old Value, to map[string]string) Value {
	amounts := map[string]map[string]string{"requests": {}, "limits": {}}
	for kind := range amounts {
		for _, f := range old.Get(kind).Fields() {
			amounts[kind][f.Key] = f.Text()
		}
	}
	for path, amount := range to {
		kind, name, _ := strings.Cut(path, ".")
		amounts[kind][name] = amount
	}
	text := []byte(fmt.Sprintf("{requests: %s, limits: %s}\n", inline(amounts["requests"]), inline(amounts["limits"])))
	var root yaml.Node
	if err := decode(text, &root); err != nil || root.Kind == 0 {
		return old
	}
	name := ""
	if old.file != nil {
		name = old.file.Name
	}
	return Value{file: newFile(Source{Name: name, Text: text}), node: root.Content[0], near: root.Content[0], path: old.path}
}

func inline(m map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%q: %q", key, m[key]))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
