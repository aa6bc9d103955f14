package workload

import (
	"fmt"
	"strconv"
	"strings"
)

// Table is a table of a workload and how its rows are made.
type Table struct {
	Name    string
	Create  string   // the statement that makes it
	Indexes []string // statements for when the rows are in
	Columns []string // of the rows that are made
	// AnyColumns says that a cleanup drops a table of this name whatever its
	// columns: sysbench's names, whose definition its options change.
	AnyColumns bool
	// Units are what rows are made by, from 1: most make one row, some several.
	Units int64
	// UnitRows is how many rows a unit makes on average.
	UnitRows int
	// Key is a condition that holds for the first row of a unit and no other; nil where
	// none is known.
	Key func(unit int64) string
	// Own is set for a table whose definition is the user's, of a workload file.
	Own *OwnTable
	// Make makes row i, from 0, of a unit: a function of the seed and these two
	// numbers alone, so that any part can be made anywhere and in any order. It
	// may be called from several goroutines, each with a Row of its own.
	Make func(r *Row, unit int64, i int) (more bool)
}

// OwnTable is what is particular to a table of a workload file.
type OwnTable struct {
	// Mark is the comment that says that tare made the table, and for what: tare drops no
	// table of a file without one.
	Mark string
	// Types are those of the columns' values, in the order of Table.Columns.
	Types []SlotType
}

// Row is one row, its values one after another. It is used again for the next.
type Row struct {
	Bytes []byte
	Cells []Cell

	own   *ownRows // whose draws are those of the row made last
	draws Draws
}

// Cell is where a value of a row ends, and what it is.
type Cell struct {
	End  int
	Kind CellKind
}

// CellKind says how a value is written in SQL.
type CellKind uint8

// Kinds of values.
const (
	Plain   CellKind = iota // a number
	Quoted                  // a string that needs no escaping, or a time
	Escaped                 // a string that may hold anything
	Null
)

// Reset empties the row.
func (r *Row) Reset() { r.Bytes, r.Cells = r.Bytes[:0], r.Cells[:0] }

// Cell is the text of a value.
func (r *Row) Cell(i int) []byte {
	from := 0
	if i > 0 {
		from = r.Cells[i-1].End
	}
	return r.Bytes[from:r.Cells[i].End]
}

func (r *Row) end(k CellKind) { r.Cells = append(r.Cells, Cell{len(r.Bytes), k}) }

func (r *Row) whole(numbers ...int64) {
	for _, n := range numbers {
		r.Bytes = strconv.AppendInt(r.Bytes, n, 10)
		r.end(Plain)
	}
}

func (r *Row) text(s string) {
	r.Bytes = append(r.Bytes, s...)
	r.end(Quoted)
}

// TableName is the name of a table of the oltp workloads, from 1: sysbench's.
func TableName(table int) string { return fmt.Sprintf("sbtest%d", table) }

// CreateTable is the definition of a table, sysbench's word for word.
func (o Options) CreateTable(table int) string {
	id, key := "INTEGER NOT NULL", "PRIMARY KEY"
	if o.AutoInc {
		id = "INTEGER NOT NULL AUTO_INCREMENT"
	}
	if o.Secondary {
		key = "KEY xid"
	}
	return strings.TrimSpace(fmt.Sprintf(`CREATE TABLE %s(
  id %s,
  k INTEGER DEFAULT '0' NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL,
  %s (id)
) /*! ENGINE = %s */ %s`, TableName(table), id, key, o.StorageEngine, o.TableOptions))
}

// CreateIndex is the secondary index that is made once the rows are in.
func (o Options) CreateIndex(table int) string {
	return fmt.Sprintf("CREATE INDEX k_%d ON %s(k)", table, TableName(table))
}

// Tables are those of the workload, with the rows of a seed.
func (p *Program) Tables(seed uint64) []Table {
	if p.tables != nil {
		return p.tables(seed)
	}
	switch p.Name {
	case bulkInsertName:
		return p.Options.bulkTables()
	case tpccName:
		return p.Options.tpccTables(seed)
	case ledgerName:
		return p.Options.ledgerTables()
	}
	tables := p.Options.OLTPTables(seed)
	if p.Name == "oltp_insert" && !p.Options.AutoInc {
		// As sysbench: numbers made now would meet those of the run.
		for i := range tables {
			tables[i].Units = 0
		}
	}
	return tables
}

// OLTPTables are the tables that all of sysbench's workloads but bulk_insert use.
func (o Options) OLTPTables(seed uint64) (tables []Table) {
	draw := newDraw(o.Rand, uint32(o.TableSize))
	for n := range o.Tables {
		t := Table{Name: TableName(n + 1), Create: o.CreateTable(n + 1), Columns: []string{"id", "k", "c", "pad"}, AnyColumns: true,
			Units: int64(o.TableSize), UnitRows: 1, Key: func(id int64) string { return fmt.Sprintf("id=%d", id) }}
		if o.CreateSecondary {
			t.Indexes = []string{o.CreateIndex(n + 1)}
		}
		t.Make = func(r *Row, id int64, _ int) bool {
			random := NewRandom(seed, uint64(n+1)<<32|uint64(id))
			r.whole(id, int64(draw.between(&random, 1, uint32(o.TableSize))))
			r.Bytes = AppendC(r.Bytes, &random)
			r.end(Quoted)
			r.Bytes = AppendPad(r.Bytes, &random)
			r.end(Quoted)
			return false
		}
		tables = append(tables, t)
	}
	return tables
}
