package workload

import (
	"fmt"
	"strings"
)

const bulkInsertName = "bulk_insert"

// bulkRows is how many rows go into one statement: sysbench sends when 512 KiB
// are full (db_driver.c, BULK_PACKET_SIZE), which its rows of two numbers of up to
// seven digits fill at about this many.
const bulkRows = 32 << 10

// bulkInsert: every connection fills a table of its own with rows (n, n). An
// event is a row, as sysbench counts it, so one statement is many events.
func bulkInsert(o Options) (*Program, error) {
	s := Statement{
		Name: "bulk_inserts", PerTable: true, Class: Write, Text: true,
		SQL: "INSERT INTO sbtest%d VALUES" + strings.Repeat("(?,?),", bulkRows-1) + "(?,?)",
	}
	for range bulkRows {
		s.Params = append(s.Params, Param{Source: Sequence}, Param{Source: LastID})
	}
	p := transaction(false, group{1, []Statement{s}})
	p.OwnTable, p.EventRows = true, bulkRows
	return p, nil
}

// bulkTables are one empty table for each connection of all loads.
func (o Options) bulkTables() (tables []Table) {
	for t := range o.AllConnections() {
		sql := fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s (id INTEGER NOT NULL, k INTEGER DEFAULT '0' NOT NULL, PRIMARY KEY (id))", TableName(t+1))
		tables = append(tables, Table{Name: TableName(t + 1), Create: sql, UnitRows: 1, AnyColumns: true})
	}
	return tables
}
