package capture

// This file finds the kinds of transactions: the courses that transactions take, which of
// them belong together, and how frequent each is.

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// course is one sequence of statements that transactions of a kind take, by family.
type course struct {
	families   []int
	explicit   bool
	rolledBack bool
	// count is how many transactions of the span took it.
	count float64
	// durations, pauses and the time spent in statements are those of the sample, in milliseconds.
	durations, pauses, spent []float64
}

// kind is what an application would call one transaction.
type kind struct {
	name    string
	courses []course
}

func (k kind) count() (n float64) {
	for _, c := range k.courses {
		n += c.count
	}
	return n
}

// shape is the statements of a source, with the transactions that they make up.
type shape struct {
	statements []Statement
	what       []described // of each statement
	families   families
	kinds      []kind
	// sampled is the number of whole transactions that were seen.
	sampled int
	// composed says that transactions were made up from counts: too few were seen whole.
	composed bool
	// alongside says that there are statements with autocommit beside the transactions that were made up.
	alongside bool
}

// described is what a normalised text says of itself.
type described struct {
	verb   string // SELECT, INSERT, ...
	tables []string
	usable bool // it can be part of the file
}

// Limits of a file, below those of the format.
const (
	mostCourses    = 12 // of a kind
	mostStatements = 1600
	leastShare     = 0.001 // of all transactions: rarer courses are counted with the nearest
)

// find makes the kinds of a sample. A statement that the file cannot have is left out of
// its transaction.
func (s *shape) find(sample []Transaction) {
	byCourse := map[string]*course{}
	for _, t := range sample {
		c := s.courseOf(t)
		if len(c.families) == 0 {
			continue
		}
		id := fmt.Sprint(c.explicit, c.rolledBack, c.families)
		if byCourse[id] == nil {
			byCourse[id] = &c
		}
		found := byCourse[id]
		found.count++
		found.durations = append(found.durations, t.Milliseconds)
		found.pauses = append(found.pauses, t.Pause)
		found.spent = append(found.spent, t.AtLeast)
		s.sampled++
	}
	grouped := map[string][]course{}
	for _, id := range slices.Sorted(maps.Keys(byCourse)) {
		c := *byCourse[id]
		grouped[s.purpose(c)] = append(grouped[s.purpose(c)], c)
	}
	for _, purpose := range slices.Sorted(maps.Keys(grouped)) {
		s.kinds = append(s.kinds, kind{courses: s.fewer(grouped[purpose])})
	}
}

func (s *shape) courseOf(t Transaction) course {
	c := course{explicit: t.Explicit, rolledBack: t.RolledBack}
	for _, i := range t.Statements {
		if s.what[i].usable {
			c.families = append(c.families, s.families.of[i])
		}
	}
	return c
}

// purpose is what transactions of one kind have in common: the tables that they change, and
// how. Those that only read have in common the tables that they read. The course through a
// transaction differs with its data (a customer by name or by number, five lines or
// fifteen); what it changes is its purpose.
func (s *shape) purpose(c course) string {
	writes, reads := map[string]bool{}, map[string]bool{}
	for _, f := range c.families {
		d := s.what[s.families.members[f][0]]
		for _, table := range d.tables {
			if reads[withoutDigits("`"+table+"`")] = true; d.verb != "SELECT" && d.verb != "WITH" {
				writes[d.verb+" "+withoutDigits("`"+table+"`")] = true
			}
		}
	}
	if len(writes) > 0 {
		return "writes " + strings.Join(slices.Sorted(maps.Keys(writes)), ", ")
	}
	return fmt.Sprintf("reads %v %s", c.explicit, strings.Join(slices.Sorted(maps.Keys(reads)), ", "))
}

// fewer keeps the most frequent courses of a kind, and counts the others with the kept one
// that is most like them.
func (s *shape) fewer(all []course) []course {
	slices.SortStableFunc(all, func(a, b course) int { return -cmp.Compare(a.count, b.count) })
	n := min(len(all), mostCourses)
	for n > 1 && all[n-1].count < leastShare*float64(s.sampled) {
		n--
	}
	kept := slices.Clone(all[:n])
	for _, c := range all[n:] {
		near, least := 0, math.MaxInt
		for i := range kept {
			if d := difference(kept[i], c); d < least {
				near, least = i, d
			}
		}
		kept[near].count += c.count
		kept[near].durations = append(kept[near].durations, c.durations...)
		kept[near].pauses = append(kept[near].pauses, c.pauses...)
		kept[near].spent = append(kept[near].spent, c.spent...)
	}
	return kept
}

// bound leaves out the rarest courses until the file is within its limit, and returns how often
// their statements were executed: an application with hundreds of kinds of transactions, or one batch
// of thousands of statements, would otherwise give no file at all.
func (s *shape) bound() (dropped float64) {
	for s.size() > mostStatements {
		kind, rarest := 0, 0
		for k := range s.kinds {
			for c := range s.kinds[k].courses {
				if s.kinds[k].courses[c].count < s.kinds[kind].courses[rarest].count {
					kind, rarest = k, c
				}
			}
		}
		left := s.kinds[kind].courses
		dropped += left[rarest].count * float64(len(left[rarest].families))
		if s.kinds[kind].courses = slices.Delete(left, rarest, rarest+1); len(s.kinds[kind].courses) == 0 {
			s.kinds = slices.Delete(s.kinds, kind, kind+1)
		}
	}
	return dropped
}

// size is how many statements the file has with one transaction for each course.
func (s *shape) size() (n int) {
	for _, k := range s.kinds {
		for _, c := range k.courses {
			n += len(c.families)
		}
	}
	return n
}

// difference is by how many statements two courses differ, whatever their order.
func difference(a, b course) int {
	n := map[int]int{}
	for _, f := range a.families {
		n[f]++
	}
	for _, f := range b.families {
		n[f]--
	}
	d := 0
	for _, v := range n {
		d += max(v, -v)
	}
	if a.rolledBack != b.rolledBack {
		d++
	}
	return d
}
