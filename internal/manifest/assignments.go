package manifest

// This file reads the variables that a shell script sets before it starts a server, where the text of the script alone
// tells their values.

import (
	"maps"
	"regexp"
	"strings"
)

// assignments are the variables of a script up to a line of it: those of the environment, and those that it has set.
type assignments struct {
	env   map[string]variable
	set   map[string]bool
	depth int // of conditions, loops and functions
}

var (
	// assignment is a command that sets one variable, and does nothing else.
	assignment = regexp.MustCompile(`^(?:(?:export|readonly|local|declare)\s+)?([A-Za-z_][A-Za-z0-9_]*)=("[^"` + "`" + `\\]*"|'[^']*'|[^\s"'` + "`" + `\\]*)$`)
	// assigned is every place where a variable gets a value.
	assigned  = regexp.MustCompile(`(?:^|[\s;&|({])([A-Za-z_][A-Za-z0-9_]*)\+?=|\b(?:read|for|unset)\s+(?:-\w+\s+)*([A-Za-z_][A-Za-z0-9_]*)`)
	opens     = regexp.MustCompile(`(?:^|[\s;&|])(?:if|for|while|until|case)\s|\{\s*$`)
	closes    = regexp.MustCompile(`(?:^|[\s;])(?:fi|done|esac)(?:$|[\s;])|^\}`)
	condition = regexp.MustCompile(`\|\||(?:^|[\s;&])(?:\[|test\s)`)
)

// line reads the assignments of a line. A variable has a value where one command that always runs sets it, once, to a
// text whose variables have values. Whatever else gives it a value makes it unknown.
func (a *assignments) line(line string) {
	if a.set == nil {
		a.set = map[string]bool{}
	}
	if a.env == nil {
		a.env = map[string]variable{}
	}
	a.depth += len(opens.FindAllString(line, -1))
	plain := map[string]variable{}
	if a.depth == 0 && !condition.MatchString(line) {
		for _, command := range commands.Split(line, -1) {
			m := assignment.FindStringSubmatch(strings.TrimSpace(command))
			if m == nil {
				continue
			}
			env := maps.Clone(a.env)
			maps.Copy(env, plain)
			if value := filledInShell(unquote(m[2]), env); !strings.Contains(value, "$") {
				plain[m[1]] = variable{value: value, known: true}
			}
		}
	}
	for _, m := range assigned.FindAllStringSubmatch(line, -1) {
		name := m[1] + m[2]
		v, known := plain[name]
		if strings.HasPrefix(name, "-") || a.set[name] && (!known || a.env[name].value != v.value) {
			v = variable{}
		}
		a.set[name], a.env[name] = true, v
	}
	a.depth = max(0, a.depth-len(closes.FindAllString(line, -1)))
}
