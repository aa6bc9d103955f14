package file

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

func (c *checker) transactions() {
	ts := c.w.Transactions
	c.want(len(ts) > 0, "transactions", "expected at least one transaction")
	c.want(len(ts) <= mostTransactions, "transactions", "at most %d transactions are possible", mostTransactions)
	statements := 0
	names := map[string]bool{}
	for _, t := range ts {
		field := "transactions." + t.Name
		c.label(t.Name, labelPattern, field, labelRule)
		c.want(t.Weight.Value > 0 && t.Weight.Decimals <= 6, field+".weight", "expected a number above 0, with at most 6 digits behind the point")
		c.want(t.Think >= 0, field+".think", "expected a duration that is not negative")
		c.want(!t.Autocommit || !t.Rollback, field+".rollback", "a transaction with autocommit: true cannot be rolled back")
		known := map[string]bool{}
		for _, v := range t.Values {
			at := field + ".values." + v.Name
			c.label(v.Name, labelPattern, at, labelRule)
			c.value(v.Value, at, known)
			known[v.Name] = true
		}
		c.want(len(t.Statements) > 0, field+".statements", "expected at least one statement")
		for i, s := range t.Statements {
			c.statement(t, s, fmt.Sprintf("%s.statements[%d]", field, i), known)
			name := t.StatementName(i)
			c.want(!names[name], fmt.Sprintf("%s.statements[%d].name", field, i), "another statement has the name %s", name)
			names[name] = true
		}
		statements += len(t.Statements)
	}
	c.want(statements <= mostStatements, "transactions", "at most %d statements are possible, not %d", mostStatements, statements)
	c.weights()
}

// weights wants weights whose sum, in the smallest unit of them all, can be drawn from.
func (c *checker) weights() {
	if _, ok := Shares(c.w.Transactions); !ok {
		c.want(false, "transactions", "the sum of the weights is too large; use smaller ones, or fewer digits behind the point")
	}
}

// Shares are the weights of transactions as whole numbers in proportion; ok is false where
// their sum exceeds 32 bits.
func Shares(ts []Transaction) (weights []uint32, ok bool) {
	var all []Number
	for _, t := range ts {
		all = append(all, t.Weight)
	}
	return shares(all)
}

// ChoiceShares are the weights of the values of a choice.
func ChoiceShares(ws []Weighted) (weights []uint32, ok bool) {
	var all []Number
	for _, w := range ws {
		all = append(all, w.Weight)
	}
	return shares(all)
}

func shares(all []Number) (weights []uint32, ok bool) {
	decimals, sum := 0, int64(0)
	for _, n := range all {
		decimals = max(decimals, n.Decimals)
	}
	for _, n := range all {
		v, ok := n.Scaled(decimals)
		if !ok || v > math.MaxUint32 {
			return nil, false
		}
		v = max(v, 0) // a negative weight has been complained of
		sum += v
		weights = append(weights, uint32(v))
	}
	if sum > math.MaxUint32 {
		return nil, false
	}
	return weights, true
}

func (c *checker) statement(t Transaction, s Statement, field string, known map[string]bool) {
	if s.Name != "" {
		c.label(s.Name, labelPattern, field+".name", labelRule)
	}
	c.want(len(s.Params) <= mostParams, field+".params", "at most %d parameters are possible", mostParams)
	c.sql(s.SQL, len(s.Params), field+".sql")
	if controls(s.SQL) {
		c.want(t.Autocommit, field+".sql", "tare begins and ends the transaction itself; to do that in the statements, write autocommit: true")
	}
	for i, p := range s.Params {
		c.value(p, fmt.Sprintf("%s.params[%d]", field, i), known)
	}
	for _, take := range s.Take {
		at := field + ".take." + take.Name
		c.label(take.Name, labelPattern, at, labelRule)
		c.want(take.Column >= 1 && take.Column <= mostTaken, at, "expected the number of a column of the answer, 1 to %d", mostTaken)
		known[take.Name] = true
	}
	c.want(slices.Contains([]string{"", OnNoRowError, OnNoRowCommit}, s.OnNoRow), field+".onNoRow", "expected error or commit, not %q", s.OnNoRow)
	c.want(s.OnNoRow == "" || len(s.Take) > 0, field+".onNoRow", "a statement without take does not look at its rows")
	c.want(slices.Contains([]string{"", ClassRead, ClassWrite, ClassOther}, s.Class), field+".class", "expected read, write or other, not %q", s.Class)
	c.want(s.Think >= 0, field+".think", "expected a duration that is not negative")
}

