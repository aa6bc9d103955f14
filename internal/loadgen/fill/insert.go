package fill

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/workload"
)

// A server may not allow LOAD DATA LOCAL: error 3948 of MySQL (local_infile is off
// by default), 1148 of MySQL before 8.0.22 and 4166 of MariaDB.
const (
	codeLocalDisabled        = 3948
	codeNotAllowed           = 1148
	codeLocalDisabledMariaDB = 4166
)

// inserter is one worker's connection and buffers.
type inserter struct {
	f       *filler
	session *wire.Session
	buf     []byte
	row     workload.Row
	line    []byte
	// byInsert: the server does not allow LOAD DATA LOCAL.
	byInsert bool
}

func newInserter(ctx context.Context, f *filler) (*inserter, error) {
	s, err := f.job.Dial(ctx)
	if err != nil {
		return nil, err
	}
	if err := withoutForeignKeys(ctx, s, f.job.Tables); err != nil {
		s.Close()
		return nil, err
	}
	return &inserter{f: f, session: s}, nil
}

// portion makes the rows of a portion and, unless they are there already, inserts
// them, all or none. It returns what it made.
//
// LOAD DATA LOCAL takes the server two thirds of the CPU that INSERT takes, which
// it has to parse (3.8 us against 5.8 us a row, MySQL 9.7). A prepared INSERT of
// many rows is no better than a plain one: the server writes its text out again.
func (in *inserter) portion(ctx context.Context, t *table, number int, insert bool) (made contents, err error) {
	if !insert && !in.f.job.Verify {
		return made, nil
	}
	if !insert {
		from, to := t.bounds(number)
		in.each(t, from, to, &made, func(*workload.Row) {})
		return made, nil
	}
	// LOAD DATA LOCAL turns errors into warnings: a text that is too long for its column
	// would be cut. The rows of a workload file may have that mistake.
	if in.byInsert || t.Own != nil {
		return in.insert(ctx, t, number)
	}
	made, err = in.load(ctx, t, number)
	if hasCode(err, codeLocalDisabled) || hasCode(err, codeNotAllowed) || hasCode(err, codeLocalDisabledMariaDB) {
		in.byInsert = true
		return in.insert(ctx, t, number)
	}
	return made, err
}

// load inserts a portion by LOAD DATA LOCAL. One statement is one transaction: if the
// connection breaks before its end, the server undoes it.
func (in *inserter) load(ctx context.Context, t *table, number int) (made contents, err error) {
	from, to := t.bounds(number)
	err = in.session.Load(ctx, "LOAD DATA LOCAL INFILE 'rows' INTO TABLE "+mysqld.QuoteName(t.Name)+
		" CHARACTER SET binary FIELDS TERMINATED BY ',' ("+t.columnList()+")", func(buf []byte) ([]byte, bool) {
		for ; from <= to && len(buf) < wire.Piece; from++ {
			in.each(t, from, from, &made, func(r *workload.Row) { buf = appendLine(buf, r) })
		}
		return buf, from <= to
	})
	return made, err
}

// each makes the rows of some units, one after another in in.row.
func (in *inserter) each(t *table, from, to int64, made *contents, do func(*workload.Row)) {
	for unit := from; unit <= to; unit++ {
		for i, more := 0, true; more; i++ {
			in.row.Reset()
			more = t.Make(&in.row, unit, i)
			made.rows++
			if in.f.job.Verify {
				made.sum += in.checksum(t)
			}
			do(&in.row)
		}
	}
}

// insertRows is how many rows one INSERT holds: few enough for what the parser
// makes of them to stay in the processor's cache.
const insertRows = 500

// insertBytes is about how long an INSERT of rows of a workload file gets.
const insertBytes = 1 << 20

