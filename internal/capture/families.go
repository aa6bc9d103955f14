package capture

// This file finds statements that differ only in the number of a table or column: sbtest1
// and sbtest2, s_dist_01 and s_dist_02. They are one statement of the application, which
// chooses the number.

import (
	"maps"
	"slices"
	"strings"
)

// families are statements by their text without the digits of names.
type families struct {
	of      []int   // the family of each statement
	members [][]int // the statements of each family, in the order of their texts
}

func familiesOf(statements []Statement) families {
	byText := map[string][]int{}
	for i, s := range statements {
		byText[withoutDigits(s.Text)] = append(byText[withoutDigits(s.Text)], i)
	}
	f := families{of: make([]int, len(statements))}
	for _, text := range slices.Sorted(maps.Keys(byText)) {
		members := byText[text]
		slices.SortFunc(members, func(a, b int) int { return strings.Compare(statements[a].Text, statements[b].Text) })
		for _, i := range members {
			f.of[i] = len(f.members)
		}
		f.members = append(f.members, members)
	}
	return f
}

// withoutDigits replaces each run of digits within quoted names by #.
func withoutDigits(text string) string {
	var b strings.Builder
	inside, digits := false, false
	for i := range len(text) {
		c := text[i]
		if c == '`' {
			inside = !inside
		}
		if isDigit := c >= '0' && c <= '9'; inside && isDigit {
			if !digits {
				b.WriteByte('#')
			}
			digits = true
			continue
		}
		digits = false
		b.WriteByte(c)
	}
	return b.String()
}

// chooser gives the members of a family in turn, so that each has its share of the
// executions.
type chooser struct {
	members [][]int   // of each family, those that can be in the file
	share   []float64 // of each statement in its family
	used    []float64
	all     []float64 // by family
}

func newChooser(s *shape) *chooser {
	c := &chooser{share: make([]float64, len(s.statements)), used: make([]float64, len(s.statements)), all: make([]float64, len(s.families.members))}
	for _, members := range s.families.members {
		members = slices.DeleteFunc(slices.Clone(members), func(i int) bool { return !s.what[i].usable })
		c.members = append(c.members, members)
		sum := 0.0
		for _, i := range members {
			sum += s.statements[i].Count
		}
		for _, i := range members {
			c.share[i] = s.statements[i].Count / sum
		}
	}
	return c
}

// next is the member that lacks most, for an execution of this weight.
func (c *chooser) next(family int, weight float64) int {
	c.all[family] += weight
	best, most := -1, 0.0
	for _, i := range c.members[family] {
		if lack := c.share[i]*c.all[family] - c.used[i]; best < 0 || lack > most+1e-9*c.all[family] {
			best, most = i, lack
		}
	}
	c.used[best] += weight
	return best
}

// back is the member that brings a row back which the transaction has deleted, or else the
// next one: on another of several tables, an INSERT would add rows there, and the rows that
// were deleted would be missing for good.
func (c *chooser) back(family int, weight float64, brings func(statement int) bool) int {
	for _, i := range c.members[family] {
		if brings(i) {
			c.all[family] += weight
			c.used[i] += weight
			return i
		}
	}
	return c.next(family, weight)
}
