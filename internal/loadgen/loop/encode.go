package loop

import (
	"strconv"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/workload"
	"github.com/tarebench/tare/internal/workload/file"
)

// statement is a statement made ready for encoding.
type statement struct {
	class  workload.Class
	params []workload.Param
	// Prepared: the parameters' types, and where the statement's numbers begin in
	// a connection's list.
	types    []byte
	first    int
	perTable bool
	// Text: what comes before the first parameter, for each table, and what comes
	// after each.
	text  bool
	heads []string
	tails []string
	// varies says that a parameter has the type of an answer's column: the types are then
	// sent with each execution. slotted says that a parameter can be NULL.
	varies, slotted bool
	// take are the columns of the answer that are remembered, row the place of the
	// number of the row they are in, 0 for the first row.
	take []workload.Take
	row  int
}

// compile makes the statements of a program ready and lists the SQL to prepare on
// every connection, table by table. Statements of the same text and types are prepared once:
// a workload file repeats them, and each prepared statement takes memory of the server, and a
// share of its processor caches.
func compile(p *workload.Program) (statements []statement, prepare []string) {
	type prepared struct {
		sql, types       string
		tables           int
		varies, perTable bool
	}
	firsts := map[prepared]int{}
	for _, s := range p.Statements {
		c := statement{class: s.Class, params: s.Params, perTable: s.PerTable,
			text: s.Text || p.Options.TextProtocol, take: s.Take, row: s.Row}
		tables := versions(p, s)
		if c.text {
			c.split(s, tables)
			statements = append(statements, c)
			continue
		}
		for _, q := range s.Params {
			c.types = append(c.types, typeOf(p, q))
			c.slotted = c.slotted || q.Source == workload.Slotted
			c.varies = c.varies || q.Source == workload.Slotted && p.Slots[q.Plus].Varies
		}
		key := prepared{s.SQL, string(c.types), tables, c.varies, s.PerTable}
		first, is := firsts[key]
		if !is {
			first = len(prepare)
			firsts[key] = first
			for t := range tables {
				prepare = append(prepare, s.For(t+1))
			}
		}
		c.first = first
		statements = append(statements, c)
	}
	return statements, prepare
}

// versions is how many texts a statement has.
func versions(p *workload.Program, s workload.Statement) int {
	switch {
	case !s.PerTable:
		return 1
	case s.Versions > 0:
		return s.Versions
	case p.OwnTable:
		return p.Options.AllConnections()
	}
	return p.Options.Tables
}

func typeOf(p *workload.Program, q workload.Param) byte {
	switch {
	case q.Source == workload.Slotted:
		return slotType(p.Slots[q.Plus].Kind)
	case q.Text():
		return wire.TypeString
	case q.Source == workload.Money:
		return wire.TypeDecimal
	}
	return wire.TypeLong
}

// slotType is the type of a parameter that has a slot's value.
func slotType(k workload.SlotKind) byte {
	switch k {
	case workload.SlotWhole:
		return wire.TypeLongLong
	case workload.SlotDecimal:
		return wire.TypeDecimal
	}
	return wire.TypeString
}

// split cuts a statement at its parameters.
func (s *statement) split(from workload.Statement, tables int) {
	sql, marks := from.SQL, append(file.Parameters(from.SQL), len(from.SQL))
	from.SQL = sql[:marks[0]]
	for t := range tables {
		s.heads = append(s.heads, from.For(t+1))
	}
	for i := range len(marks) - 1 {
		s.tails = append(s.tails, sql[marks[i]+1:marks[i+1]])
	}
}

// typesSent marks a statement whose parameter types the server has been told.
const typesSent = 1 << 31