// value checks how a value is drawn; known are the names that {from: NAME} can have.
func (c *checker) value(v Value, field string, known map[string]bool) {
	switch {
	case v.Uniform != nil:
		c.span(v.Uniform.From, v.Uniform.To, field+".uniform")
	case v.Zipf != nil:
		c.span(v.Zipf.From, v.Zipf.To, field+".zipf")
		c.exponent(v.Zipf.Exponent, field+".zipf.exponent")
		if n, ok := Span(v.Zipf.From, v.Zipf.To); ok {
			c.want(n <= math.MaxUint32, field+".zipf", "at most %d different numbers are possible", uint32(math.MaxUint32))
		}
	case v.Sequence != nil:
		c.want(v.Sequence.From.Decimals == 0 && (v.Sequence.To == nil || v.Sequence.To.Decimals == 0), field+".sequence", "a sequence counts whole numbers")
		if v.Sequence.To != nil {
			c.span(v.Sequence.From, *v.Sequence.To, field+".sequence")
		}
	case v.Choice != nil:
		c.choice(v.Choice, field+".choice")
	case v.Text != nil:
		c.text(*v.Text, field+".text", known)
	case v.Time != nil:
		c.time(*v.Time, field+".time")
	case v.Query != nil:
		c.sql(v.Query.SQL, 0, field+".query")
		c.exponent(v.Query.Exponent, field+".query.exponent")
	case v.From != nil:
		c.want(known[v.From.Name], field+".from", "%s", unknownName(v.From.Name, known))
	}
}

func unknownName(name string, known map[string]bool) string {
	if len(known) == 0 {
		return fmt.Sprintf("unknown name %q; define it under values, or take it from an earlier statement", name)
	}
	return fmt.Sprintf("unknown name %q; the names here are %s", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
}

func (c *checker) exponent(e float64, field string) {
	c.want(e >= 0 && e < 100, field, "expected a number from 0 (all equally frequent) to below 100")
}

// span wants numbers from..to that 63 bits can count.
func (c *checker) span(from, to Number, field string) {
	n, ok := Span(from, to)
	switch {
	case !ok:
		c.want(false, field, "the numbers from %s to %s are too many", from, to)
	case n < 1:
		c.want(false, field, "expected from: %s to be at most to: %s", from, to)
	}
}

// Span is how many numbers there are from one to another, in steps of the last digit that
// either has; below 1 where to is less than from. ok is false beyond 2^62.
func Span(from, to Number) (n int64, ok bool) {
	decimals := max(from.Decimals, to.Decimals)
	a, ok1 := from.Scaled(decimals)
	b, ok2 := to.Scaled(decimals)
	const most = 1 << 61
	if !ok1 || !ok2 || a < -most || a > most || b < -most || b > most {
		return 0, false
	}
	return b - a + 1, true
}

func (c *checker) choice(values []Weighted, field string) {
	c.want(len(values) > 0, field, "expected at least one value")
	c.want(len(values) <= mostChoices, field, "at most %d values are possible", mostChoices)
	for i, w := range values {
		at := fmt.Sprintf("%s[%d]", field, i)
		c.want(w.Weight.Value > 0 && w.Weight.Decimals <= 6, at+".weight", "expected a number above 0, with at most 6 digits behind the point")
		c.want(w.Value == nil || len(w.Value.Text) <= mostText, at, "at most %d bytes are possible", mostText)
	}
	c.scales(values, field)
	_, ok := ChoiceShares(values)
	c.want(ok, field, "the sum of the weights is too large; use smaller ones, or fewer digits behind the point")
}

// scales: the numbers of a choice are sent as one type, with the most digits behind the point that
// one of them has. Beside a text all are texts.
func (c *checker) scales(values []Weighted, field string) {
	most := 0
	for _, w := range values {
		switch {
		case w.Value == nil:
		case w.Value.Number == nil:
			return
		default:
			most = max(most, w.Value.Number.Decimals)
		}
	}
	for i, w := range values {
		if w.Value == nil {
			continue
		}
		_, ok := w.Value.Number.Scaled(most)
		c.want(ok, fmt.Sprintf("%s[%d]", field, i), "too many digits with the %d digits behind the point of another value: numbers have at most 18", most)
	}
}

func (c *checker) text(t Text, field string, known map[string]bool) {
	numbered := t.Number != nil || t.Prefix != ""
	c.want(t.Length == 0 || t.Min == 0 && t.Max == 0, field, "length is for texts of one length, min and max for others; keep one")
	c.want(numbered || t.Length > 0 || t.Max > 0, field, "expected length: 40, or min: 10 and max: 40")
	c.want(t.Length >= 0 && t.Min >= 0 && t.Min <= t.Max && max(t.Length, t.Max, len(t.Prefix)) <= mostText, field, "lengths from 0 to %d are possible, with min at most max", mostText)
	if !numbered {
		return
	}
	c.want(t.Min == 0 && t.Max == 0, field, "a text with a number has length, not min and max")
	if t.Number == nil {
		c.want(false, field, "expected the number that follows the prefix: {prefix: user, number: {uniform: {from: 1, to: 1000}}}")
		return
	}
	n := *t.Number
	c.want(n.Uniform != nil || n.Zipf != nil || n.Sequence != nil || n.From != nil, field+".number", "expected uniform, zipf, sequence or from")
	c.value(n, field+".number", known)
}

func (c *checker) time(t Time, field string) {
	c.want(!t.From.IsZero(), field+".from", "expected a time, such as 2026-01-31 12:00:00")
	if t.Step != 0 {
		c.want(t.To.IsZero(), field, "step counts from a time on, and to draws up to one; keep one")
		c.want(t.Step.Std().Microseconds() > 0, field+".step", "expected at least one microsecond")
		return
	}
	c.want(t.From.IsZero() || t.To.After(t.From.Time), field+".to", "expected a time after from; or step: 10s to count")
}
