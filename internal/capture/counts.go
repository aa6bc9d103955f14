package capture

// This file makes the numbers of a sample agree with the exact counts of the digests, and
// makes up transactions from the counts alone where none was seen whole.

import (
	"cmp"
	"math"
	"slices"
)

// fit changes the counts of the courses so that the statements of each family add up to what
// was counted, and leaves the proportions of the sample as they are as far as that allows:
// iterative proportional fitting (Deming and Stephan 1940; for counts of several statements a
// transaction, generalized iterative scaling, Darroch and Ratcliff 1972).
func (s *shape) fit() {
	target := make([]float64, len(s.families.members))
	for i, st := range s.statements {
		if s.what[i].usable {
			target[s.families.of[i]] += st.Count
		}
	}
	var courses []*course
	for i := range s.kinds {
		for j := range s.kinds[i].courses {
			courses = append(courses, &s.kinds[i].courses[j])
		}
	}
	for range fitSteps {
		got := make([]float64, len(target))
		for _, c := range courses {
			for _, f := range c.families {
				got[f] += c.count
			}
		}
		for _, c := range courses {
			sum := 0.0
			for _, f := range c.families {
				if got[f] > 0 && target[f] > 0 {
					sum += math.Log(target[f] / got[f])
				}
			}
			c.count *= math.Exp(sum / float64(len(c.families)))
		}
	}
}

const fitSteps = 200

// covered is the share of the usable statements that the kinds account for.
func (s *shape) covered() float64 {
	got := make([]float64, len(s.families.members))
	for _, k := range s.kinds {
		for _, c := range k.courses {
			for _, f := range c.families {
				got[f] += c.count
			}
		}
	}
	all, found := 0.0, 0.0
	for f, members := range s.families.members {
		n := 0.0
		for _, i := range members {
			if s.what[i].usable {
				n += s.statements[i].Count
			}
		}
		all, found = all+n, found+min(n, got[f])
	}
	if all == 0 {
		return 0
	}
	return found / all
}

// enough is the share of the statements from which the kinds of a sample are taken for those
// of the application.
const enough = 0.9

// repeats is a family with its number of executions in a transaction.
type repeats struct {
	family int
	each   float64
}

// compose makes transactions of the counts alone: every statement as often in each as it was
// counted for each COMMIT. A statement counted 0.3 times a transaction is in 30 % of them:
// systematic sampling, so that the mix is exact with as many courses as there are fractions.
// What was sent with autocommit, as by a pool that only reads, is in none of them: see outside.
func (s *shape) compose(transactions float64) {
	s.kinds, s.composed = nil, true
	explicit := transactions > 0
	var parts []repeats
	cuts := []float64{0, 1}
	for f, members := range s.families.members {
		n := 0.0
		for _, i := range members {
			if s.what[i].usable {
				n += s.statements[i].Count
			}
		}
		if n == 0 {
			continue
		}
		alone := n
		if explicit {
			alone = n * s.outside(members)
		}
		if alone > 0 {
			s.kinds = append(s.kinds, kind{courses: []course{{families: []int{f}, count: alone}}})
		}
		if n -= alone; n == 0 {
			continue
		}
		each := n / transactions
		if whole := math.Round(each); whole > 0 && math.Abs(each-whole) < nearWhole*whole {
			each = whole
		}
		parts = append(parts, repeats{f, each})
		if _, fraction := math.Modf(each); fraction > 0 {
			cuts = append(cuts, 1-fraction)
		}
	}
	if len(parts) == 0 {
		return
	}
	s.alongside = len(s.kinds) > 0
	if made := s.composition(parts, cuts, transactions); len(made.courses) > 0 {
		s.kinds = append(s.kinds, made)
	}
}

// composition is the kind that has the parts: one course for each distance between two cuts.
func (s *shape) composition(parts []repeats, cuts []float64, transactions float64) kind {
	slices.SortStableFunc(parts, func(a, b repeats) int { return cmp.Compare(s.order(a.family), s.order(b.family)) })
	slices.Sort(cuts)
	k := kind{}
	for i := 1; i < len(cuts); i++ {
		width := cuts[i] - cuts[i-1]
		if width < leastShare {
			continue
		}
		at := (cuts[i] + cuts[i-1]) / 2
		c := course{explicit: true, count: width * transactions}
		for _, p := range parts {
			for range int(math.Floor(p.each + at)) {
				c.families = append(c.families, p.family)
			}
		}
		if len(c.families) > 0 {
			k.courses = append(k.courses, c)
		}
	}
	return k
}

// outside is the share of the executions of a family that were sent with autocommit, as far as their place was seen.
// What was never seen counts as part of the transactions.
func (s *shape) outside(members []int) float64 {
	within, alone := 0.0, 0.0
	for _, i := range members {
		if s.what[i].usable {
			within, alone = within+s.statements[i].Within, alone+s.statements[i].Alone
		}
	}
	switch share := alone / (within + alone); {
	case !(share >= misplaced):
		return 0
	case share > 1-misplaced:
		return 1
	default:
		return share
	}
}

// misplaced is the share of the executions below which their place is taken for a mistake at the edge of a gap.
const misplaced = 0.01

// nearWhole is how far from a whole number of executions a transaction may be and still have
// that number: the ends of the span cut transactions in two.
const nearWhole = 0.05

// order puts reads before writes, as most transactions have them. Of writes it has one order, so that the kind has the
// name that it has where the order was seen of the usual transaction: a row is changed, or deleted and written again.
func (s *shape) order(family int) int {
	order := []string{"SELECT", "WITH", "UPDATE", "DELETE"}
	if i := slices.Index(order, s.what[s.families.members[family][0]].verb); i >= 0 {
		return i
	}
	return len(order)
}
