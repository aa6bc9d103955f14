package operator

// Options of the server in the option file that a resource has as text.

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// mysqldGroup is the line that begins the server's options.
const mysqldGroup = "[mysqld]"

// configure puts options into the option file of the resource, which may have others.
func (d Descriptor) configure(root map[string]any, options map[string]string) error {
	if len(options) == 0 {
		return nil
	}
	path := d.Fields.Config
	if path != "" && d.Component != "" {
		path = d.Component + "." + path
	}
	there := look(root, path)
	text, ok := there.(string)
	if there != nil && !ok {
		return fmt.Errorf("config: %s of the resource is not text", path)
	}
	return d.set(root, "config", d.Fields.Config, true, withOptions(text, options))
}

// withOptions is an option file in which the server has these options, and all others as
// they were. They are at the end, in order of their names: the server takes the last value
// of an option, whichever of its groups that is in.
func withOptions(text string, options map[string]string) string {
	names := map[string]bool{}
	for name := range options {
		names[optionName(name)] = true
	}
	var b strings.Builder
	group := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "[") {
			group, _, _ = strings.Cut(trimmed, "]")
			group += "]"
		} else if group == mysqldGroup && names[optionName(trimmed)] {
			continue
		}
		b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
	}
	if group != mysqldGroup {
		b.WriteString(mysqldGroup + "\n")
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		fmt.Fprintf(&b, "%s=%s\n", name, options[name])
	}
	return b.String()
}

// optionName is the option of a line as mysqld compares it: dashes are underscores, and
// loose- is not part of the name.
func optionName(line string) string {
	name, _, _ := strings.Cut(line, "=")
	name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_")
	return strings.TrimPrefix(name, "loose_")
}
