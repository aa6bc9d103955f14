package summary

// The names that statements are printed by: no two lines are equal.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// numbered is what a workload file calls a statement that has no name of its own: kind_3.
var numbered = regexp.MustCompile(`_[0-9]+$`)

// labelled are the statements that are printed as one line.
type labelled struct {
	label string
	Latency
}

// labelled are the statements with their labels, in their order; those of one label are one.
func (r *Summary) labelled() (all []labelled) {
	labels := r.labels()
	for _, s := range r.Statements {
		if s.Record() == nil {
			continue
		}
		name := labels[s.Name]
		i := slices.IndexFunc(all, func(l labelled) bool { return l.label == name })
		if i < 0 {
			all = append(all, labelled{name, copyOf(s.Latency)})
			continue
		}
		all[i].Histogram.Merge(s.Histogram)
		all[i].SumNS += s.SumNS
	}
	return all
}

// labels are what the statements are printed by, by their names: the name, or the SQL where the name is only a number in
// a transaction. SQL that is too long is shortened so that it differs from that of another statement.
func (r *Summary) labels() map[string]string {
	labels := map[string]string{}
	texts := map[string]string{} // SQL by name
	for _, s := range r.Statements {
		labels[s.Name] = s.Name
		if numbered.MatchString(s.Name) && s.SQL != "" {
			texts[s.Name] = strings.Join(strings.Fields(s.SQL), " ")
		}
	}
	for _, shorten := range []func(name, sql string) string{
		func(_, sql string) string { return shortened(sql, longestLabel-len("..."), 0) },
		func(_, sql string) string { return shortened(sql, longestLabel/2, longestLabel/2-len("...")) },
		func(name, sql string) string { return fmt.Sprintf("%s (%s)", shortened(sql, longestLabel/2, 0), name) },
	} {
		different := map[string][]string{} // texts by label
		for _, s := range r.Statements {
			sql, ok := texts[s.Name]
			if !ok {
				continue
			}
			label := shorten(s.Name, sql)
			labels[s.Name] = label
			if !slices.Contains(different[label], sql) {
				different[label] = append(different[label], sql)
			}
		}
		for name := range texts {
			if len(different[labels[name]]) == 1 && !cutOff(texts[name]) {
				delete(texts, name)
			}
		}
	}
	return labels
}

// cutOff is whether the end of a text is not known: two such texts may be of different statements.
func cutOff(sql string) bool { return strings.HasSuffix(sql, "...") }

// longestLabel is the most letters of SQL that are printed.
const longestLabel = 56

// shortened is a text of at most so many letters from its beginning and from its end.
func shortened(sql string, head, tail int) string {
	runes := []rune(sql)
	if len(runes) <= longestLabel {
		return sql
	}
	return string(runes[:head]) + "..." + string(runes[len(runes)-tail:])
}
