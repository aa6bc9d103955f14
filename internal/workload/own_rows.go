package workload

import (
	"fmt"

	"github.com/tarebench/tare/internal/workload/file"
)

// ownRows makes the rows of a table of a workload file.
type ownRows struct {
	seed, stream uint64
	columns      assignments
	slots        []SlotType
	first        map[int]Slot
	of           []int // the slot of each column
}

// ownTables are the tables of a workload file with the rows of a seed.
func ownTables(w *file.Workload, seed uint64) (tables []Table) {
	for i, t := range w.Tables {
		m := &ownRows{seed: seed, stream: uint64(i+1) << 40, first: map[int]Slot{}}
		c := &compiler{p: &Program{first: m.first}, names: map[string]int{}}
		out := Table{Name: t.Name, Create: t.Create, Indexes: t.Indexes, Units: t.Rows, UnitRows: 1, Make: m.row,
			Own: &OwnTable{Mark: fmt.Sprintf("made by tare for workload %s", w.Metadata.Name)}}
		for _, col := range t.Columns {
			slot := c.value(col.Value, &m.columns)
			c.names[col.Name] = slot
			m.of = append(m.of, slot)
			out.Columns = append(out.Columns, col.Name)
			out.Own.Types = append(out.Own.Types, c.p.Slots[slot])
			if s := col.Value.Sequence; s != nil && s.To == nil && out.Key == nil {
				out.Key = func(unit int64) string { return fmt.Sprintf("`%s`=%d", col.Name, s.From.Value+unit-1) }
			}
		}
		m.slots = c.p.Slots
		tables = append(tables, out)
	}
	return tables
}

// row makes a row: a function of the seed, the table and the row's number.
func (m *ownRows) row(r *Row, unit int64, _ int) (more bool) {
	if r.own != m {
		r.own = m
		r.draws = Draws{connections: 1, Values: &Values{Slots: newSlots(m.slots, m.first)}}
	}
	d := &r.draws
	d.Random.Seed(m.seed, m.stream|uint64(unit))
	d.connection = unit - 1
	slots := d.Values.Slots
	for i := range slots {
		slots[i].count = 0
	}
	m.columns.make(d)
	for _, slot := range m.of {
		r.slot(&slots[slot])
	}
	return false
}

func (r *Row) slot(s *Slot) {
	r.Bytes = s.Append(r.Bytes)
	switch s.Kind {
	case SlotNull:
		r.end(Null)
	case SlotText:
		r.end(Escaped)
	default:
		r.end(Plain)
	}
}
