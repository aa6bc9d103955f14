package loop

import (
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/workload"
)

// codeNoData is what a server says of a row that had to be there
// (ER_SP_FETCH_NO_DATA). Here it is the workload that misses one.
const codeNoData = 1329

// keepRow asks for the row of the answer that values are to be taken from.
func (c *connection) keepRow(s *statement) {
	if c.row == nil {
		c.row = new(wire.Row)
	}
	c.row.At, c.row.Plain = 0, s.text
	if s.row > 0 {
		c.row.At = uint32(c.draws.Values.Whole[s.row])
	}
	c.response.Keep(c.row)
}

// remember takes values from an answer. Where the row they are in is missing, and
// nothing in the program expects that, the transaction has failed.
func (l *Loop) remember(c *connection, s *statement, expected bool) bool {
	v := c.draws.Values
	v.Found = c.row.Found
	if !v.Found && expected {
		return true
	}
	for i := range s.take {
		if !takeColumn(v, &s.take[i], c.row) {
			l.missing(c)
			return false
		}
	}
	return true
}

func takeColumn(v *workload.Values, t *workload.Take, from *wire.Row) (ok bool) {
	column, ok := from.Next()
	if ok && t.Source == workload.Slotted {
		return takeSlot(&v.Slots[t.Into], column)
	}
	if ok && t.Source == workload.Skipped {
		return true
	}
	if !ok || column.Null {
		return false
	}
	switch t.Source {
	case workload.Money:
		v.Whole[t.Into], ok = column.Cents()
	case workload.Text:
		ok = v.SetText(t.Into, column.Text)
	default:
		v.Whole[t.Into], ok = column.Int()
	}
	return ok
}

// missing treats a row that is not there as the server's refusal would be.
func (l *Loop) missing(c *connection) {
	c.response.Code = codeNoData
	l.refused(c)
}

// takeSlot takes a column as it is: NULL is a value too.
func takeSlot(s *workload.Slot, column wire.Value) (ok bool) {
	integer, decimal := column.Numeric()
	switch {
	case column.Null:
		s.Kind = workload.SlotNull
		return true
	case column.Whole:
		s.SetWhole(column.Number)
		return true
	case column.Unsigned || column.Floating || column.Packed:
		var text [40]byte
		return s.SetText(column.AppendText(text[:0]))
	case (integer || decimal) && s.SetDecimal(column.Text):
		return true
	}
	return s.SetText(column.Text) // a number of more digits too
}
