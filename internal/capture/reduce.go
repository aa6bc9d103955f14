package capture

import "slices"

// This file shortens lists of values as a digest does: IN (...) for any number of values,
// (...) for a row of several, /* , ... */ for further rows like the first, "?, ..." for a list.

// reducer walks over the lexemes of a statement.
type reducer struct {
	in     []lexeme
	values []value
	at     int
	param  int // the number of parameters before at
	out    []lexeme
	kept   []value
	// list and rows are the numbers that the shorter text does not have.
	list, rows int
}

func (r *reducer) run() {
	for r.at < len(r.in) {
		l := r.in[r.at]
		switch {
		case l.is("IN") && r.list0():
		case l.is("VALUES", "VALUE") && r.next(1).is("("):
			r.newRows()
		case l.is("(") && r.tuple():
		case l.part == param && r.next(1).is(",") && r.next(2).part == param:
			r.commaList()
		default:
			r.copy()
		}
	}
}

func (r *reducer) next(ahead int) lexeme {
	if i := r.at + ahead; i < len(r.in) {
		return r.in[i]
	}
	return lexeme{part: symbol}
}

// copy takes one lexeme over.
func (r *reducer) copy() {
	l := r.in[r.at]
	if l.part == param {
		r.kept = append(r.kept, r.values[r.param])
		r.param++
	}
	r.out = append(r.out, l)
	r.at++
}

// list0 is IN (?, ?, ...), of any length.
func (r *reducer) list0() bool {
	if !r.next(1).is("(") {
		return false
	}
	n, end := r.onlyValues(r.at + 1)
	if n == 0 {
		return false
	}
	r.list = max(r.list, n)
	r.out = append(r.out, lexeme{word, "IN"}, lexeme{symbol, "("}, lexeme{more, "..."}, lexeme{symbol, ")"})
	r.at, r.param = end, r.param+n
	return true
}

// onlyValues is how many values are in the parentheses at a place, if nothing else is, and the
// place behind them; 0 if there is anything else.
func (r *reducer) onlyValues(at int) (n, end int) {
	for i := at + 1; i < len(r.in); i++ {
		switch odd := (i-at)%2 == 1; {
		case odd && r.in[i].part == param:
			n++
		case !odd && r.in[i].is(",") && n > 0:
		case !odd && r.in[i].is(")"):
			return n, i + 1
		default:
			return 0, 0
		}
	}
	return 0, 0
}

// tuple is (?, ?): a row to compare with, or the arguments of a function.
func (r *reducer) tuple() bool {
	n, end := r.onlyValues(r.at)
	if n < 2 {
		return false
	}
	r.out = append(r.out, lexeme{symbol, "("}, lexeme{more, "..."}, lexeme{symbol, ")"})
	r.at, r.param = end, r.param+n
	return true
}

// commaList is ?, ?, ... outside of parentheses, as of LIMIT. The text has one question mark for it,
// so it has one value, without a hash: it is not one value of the statement. Of LIMIT it has the last
// number, which is that of rows.
func (r *reducer) commaList() {
	limits := len(r.out) > 0 && r.out[len(r.out)-1].is("LIMIT")
	for r.at < len(r.in) && r.in[r.at].part == param && r.next(1).is(",") && r.next(2).part == param {
		r.at, r.param = r.at+2, r.param+1
	}
	r.out = append(r.out, lexeme{param, "?"}, lexeme{symbol, ","}, lexeme{more, "..."})
	var v value
	if limits {
		v = value{number: r.values[r.param].number, whole: r.values[r.param].whole}
	}
	r.kept = append(r.kept, v)
	r.at, r.param = r.at+1, r.param+1
}

// newRows are those of an INSERT. Further rows of the same form as the first are counted.
func (r *reducer) newRows() {
	r.copy()
	first := r.row()
	same := 0 // VALUES(column) of ON DUPLICATE KEY UPDATE comes here as well, as one row
	for r.at < len(r.in) && r.in[r.at].is(",") && r.next(1).is("(") {
		at, params, length, kept := r.at, r.param, len(r.out), len(r.kept)
		r.at++
		second := r.row()
		if !slices.Equal(first, second) {
			r.at, r.param, r.out, r.kept = at, params, r.out[:length], r.kept[:kept]
			r.copy() // the comma; what follows is taken one by one
			r.rows = max(r.rows, 1+same)
			return
		}
		r.out, r.kept = r.out[:length], r.kept[:kept]
		same++
	}
	if r.rows = max(r.rows, 1+same); same > 0 {
		r.out = append(r.out, lexeme{rows, repeated})
	}
}

// row takes one row over and returns what became of it.
func (r *reducer) row() []lexeme {
	from := len(r.out)
	if r.tuple() {
		return r.out[from:]
	}
	for depth := 0; r.at < len(r.in); {
		l := r.in[r.at]
		if l.is("(") {
			depth++
		}
		r.copy()
		if l.is(")") {
			if depth--; depth == 0 {
				break
			}
		}
	}
	return r.out[from:]
}