// insert inserts a portion in one transaction.
func (in *inserter) insert(ctx context.Context, t *table, number int) (made contents, err error) {
	if err := in.session.Exec(ctx, "START TRANSACTION"); err != nil {
		return made, err
	}
	head := "INSERT INTO " + mysqld.QuoteName(t.Name) + "(" + t.columnList() + ") VALUES"
	from, to := t.bounds(number)
	most := max(1, insertRows/int64(t.UnitRows))
	step := most
	if t.Own != nil {
		step = 1 // rows of a workload file can have any size: the first one tells
	}
	for from <= to {
		next := from + step
		in.buf = append(wire.BeginQuery(in.buf[:0]), head...)
		start := len(in.buf)
		in.each(t, from, min(next-1, to), &made, func(r *workload.Row) {
			if len(in.buf) > start {
				in.buf = append(in.buf, ',')
			}
			in.buf = appendValues(in.buf, r)
		})
		if len(in.buf) >= wire.LargestPacket {
			return made, fmt.Errorf("insert into %s: %d rows take %d bytes, more than a packet of the MySQL protocol", t.Name, min(next-1, to)-from+1, len(in.buf))
		}
		if err := in.session.Send(ctx, wire.Finish(in.buf, 0)); err != nil {
			return made, err
		}
		if t.Own != nil {
			step = min(most, max(1, step*insertBytes/int64(len(in.buf))))
		}
		from = next
	}
	return made, in.session.Exec(ctx, "COMMIT")
}

// mostAgain is how often a portion is begun again for the locks of others.
const mostAgain = 20

// unlocked makes a portion again for as long as its transaction is the victim of a deadlock or
// waits too long for a lock. While the server undoes an interrupted attempt, the locks of its
// rows pass to those that wait to insert the same ones, and two of them then wait for each other
// (MySQL Reference Manual, "Locks Set by Different SQL Statements in InnoDB").
func (in *inserter) unlocked(ctx context.Context, t *table, number int, made contents, err error) (contents, error) {
	for again := 0; again < mostAgain && (hasCode(err, codeDeadlock) || hasCode(err, codeLockWait)); again++ {
		if err := in.session.Exec(ctx, "ROLLBACK"); err != nil { // a lock wait ends the statement alone
			return made, err
		}
		made, err = in.portion(ctx, t, number, true)
	}
	return made, err
}

// appeared makes a portion whose rows were refused as duplicates, if they are there by now: the
// server was still busy with the COMMIT of an interrupted attempt when the portions were looked
// for. (LOAD DATA LOCAL leaves out duplicates by itself.)
func (in *inserter) appeared(ctx context.Context, t *table, number int, refused error) (there bool, made contents, err error) {
	if err := in.session.Exec(ctx, "ROLLBACK"); err != nil {
		return false, made, err
	}
	first, _ := t.bounds(number)
	if t.Key == nil {
		return false, made, refused
	}
	rows, err := in.session.Query(ctx, fmt.Sprintf("SELECT 1 FROM %s WHERE %s", mysqld.QuoteName(t.Name), t.Key(first)))
	if err != nil || len(rows) == 0 {
		return false, made, errors.Join(refused, err)
	}
	made, err = in.portion(ctx, t, number, false)
	return true, made, err
}

// appendLine appends a row as LOAD DATA reads it.
func appendLine(buf []byte, r *workload.Row) []byte {
	for i, c := range r.Cells {
		if i > 0 {
			buf = append(buf, ',')
		}
		if c.Kind == workload.Null {
			buf = append(buf, `\N`...)
		}
		buf = append(buf, r.Cell(i)...)
	}
	return append(buf, '\n')
}

// appendValues appends a row as an INSERT holds it.
func appendValues(buf []byte, r *workload.Row) []byte {
	buf = append(buf, '(')
	for i, c := range r.Cells {
		if i > 0 {
			buf = append(buf, ',')
		}
		switch value := r.Cell(i); c.Kind {
		case workload.Null:
			buf = append(buf, "NULL"...)
		case workload.Quoted:
			buf = append(append(append(buf, '\''), value...), '\'')
		case workload.Escaped:
			buf = appendEscaped(buf, value)
		default:
			buf = append(buf, value...)
		}
	}
	return append(buf, ')')
}

// appendEscaped appends a string literal of bytes that may be anything.
func appendEscaped(buf, value []byte) []byte {
	buf = append(buf, '\'')
	for _, b := range value {
		if b == '\'' || b == '\\' {
			buf = append(buf, b)
		}
		buf = append(buf, b)
	}
	return append(buf, '\'')
}

// checksum is the CRC-32 of the row's columns that are compared and not NULL, separated by
// commas.
func (in *inserter) checksum(t *table) uint64 {
	in.line = in.line[:0]
	for i, c := range in.row.Cells {
		if c.Kind != workload.Null && (t.compared == nil || t.compared[i]) {
			in.line = append(append(in.line, in.row.Cell(i)...), ',')
		}
	}
	return uint64(crc32.ChecksumIEEE(in.line[:max(len(in.line)-1, 0)]))
}
