package capture

// This file writes out the rows of an INSERT, of which a digest text has the first at most:
// "(...)" is a row of several values, "?, ..." is two values or more.

import (
	"errors"
	"slices"
)

// element is one item of a row: a value, several values, or an expression.
type element struct {
	several bool
	tokens  []lexeme // of an expression; one parameter is an expression as well
}

// values writes VALUES and the rows behind it.
func (e *expander) values() error {
	e.copy(1)
	columns := e.columns
	if !e.listed {
		columns = e.n.columns(e.into)
	}
	first, err := e.row()
	if err != nil {
		return err
	}
	n := 1
	if e.peek(0).part == rows {
		n = max(2, e.n.rows)
		e.at++
		e.assume("an INSERT of several rows has %d", n)
	}
	counts, err := e.counts(first, columns)
	if err != nil {
		return err
	}
	for i := range n {
		if i > 0 {
			e.text = append(e.text, lexeme{symbol, ","})
		}
		e.writeRow(first, counts, columns, i)
	}
	return nil
}

// row reads the elements between parentheses.
func (e *expander) row() ([]element, error) {
	var all []element
	var tokens []lexeme
	depth := 0
	for ; e.at < len(e.in); e.at++ {
		l := e.in[e.at]
		switch {
		case l.is("("):
			if depth++; depth == 1 {
				continue
			}
		case l.is(")"):
			if depth--; depth == 0 {
				e.at++
				return closed(append(all, element{tokens: tokens}))
			}
		case l.is(",") && depth == 1:
			all, tokens = append(all, element{tokens: tokens}), nil
			continue
		case l.part == more && depth > 1:
			return nil, errors.New("a function in its new rows has an unknown number of values")
		}
		tokens = append(tokens, l)
	}
	return nil, errTruncated
}

// closed joins "?" and the "..." behind it, and marks them. VALUES () has no element.
func closed(in []element) ([]element, error) {
	var out []element
	for _, el := range in {
		if len(el.tokens) == 0 {
			if len(in) == 1 {
				return nil, nil
			}
			return nil, errors.New("a value is missing in its new rows")
		}
		if len(el.tokens) == 1 && el.tokens[0].part == more {
			if n := len(out); n > 0 && len(out[n-1].tokens) == 1 && out[n-1].tokens[0].part == param {
				out[n-1].several = true
				continue
			}
			el.several = true
		}
		out = append(out, el)
	}
	return out, nil
}

// counts says how many values each element stands for. Where several elements stand for an
// unknown number, the division that gives a date or time column to each function of the
// time is taken.
func (e *expander) counts(row []element, columns []string) ([]int, error) {
	counts, open, left := make([]int, len(row)), 0, len(columns)
	for i, el := range row {
		if counts[i] = 1; el.several {
			open++
			counts[i] = 2
		}
		left -= counts[i]
	}
	switch {
	case len(row) == 0:
		return nil, nil
	case len(columns) == 0:
		return nil, errors.New("the columns of its table are not known")
	case open == 0 || left == 0:
		return counts, nil
	case left < 0:
		return nil, errors.New("its new rows have more values than columns")
	}
	best, score, ties, tries := counts, -1, 0, 0
	divide(slices.Clone(counts), row, 0, left, func(try []int) bool {
		tries++
		switch s := e.fits(row, try, columns); {
		case s > score:
			best, score, ties = slices.Clone(try), s, 1
		case s == score:
			ties++
		}
		return tries < mostDivisions
	})
	if ties > 1 {
		e.assume("the expressions in its new rows belong to the first columns that fit")
	}
	return best, nil
}

// mostDivisions is how many divisions are tried: their number grows with the number of
// columns to the power of the number of unknown counts.
const mostDivisions = 10_000

// divide calls yield with every way to add left values to the elements that stand for
// several, until it returns false.
func divide(counts []int, row []element, from, left int, yield func([]int) bool) bool {
	for from < len(row) && !row[from].several {
		from++
	}
	if from == len(row) {
		return left != 0 || yield(counts)
	}
	last := !slices.ContainsFunc(row[from+1:], func(el element) bool { return el.several })
	for n := range left + 1 {
		if last {
			n = left
		}
		counts[from] += n
		more := divide(counts, row, from+1, left-n, yield)
		counts[from] -= n
		if !more || last {
			return more
		}
	}
	return true
}

// fits counts the functions of the time that a division gives a date or time column.
func (e *expander) fits(row []element, counts []int, columns []string) (n int) {
	column := 0
	for i, el := range row {
		if !el.several && el.tokens[0].is("NOW", "CURRENT_TIMESTAMP", "SYSDATE", "UTC_TIMESTAMP", "CURDATE", "CURRENT_DATE", "LOCALTIME", "LOCALTIMESTAMP") &&
			column < len(columns) && e.n.temporal(e.into, columns[column]) {
			n++
		}
		column += counts[i]
	}
	return n
}

func (e *expander) writeRow(row []element, counts []int, columns []string, number int) {
	e.text = append(e.text, lexeme{symbol, "("})
	column := 0
	for i, el := range row {
		for range counts[i] {
			if column > 0 {
				e.text = append(e.text, lexeme{symbol, ","})
			}
			s := slot{role: inserted, table: e.into, row: number}
			if column < len(columns) {
				s.column = columns[column]
			}
			column++
			if el.several {
				e.put(s)
				continue
			}
			for _, l := range el.tokens {
				if l.part == param {
					e.put(s)
				} else {
					e.text = append(e.text, l)
				}
			}
		}
	}
	e.text = append(e.text, lexeme{symbol, ")"})
}
