package capture

// This file names the kinds of transactions, and the transactions of the file, by what they do: a reader tells two apart
// by their names.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// longestLabel leaves room for what is added to a label: names of statements have at most 63 letters.
const longestLabel = 40

// name names the kinds by what they change first, or read first. Those that have this in common are named by all that
// they change or read.
func (s *shape) name() {
	slices.SortStableFunc(s.kinds, func(a, b kind) int { return -cmp.Compare(a.count(), b.count()) })
	of := func(k kind) string { return s.label(k.courses[0]) }
	for _, longer := range []func(kind) string{
		func(k kind) string { return s.longLabel(k.courses[0]) },
		func(k kind) string {
			if k.courses[0].explicit {
				return s.longLabel(k.courses[0])
			}
			return s.longLabel(k.courses[0]) + "_autocommit"
		},
	} {
		shorter, shared := of, map[string]int{}
		for _, k := range s.kinds {
			shared[shorter(k)]++
		}
		of = func(k kind) string {
			if shared[shorter(k)] > 1 {
				return longer(k)
			}
			return shorter(k)
		}
	}
	used := map[string]bool{}
	for i := range s.kinds {
		s.kinds[i].name = unused(used, of(s.kinds[i]), "_")
	}
}

// unused is a name that is not used yet: with a number where it is. It is then used.
func unused(used map[string]bool, name, before string) string {
	free := name
	for n := 2; used[free]; n++ {
		free = fmt.Sprintf("%s%s%d", name, before, n)
	}
	used[free] = true
	return free
}

// label is verb and table of the first statement that writes, or of the first of all.
func (s *shape) label(c course) string {
	var members []int
	for _, f := range c.families {
		members = append(members, s.families.members[f][0])
	}
	chosen := s.what[s.first(members)]
	return cut(strings.ToLower(chosen.verb) + "_" + ofFamily(chosen.table()))
}

// first is the first of some statements that writes, or else the first of all.
func (s *shape) first(statements []int) int {
	i := slices.IndexFunc(statements, func(i int) bool { return s.what[i].writes() })
	return statements[max(i, 0)]
}

func (d described) writes() bool { return d.verb != "SELECT" && d.verb != "WITH" }

// table is the first of a statement.
func (d described) table() string {
	if len(d.tables) == 0 {
		return "table"
	}
	return d.tables[0]
}

// ofFamily is a table's name without the number that tells it from others of its family.
func ofFamily(table string) string { return strings.Trim(withoutDigits("`"+table+"`"), "`#_") }

// longLabel has every verb and table of the statements that write, or else of all.
func (s *shape) longLabel(c course) string {
	writes := slices.ContainsFunc(c.families, func(f int) bool { return s.what[s.families.members[f][0]].writes() })
	var tables []string
	verbs := map[string][]string{}
	for _, f := range c.families {
		d := s.what[s.families.members[f][0]]
		if writes && !d.writes() {
			continue
		}
		table, verb := ofFamily(d.table()), strings.ToLower(d.verb)
		if !slices.Contains(tables, table) {
			tables = append(tables, table)
		}
		if !slices.Contains(verbs[table], verb) {
			verbs[table] = append(verbs[table], verb)
		}
	}
	var parts []string
	before := ""
	for _, table := range tables {
		if verb := strings.Join(verbs[table], "_"); verb != before {
			parts, before = append(parts, verb), verb
		}
		parts = append(parts, table)
	}
	return cut(strings.Join(parts, "_"))
}

// cut is a name of letters that every name may have, not longer than a label.
func cut(name string) string {
	clean := letters(name)
	return clean[:min(len(clean), longestLabel)]
}

func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// partName names one transaction of a kind: by the table of several that its first statement that writes is on, by its
// number of statements where the kind has several courses, and by whether it is rolled back.
func (s *shape) partName(k kind, course int, chosen []int, copies int) string {
	name := k.name
	if d := s.what[s.first(chosen)]; copies > 1 {
		if rest, ok := strings.CutSuffix(name, letters(ofFamily(d.table()))); ok && len(rest)+len(d.table()) <= longestLabel {
			name = rest + letters(d.table())
		}
	}
	if course == 0 {
		return name
	}
	c, first := k.courses[course], k.courses[0]
	if len(c.families) != len(first.families) {
		name += fmt.Sprintf("-%d_statements", len(c.families))
	}
	if c.rolledBack && !first.rolledBack {
		name += "-rolled_back"
	}
	return name
}