// encode appends the next statement of a connection.
func (l *Loop) encode(buf []byte, c *connection, s *statement) []byte {
	start := len(buf)
	table := 0
	if s.perTable {
		table = c.draws.Table - 1
	}
	if s.text {
		return wire.Finish(l.encodeText(wire.BeginQuery(buf), c, s, table), start)
	}
	id := &c.ids[s.first+table]
	types := s.types
	if s.varies {
		types = l.actual(c, s)
	}
	buf = wire.BeginExecute(buf, *id&^typesSent, types, *id&typesSent == 0 || s.varies)
	*id |= typesSent
	if s.slotted {
		return wire.Finish(appendSlots(buf, start, c.draws.Values.Slots, s.params), start)
	}
	for _, q := range s.params {
		switch q.Source {
		case workload.RandomC:
			buf = workload.AppendC(wire.AppendLength(buf, workload.CLength), &c.draws.Random)
		case workload.RandomPad:
			buf = workload.AppendPad(wire.AppendLength(buf, workload.PadLength), &c.draws.Random)
		case workload.Whole:
			buf = wire.AppendLong(buf, int32(c.draws.Values.Whole[q.Plus]))
		case workload.Money:
			buf = appendDecimal(buf, c.draws.Values.Whole[q.Plus])
		case workload.Text:
			v := c.draws.Values.Text[q.Plus]
			buf = append(wire.AppendLength(buf, len(v)), v...)
		default:
			buf = wire.AppendLong(buf, l.job.Program.Number(&c.draws, q))
		}
	}
	return wire.Finish(buf, start)
}

func (l *Loop) encodeText(buf []byte, c *connection, s *statement, table int) []byte {
	buf = append(buf, s.heads[table]...)
	for i, q := range s.params {
		switch q.Source {
		case workload.RandomC:
			buf = append(workload.AppendC(append(buf, '\''), &c.draws.Random), '\'')
		case workload.RandomPad:
			buf = append(workload.AppendPad(append(buf, '\''), &c.draws.Random), '\'')
		case workload.Whole:
			buf = strconv.AppendInt(buf, c.draws.Values.Whole[q.Plus], 10)
		case workload.Money:
			buf = workload.AppendCents(buf, c.draws.Values.Whole[q.Plus])
		case workload.Text:
			buf = appendQuoted(buf, c.draws.Values.Text[q.Plus])
		case workload.Slotted:
			buf = appendLiteral(buf, &c.draws.Values.Slots[q.Plus])
		default:
			buf = strconv.AppendInt(buf, int64(l.job.Program.Number(&c.draws, q)), 10)
		}
		buf = append(buf, s.tails[i]...)
	}
	return buf
}

// actual are the types of a statement's parameters by the values that they have now.
func (l *Loop) actual(c *connection, s *statement) []byte {
	l.types = append(l.types[:0], s.types...)
	for i, q := range s.params {
		l.types[i] = slotType(c.draws.Values.Slots[q.Plus].Kind)
	}
	return l.types
}

// appendSlots appends the parameters of an execution that starts at start: of a workload
// file all are slots.
func appendSlots(buf []byte, start int, slots []workload.Slot, params []workload.Param) []byte {
	for i, q := range params {
		switch v := &slots[q.Plus]; v.Kind {
		case workload.SlotNull:
			wire.SetNull(buf, start, i)
		case workload.SlotWhole:
			buf = wire.AppendLongLong(buf, v.Number)
		case workload.SlotDecimal:
			at := len(buf)
			buf = v.Append(append(buf, 0))
			buf[at] = byte(len(buf) - at - 1) // at most 21
		default:
			buf = append(wire.AppendLength(buf, len(v.Text)), v.Text...)
		}
	}
	return buf
}

// appendLiteral appends a slot's value as SQL.
func appendLiteral(buf []byte, v *workload.Slot) []byte {
	switch v.Kind {
	case workload.SlotNull:
		return append(buf, "NULL"...)
	case workload.SlotText:
		return appendQuoted(buf, v.Text)
	}
	return v.Append(buf)
}

// appendDecimal appends an amount in cents as a parameter of type decimal, whose
// value is text.
func appendDecimal(buf []byte, cents int64) []byte {
	at := len(buf)
	buf = workload.AppendCents(append(buf, 0), cents)
	buf[at] = byte(len(buf) - at - 1) // at most 21
	return buf
}

// appendQuoted appends a string literal. A value that came from the server may
// hold anything.
func appendQuoted(buf, value []byte) []byte {
	buf = append(buf, '\'')
	for _, b := range value {
		if b == '\'' || b == '\\' {
			buf = append(buf, b)
		}
		buf = append(buf, b)
	}
	return append(buf, '\'')
}
