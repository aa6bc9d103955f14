package capture

// This file makes a statement with parameters of a digest text.

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// role says what a parameter does in its statement.
type role uint8

const (
	other    role = iota
	equal         // compared with a column, or in a list for it
	low           // the lower end of a range of a column
	high          // the upper end
	pattern       // of LIKE
	inserted      // the value of a column in a new row
	assigned      // the new value of a column
	added         // added to a column, or subtracted
	limit
	offset
)

// slot is one parameter.
type slot struct {
	role          role
	table, column string // "" where the text does not say
	// row is the number of the new row that it is in, from 0.
	row int
	// source is the number of the question mark that it is in the normalised text, from 1;
	// 0 if it is one of a list. That of LIMIT ?, ... is of the number of rows.
	source int
}

// shapeOf are the numbers that a digest text leaves out.
type shapeOf struct {
	list    int // values of an IN list
	rows    int // rows of an INSERT
	columns func(table string) []string
	// temporal says that a column is a date or time.
	temporal func(table, column string) bool
	// names are names of tables and columns by their capital letters.
	names map[string]string
	// arguments is the number of arguments of a function that has only values.
	arguments int
}

// expanded is a statement that a server can prepare.
type expanded struct {
	sql     string
	slots   []slot
	tables  []string // that it names, in their order
	verb    string   // SELECT, INSERT, ...
	assumed []string // what the digest text does not say
	// shortened says that it has fewer values than those that were sent, "" that it has all.
	shortened string
}

// expand makes a statement of a digest text.
func expand(text string, n shapeOf) (expanded, error) {
	in, err := lex(text)
	if err != nil {
		return expanded{}, err
	}
	if len(in) == 0 {
		return expanded{}, errors.New("its digest text is empty")
	}
	e := &expander{in: restore(in, n.names), n: n, aliases: map[string]string{}}
	e.out.verb = verbOf(in)
	e.findTables()
	for e.at < len(e.in) {
		if err := e.step(); err != nil {
			return expanded{}, err
		}
	}
	e.out.sql = spell(e.text)
	return e.out, nil
}

// verbOf is the first word that says what a statement does.
func verbOf(in []lexeme) string {
	for _, l := range in {
		if l.part == word {
			return l.text
		}
	}
	return ""
}

// expander walks over a digest text and writes the statement.
type expander struct {
	in      []lexeme
	at      int
	text    []lexeme
	n       shapeOf
	aliases map[string]string // tables by the names that the statement gives them
	into    string            // the table of an INSERT
	columns []string          // of its column list
	listed  bool
	out     expanded
}

func (e *expander) peek(ahead int) lexeme {
	if i := e.at + ahead; i >= 0 && i < len(e.in) {
		return e.in[i]
	}
	return lexeme{part: symbol}
}

func (e *expander) copy(n int) {
	e.text = append(e.text, e.in[e.at:e.at+n]...)
	e.at += n
}

// put writes a parameter.
func (e *expander) put(s slot) {
	e.text = append(e.text, lexeme{param, "?"})
	e.out.slots = append(e.out.slots, s)
}

// puts writes several with commas between them.
func (e *expander) puts(all ...slot) {
	for i, s := range all {
		if i > 0 {
			e.text = append(e.text, lexeme{symbol, ","})
		}
		e.put(s)
	}
}

func (e *expander) assume(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !slices.Contains(e.out.assumed, s) {
		e.out.assumed = append(e.out.assumed, s)
	}
}

// step writes the next part of the statement.
func (e *expander) step() error {
	l := e.peek(0)
	switch {
	case l.is("VALUES", "VALUE") && e.peek(1).is("(") && !(e.peek(2).part == name && e.peek(3).is(")")):
		return e.values()
	case l.is("IN") && e.peek(1).is("(") && e.peek(2).part == more && e.peek(3).is(")"):
		e.inList()
	case l.is("(") && e.peek(1).part == more && e.peek(2).is(")"):
		e.unknownList()
	case l.part == param && e.peek(1).is(",") && e.peek(2).part == more:
		e.valueList()
	case l.part == param:
		s := e.slotHere()
		s.source = e.number()
		e.put(s)
		e.at++
	case l.part == hint:
		e.hints()
	case l.part == more || l.part == rows:
		return errors.New("its digest text leaves out values in a place that is not known")
	case e.into != "" && !e.listed && l.part == name && l.text == e.into && e.peek(1).is("("):
		e.columnList()
	default:
		e.copy(1)
	}
	return nil
}

// hints keeps the hints of the optimizer, which change the plan. A digest has no numbers of theirs, such as the
// limit of MAX_EXECUTION_TIME: hints with numbers are left out.
func (e *expander) hints() {
	l := e.peek(0)
	if e.at++; strings.Contains(l.text, "?") {
		e.assume("hints of the optimizer with a value are left out, because a digest does not have it: %s", l.text)
		return
	}
	e.text = append(e.text, l)
}

// number is that of the parameter at this place among those of the text, from 1.
func (e *expander) number() int {
	n := 1
	for _, l := range e.in[:e.at] {
		if l.part == param {
			n++
		}
	}
	return n
}

// columnList is that of an INSERT. It has no values: what follows one is not part of it.
func (e *expander) columnList() {
	e.copy(2)
	for e.at < len(e.in) && !e.peek(0).is(")") && !slices.Contains([]part{param, more, rows}, e.peek(0).part) {
		if e.peek(0).part == name {
			e.columns = append(e.columns, e.peek(0).text)
		}
		e.copy(1)
	}
	e.listed = true
}

// inList is IN (...).
func (e *expander) inList() {
	n := max(1, e.n.list)
	table, column := e.columnBefore(e.at)
	if e.peek(-1).is("NOT") {
		table, column = e.columnBefore(e.at - 1)
	}
	e.copy(2)
	slots := make([]slot, n)
	for i := range slots {
		slots[i] = slot{role: equal, table: table, column: column}
	}
	e.puts(slots...)
	e.assume("an IN list has %d values", n)
	e.at++ // the dots
	e.copy(1)
}

// unknownList is (...) that is not a row of an INSERT: a row to compare with, or the arguments
// of a function.
func (e *expander) unknownList() {
	n := e.n.arguments
	if n == 0 {
		n = 2
	}
	if tuple := e.tupleBefore(); tuple > 0 {
		n = tuple
	} else {
		e.assume(argumentsAssumed+" %d", n)
	}
	e.copy(1)
	e.puts(make([]slot, n)...)
	e.at++
	e.copy(1)
}

// tupleBefore is the number of columns of (a, b) = or (a, b) IN before this place.
func (e *expander) tupleBefore() int {
	i := e.at - 1
	if i < 1 || !e.in[i].is("=", "IN", "<", ">", "<=", ">=", "<>") || !e.in[i-1].is(")") {
		return 0
	}
	n := 1
	for i -= 2; i >= 0 && !e.in[i].is("("); i-- {
		if e.in[i].is(",") {
			n++
		}
	}
	return n
}

// valueList is "?, ...": two numbers after LIMIT, else two values.
func (e *expander) valueList() {
	first := e.slotHere()
	slots := []slot{first, first}
	if first.role == limit {
		slots[0].role, slots[1].source = offset, e.number()
	} else {
		e.assume("a list of values has 2")
	}
	e.puts(slots...)
	e.at += 3
}
