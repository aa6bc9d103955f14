package option

// This file says of which names it is certain that no release has such an option.

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed others.txt
var othersText string

// others are names, and beginnings of names, of options that known.tsv does not have (others.txt).
type others struct {
	names      map[string]bool
	beginnings []string
	removed    map[string]bool // names that a beginning covers and that no release has
}

var readOthers = sync.OnceValue(func() (all others) {
	all.names, all.removed = map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(othersText) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if name, is := strings.CutPrefix(line, "!"); is {
			all.removed[name] = true
		} else if beginning, is := strings.CutSuffix(line, "*"); is {
			all.beginnings = append(all.beginnings, beginning)
		} else {
			all.names[line] = true
		}
	}
	return all
})

// OfOther is whether a plugin, a component or another build may have an option.
func OfOther(name string) bool {
	all := readOthers()
	return all.names[name] || !all.removed[name] && slices.ContainsFunc(all.beginnings, func(b string) bool { return strings.HasPrefix(name, b) })
}

// OfPlugin is whether a plugin of MariaDB may have an option that MySQL has without one.
func OfPlugin(name string) bool {
	return strings.HasPrefix(name, "caching_sha2_password") || slices.Contains([]string{"archive", "blackhole", "federated"}, name)
}

// Measured is whether a release is of a series whose servers were asked for all of their options.
func Measured(product string, in Release) bool {
	return slices.Contains(measuredSeries[product], Release{in[0], in[1]})
}

// plainName is what the name of an option looks like; that of a component has a dot.
var plainName = regexp.MustCompile(`^[a-z][a-z0-9_]+$`)

// modifiers are what both servers take off an option's name.
var modifiers = []string{"skip_", "disable_", "enable_", "maximum_"}

// Nowhere is whether no release that was asked has an option of the name, and no plugin or other build that is known.
// MariaDB takes the beginning of a name for the name, which MySQL does not. 9.7.4, 10.11.19 and 11.8.9 refuse or have
// every name with an underscore that is a text of their program: they have no options that --help does not list.
func Nowhere(product, name string) bool {
	if !plainName.MatchString(name) || OfOther(name) {
		return false
	}
	for _, m := range modifiers {
		if rest, cut := strings.CutPrefix(name, m); cut && !Nowhere(product, rest) {
			return false
		}
	}
	return !isOption(name) && (product == MySQL || !begins(name) && !begins("skip_"+name))
}

// Meant is the option that a name that no server has is likely to stand for: the only one of the product that begins
// with it, the one that replaced it, or the one that sets the variable of that name. "" where there is none.
func Meant(product, name string) string {
	all, meant := readKnown(), ""
	if life, ok := Of(name); ok && life.Instead != "" && (product == "" || len(all[life.Instead].in[product]) > 0) {
		return life.Instead
	}
	if k, is := all["default_"+name]; is && (product == "" || len(k.in[product]) > 0) {
		return "default_" + name
	}
	for full, k := range all {
		if len(name) < 5 || !strings.HasPrefix(full, name+"_") || product != "" && len(k.in[product]) == 0 {
			continue
		}
		if meant != "" {
			return ""
		}
		meant = full
	}
	return meant
}
